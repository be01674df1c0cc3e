import { lostEntries } from '../../compare/compare-others.ts';
import { entriesOf, type KernelEntries } from '../../model/kernel-entries.ts';
import type { BridgeNames } from '../../model/names.ts';
import { addressesOf, type Observation } from '../../model/observation.ts';
import type {
  BridgeMarks,
  DifferenceKind,
  NetworkDifference,
  Step,
  WantedBridge,
  WantedProfile,
} from '../../model/plan.ts';
import { fixedAddresses } from '../../model/profile-settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';
import { activate, activateInterface, attachStep, profileOf, putBack, waitSteps } from './build.ts';
import { carryToBridge, fromNic } from './carried-entries.ts';
import { bridgeDynamicIpv6 } from './held-ipv6.ts';
import { rowOf } from './microshift-bridge.ts';

/**
 * Ways to remove a difference between a bridge and its desired state. All except `rebuild` leave the bridge in place.
 */
type Remedy =
  | 'update'
  | 'put-back'
  | 'reapply-interface'
  | 'reapply-bridge'
  | 'clear-uplink'
  | 'attach-uplink'
  | 'claim-bridge'
  | 'rebuild';

/**
 * Remedy by kind of difference from the desired state. A difference in a setting is not listed, because its remedy
 * depends on the setting.
 */
const ofKind: Readonly<Record<Exclude<DifferenceKind, 'setting'>, Remedy>> = {
  address: 'reapply-interface',
  loopback: 'update',
  signpost: 'update',
  given: 'put-back',
  'others-port': 'update',
  'uplink-configured': 'clear-uplink',
  'uplink-inactive': 'clear-uplink',
  port: 'attach-uplink',
  profile: 'rebuild',
  active: 'rebuild',
  leftover: 'rebuild',
  bridge: 'rebuild',
  owner: 'rebuild',
  surplus: 'rebuild',
  'port-error': 'rebuild',
  'foreign-device': 'rebuild',
  mac: 'rebuild',
};
/** Remedies for a bridge that stayed while NetworkManager restarted: its profiles exist, and none of them is active. */
const ofUnclaimed = { ...ofKind, active: 'claim-bridge', owner: 'claim-bridge' } as const;

/**
 * Settings of the bridge's profile that NetworkManager changes in place (nm-device.c, can_reapply_change). A change of
 * any other setting needs a rebuild.
 */
const reappliedOnBridge = ['ovs-external-ids', 'ovs-other-config'];
/** Settings in the profile of the bridge's internal interface that NetworkManager changes in place. */
const reappliedOnInterface = ['ipv4', 'ipv6', 'connection', 'proxy', 'hostname', 'user'];

/**
 * Returns the steps that remove the differences of an existing bridge without a rebuild; null if a difference needs a
 * rebuild.
 */
export function adjustInPlace(
  wanted: WantedBridge,
  names: BridgeNames,
  differences: readonly NetworkDifference[],
  source: UplinkSource | null,
  observation: Observation,
): readonly Step[] | null {
  const isUnclaimed = differences.some(({ kind, observed }) => kind === 'owner' && observed === null);
  const remedies = new Set(differences.map((difference) => remedyOf(difference, names, isUnclaimed)));
  const final = wanted.profiles.find((profile) => profile.id === names.bridgeInterface);
  const bridge = wanted.profiles.find((profile) => profile.id === names.bridge);
  if (remedies.has('rebuild') || final === undefined || bridge === undefined) return null;
  const ids = new Set(differences.flatMap((entry) => (entry.kind === 'setting' ? [entry.profile] : [])));
  const changed = wanted.profiles.filter((profile) => ids.has(profile.id));
  const steps: Step[] = [];
  if (changed.length > 0)
    steps.push({ do: 'writeProfiles', profiles: changed, why: 'the profiles follow what they were made from' });
  // The NIC comes first, because the bridge's profile gets no DHCP lease in a bridge without a NIC.
  if (remedies.has('attach-uplink') && source !== null) {
    const why = `${source.link.name} carries ${names.bridge} again`;
    steps.push(attachStep(names, wanted, source, why));
  }
  if (isUnclaimed) steps.push(...claim(names, wanted, source, observation));
  if (remedies.has('reapply-bridge')) {
    const why = 'the external ids by which ovn-kubernetes finds the uplink, in place';
    steps.push({ do: 'reapply', id: bridge.id, uuid: bridge.uuid, settings: null, why });
  }
  if ((remedies.has('attach-uplink') || remedies.has('clear-uplink')) && source !== null) {
    const { id, uuid, link, isActive } = source;
    const why = `${link.name} is configured by ${id}, which added addresses that ${names.bridge} has`;
    const carried = fromNic(names, link.name, observation);
    steps.push(...carryToBridge(link.name, carried));
    steps.push({ do: 'clearUplink', interface: link.name, profile: isActive ? null : { id, uuid }, why });
    steps.push(...putBack(carried));
  }
  if (remedies.has('reapply-interface')) {
    const { id, uuid } = final;
    const why = `${names.bridge} is changed in place; its link stays up`;
    steps.push({ do: 'reapply', id, uuid, settings: null, why });
    const checked = 'a new address is checked for duplicates before it answers';
    steps.push(...waitSteps(names, fixedAddresses(final.settings), checked));
  }
  if (remedies.has('put-back')) steps.push(...putBack(lostEntries(names.bridge, observation)));
  return steps;
}

/** Returns the steps that make NetworkManager manage the existing bridge and activate the bridge's profiles on it. */
function claim(
  names: BridgeNames,
  wanted: WantedBridge,
  source: UplinkSource | null,
  observation: Observation,
): readonly Step[] {
  const port = profileOf(wanted, names.bridgePort);
  const device = profileOf(wanted, names.bridgeInterface);
  const dynamic = source === null ? null : bridgeDynamicIpv6(names, device, source, observation);
  const why = `${names.bridge} stayed while NetworkManager was away; it is taken over with all that is in it`;
  return [
    { do: 'claimBridge', bridge: names.bridge, profiles: marksOf(names, wanted), why },
    activate(port, 'NetworkManager finds the rows and adds none'),
    activateInterface(names, wanted, `${names.bridge} keeps its addresses and is looked after again`, {
      ...(hasIpv6Of(device, names.bridge, observation) ? { undetected: names.bridge } : {}),
      ...(dynamic === null ? {} : { held: dynamic.held }),
    }),
    ...(dynamic?.release ?? []),
    ...putBackIpv6(entriesOf(names.bridge, observation)),
  ];
}

/**
 * Returns true if the bridge has IPv6 addresses, and every static IPv6 address of its profile is among them.
 * NetworkManager then adds addresses that the node already uses. If the kernel checked these addresses for duplicates
 * again, the node would not answer for two seconds (RFC 4862 section 5.4: an address is checked when it is assigned to
 * an interface).
 */
function hasIpv6Of({ settings }: WantedProfile, bridge: string, { links }: Observation): boolean {
  const link = links.find(({ name }) => name === bridge);
  const present =
    link === undefined ? [] : addressesOf(link, (entry) => entry.family === 6 && !entry.tentative && !entry.dadFailed);
  const fixed = fixedAddresses(settings).filter((address) => address.includes(':'));
  return present.length > 0 && fixed.every((address) => present.includes(address));
}

/**
 * Returns the step that restores foreign IPv6 entries; no step if the interface has no foreign IPv6 address.
 * NetworkManager removes every IPv6 address from an interface when it begins to configure the interface, and leaves
 * IPv4 addresses in place (observed with 1.58.1).
 */
function putBackIpv6({ addresses, routes, neighbours, interface: name }: KernelEntries): readonly Step[] {
  const entries = {
    interface: name,
    addresses: addresses.filter(({ address }) => address.includes(':')),
    routes: routes.filter(({ destination }) => destination.includes(':')),
    neighbours: neighbours.filter(({ address }) => address.includes(':')),
  };
  if (entries.addresses.length === 0) return [];
  const why = `NetworkManager removes the IPv6 addresses of other programs from ${name} when it begins to manage it`;
  return [{ do: 'changeKernel', entries, required: false, why }];
}

/** Returns the step that makes NetworkManager manage a bridge that has no profile. */
export function claimStep(names: BridgeNames, wanted: WantedBridge, observation: Observation): Step {
  const { bridge } = names;
  const taken = `NetworkManager takes ${bridge} over with the ports of other programs`;
  const step = { do: 'claimBridge', bridge, profiles: marksOf(names, wanted), row: rowOf(names, wanted) } as const;
  if (!isUnseen(bridge, observation)) return { ...step, why: taken };
  return {
    ...step,
    renewed: true,
    why: `${taken}; the internal interface, which NetworkManager does not see, is made again first`,
  };
}

/**
 * Returns true for a bridge whose internal interface exists in the kernel although NetworkManager considers it removed.
 * NetworkManager waits 6 s for ovs-vswitchd to remove an interface. If ovs-vswitchd hangs for longer, NetworkManager
 * does not notice that the interface still exists (1.58, nm-device-ovs-interface.c). An activation would then wait in
 * vain for the interface to appear.
 */
function isUnseen(bridge: string, { links, networkManager }: Observation): boolean {
  const lacksLink = networkManager.devices.some((device) => device.interface === bridge && device.lacksLink === true);
  return lacksLink && links.some((link) => link.name === bridge);
}

function marksOf(names: BridgeNames, wanted: WantedBridge): BridgeMarks {
  return {
    bridge: profileOf(wanted, names.bridge).uuid,
    port: profileOf(wanted, names.bridgePort).uuid,
    interface: profileOf(wanted, names.bridgeInterface).uuid,
  };
}

function remedyOf(difference: NetworkDifference, names: BridgeNames, isUnclaimed: boolean): Remedy {
  if (difference.kind !== 'setting') return (isUnclaimed ? ofUnclaimed : ofKind)[difference.kind];
  const { profile, setting, key } = difference;
  // A change of connection.autoconnect or user.data has no effect on the network, in any profile.
  if (['connection.autoconnect', 'user.data'].includes(`${setting}.${key}`)) return 'update';
  if (profile === names.bridge && reappliedOnBridge.includes(setting)) return 'reapply-bridge';
  return profile === names.bridgeInterface && reappliedOnInterface.includes(setting) ? 'reapply-interface' : 'rebuild';
}
