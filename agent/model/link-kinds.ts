import { type Link, type NmDevice, nicDevice, type Observation } from './observation.ts';

/**
 * Properties of a kind of kernel link (`ip link help`) that matter to an Open vSwitch bridge. An Ethernet device can
 * have only one receive handler and one master (Linux net/core/dev.c: netdev_rx_handler_register,
 * netdev_master_upper_dev_link). Open vSwitch occupies both on each NIC of a bridge.
 */
interface LinkKind {
  /** Reason why a link of this kind cannot be an uplink, as the second half of a sentence ("it …"); null if it can. */
  readonly unfit: string | null;
  /**
   * Effect on a link of this kind, stacked on a NIC, when the NIC becomes a port of a bridge. `works`: frames reach the
   * link before they reach the NIC's receive handler. `blocks`: the link occupies the NIC's receive handler, so Open
   * vSwitch cannot add the NIC. `silent`: the link sends through routes of the NIC, which the NIC no longer has once it
   * is a port. `separate`: the link needs no NIC below it.
   */
  readonly onUplink: 'works' | 'blocks' | 'silent' | 'separate';
  /**
   * True if a device of this kind in a bridge may lead into the LAN. False for a kind that other programs add to
   * bridges for another purpose, such as a tunnel or tap.
   */
  readonly isNic: boolean;
}

const nic: LinkKind = { unfit: null, onUplink: 'separate', isNic: true };
const tunnel: LinkKind = { unfit: null, onUplink: 'silent', isNic: false };
const receiver: LinkKind = { unfit: null, onUplink: 'blocks', isNic: true };

/** Properties of each kind of link, by the name of the kind. A kind that is not listed counts as a NIC. */
const linkKinds = {
  bond: nic,
  bridge: nic,
  dsa: nic,
  dummy: nic,
  team: nic,
  tun: { ...nic, isNic: false },
  veth: nic,
  vlan: { ...nic, onUplink: 'works' },
  wlan: { ...nic, unfit: 'it is a wifi device: an access point drops frames with other source addresses' },
  vrf: { ...nic, unfit: 'it is a VRF, a routing table of its own, which carries no frames' },
  // The ipvlan driver passes up only packets for the IP addresses of the device (Linux drivers/net/ipvlan). These
  // addresses would move to the bridge. The device would then have no address, and would pass no packets to the bridge.
  ipvlan: {
    ...receiver,
    unfit: 'it is an ipvlan device, which gets only packets for its own IP addresses, and these move to the bridge',
  },
  macvlan: receiver,
  macvtap: receiver,
  macsec: { ...receiver, isNic: false },
  hsr: receiver,
  rmnet: receiver,
  geneve: tunnel,
  gretap: tunnel,
  'ip-tunnel': tunnel,
  vxlan: tunnel,
  wireguard: { ...tunnel, onUplink: 'separate' },
} as const satisfies Readonly<Record<string, LinkKind>>;

export type LinkKindName = keyof typeof linkKinds;

/** Link kinds by NMDeviceType, for links whose kind the kernel does not show in sysfs. */
const kindsOfDevices: Readonly<Record<number, LinkKindName>> = {
  2: 'wlan',
  10: 'bond',
  11: 'vlan',
  13: 'bridge',
  15: 'team',
  16: 'tun',
  17: 'ip-tunnel',
  18: 'macvlan',
  19: 'vxlan',
  20: 'veth',
  21: 'macsec',
  22: 'dummy',
  29: 'wireguard',
  31: 'vrf',
  33: 'hsr',
  34: 'ipvlan',
  35: 'geneve',
};

/**
 * Facts that distinguish a NIC from a tap, veth or tunnel. Without NetworkManager, only kinds that sysfs shows are
 * known, and a veth counts as a NIC.
 */
export type KnownLinks = Pick<Observation, 'links'> & Partial<Pick<Observation, 'networkManager'>>;

/**
 * Returns the kind of a link, as the kernel shows it in sysfs (DEVTYPE) or else as NetworkManager classifies it; null
 * for a plain NIC or an unknown kind.
 */
export function linkKindOf(link: Link, { networkManager }: Pick<KnownLinks, 'networkManager'>): LinkKindName | null {
  if (link.kind !== null && isLinkKind(link.kind)) return link.kind;
  const device = networkManager === undefined ? undefined : nicDevice(link.name, { networkManager });
  return deviceKind(device);
}

function deviceKind(device: NmDevice | undefined): LinkKindName | null {
  // NetworkManager reports the type "generic" for an rtnetlink kind that it does not know. The driver's name is then
  // the kind.
  const driver = device?.driver ?? '';
  return kindsOfDevices[device?.type ?? 0] ?? (device?.type === generic && isLinkKind(driver) ? driver : null);
}

/** Value of NM_DEVICE_TYPE_GENERIC. */
const generic = 14;

function isLinkKind(name: string): name is LinkKindName {
  return Object.hasOwn(linkKinds, name);
}

/** Returns the properties of a kind of link; null stands for a plain NIC. */
export function traitsOf(kind: LinkKindName | null): LinkKind {
  return kind === null ? nic : linkKinds[kind];
}

/**
 * Returns true if a link of this kind (IFLA_INFO_KIND of rtnetlink) prevents Open vSwitch from adding the link below
 * it.
 */
export function blocksLinkBelow(kind: string): boolean {
  return kind === 'ipvtap' || (isLinkKind(kind) && linkKinds[kind].onUplink === 'blocks');
}
