import type { AppliedSettings } from './applied-settings.ts';
import type { BondState } from './bond-state.ts';
import type { DefaultsSection } from './connection-defaults.ts';
import type { HintFiles } from './hint-files.ts';
import type { KernelEntries } from './kernel-entries.ts';
import type { ConfigSection } from './network-manager-config.ts';
import type { OthersRecord } from './others.ts';
import type { ProfileSettings } from './profile-settings.ts';
import type { Surroundings } from './surroundings.ts';
import type { TuningFacts } from './tuning.ts';

/**
 * A snapshot of the node as plain JSON. It does not depend on how the facts were read, and it never contains secrets.
 */
export interface Observation extends Surroundings {
  readonly host: {
    readonly bootId: string;
    readonly hostname: string;
    /** Address of the SSH client from which this run was started; null if SSH did not start it. */
    readonly sshPeer: string | null;
    /** Missing programs that NetworkManager needs to start a device again. Absent if no program is missing. */
    readonly missingPrograms?: readonly string[];
    /**
     * True if MicroShift's own script for br-ex is installed. The script makes br-ex without a NIC if the agent makes
     * no br-ex. Absent otherwise.
     */
    readonly hasMicroShiftScript?: true;
    /** True if MicroShift, which looks up the node's address repeatedly, is installed. Absent otherwise. */
    readonly hasMicroShift?: true;
    /**
     * True if /dev/net/tun is missing. Open vSwitch makes the interfaces of its userspace data path with this device.
     * Absent otherwise.
     */
    readonly lacksTun?: true;
    /**
     * True if the kernel has no module openvswitch, which the kernel data path needs. Absent if the kernel has the
     * module, or if that is not known.
     */
    readonly lacksKernelDatapath?: true;
  };
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  /** True if the default route by which MicroShift finds the node on lo is present (signpost.ts). Absent otherwise. */
  readonly signpost?: true;
  /**
   * Entries that programs other than NetworkManager added to links and that no profile contains. Absent if no such
   * entries exist.
   */
  readonly foreign?: readonly KernelEntries[];
  /**
   * Links that are not ports and on which the kernel itself configures IPv6 from router advertisements. Absent if no
   * such link exists.
   */
  readonly kernelIpv6?: readonly string[];
  /**
   * Entries and ports that other programs had on the agent's bridges at the last run. Absent if nothing is recorded.
   */
  readonly others?: readonly OthersRecord[];
  readonly resolver: Resolver;
  readonly hints: HintFiles;
  readonly networkManager: NetworkManagerFacts;
  readonly ovs: OvsFacts;
  /**
   * State and settings of the Open vSwitch daemons. Absent if they were not read; no tuning is then planned.
   */
  readonly tuning?: TuningFacts;
}

export interface Link {
  readonly name: string;
  readonly index: number;
  readonly mac: string;
  /** Permanent MAC from the driver; null if the device has none (most virtual devices). */
  readonly permanentMac: string | null;
  readonly mtuBytes: number;
  readonly up: boolean;
  readonly carrier: boolean;
  /**
   * True if the link receives the packets for all MACs, as the links of Open vSwitch do (IFF_PROMISC of netdevice(7)).
   * Absent for all other links.
   */
  readonly promiscuous?: true;
  /** ARPHRD_* of linux/if_arp.h: 1 Ethernet, 772 loopback, 512 PPP, 65534 none. */
  readonly hardwareType: number;
  /** `vlan`, `bond`, `bridge`, `wlan`, … from DEVTYPE in uevent; null for a plain NIC. */
  readonly kind: string | null;
  /** Kernel driver of the device; null for virtual devices. */
  readonly driver: string | null;
  readonly master: string | null;
  /**
   * Links of this network namespace that are stacked on this link (`upper_*` in sysfs), except the link's own master.
   * Absent if empty.
   */
  readonly uppers?: readonly string[];
  /**
   * Index of the link to which a tunnel is bound or on which a device is stacked (IFLA_LINK), or of a veth's peer.
   * Absent without such a link.
   */
  readonly parentIndex?: number;
  /** State that the bonding driver reports. Absent if the link is not a bond. */
  readonly bond?: BondState;
  readonly addresses: readonly LinkAddress[];
}

export interface LinkAddress {
  readonly family: 4 | 6;
  readonly address: string;
  readonly prefixLength: number;
  readonly scope: 'global' | 'link' | 'host';
  /** True while duplicate address detection runs; a program cannot bind the address yet. */
  readonly tentative: boolean;
  readonly dadFailed: boolean;
  readonly temporary: boolean;
  readonly deprecated: boolean;
  /**
   * True if a program other than NetworkManager added the address, and no active profile contains it. Absent for all
   * other addresses.
   */
  readonly foreign?: true;
}

export interface Route {
  readonly family: 4 | 6;
  /** Destination in CIDR notation; a default route is 0.0.0.0/0 or ::/0. */
  readonly destination: string;
  /** Next hop; null if the route is on-link or has `viaIpv6`. */
  readonly gateway: string | null;
  /** True for an IPv4 route through an IPv6 next hop, which /proc/net/route does not show. Absent otherwise. */
  readonly viaIpv6?: true;
  readonly device: string;
  readonly metric: number;
}

export interface Resolver {
  readonly nameservers: readonly string[];
  readonly search: readonly string[];
  readonly options: readonly string[];
}

/**
 * Identifiers that a device sends to DHCP servers, as NetworkManager shows them. An identifier is null if the device
 * has no lease of the address family to which the identifier belongs.
 */
export interface DhcpIdentity {
  readonly clientId: string | null;
  readonly duid: string | null;
  readonly iaid: string | null;
  /** Address of the IPv4 lease, without prefix length. Absent without an IPv4 lease. */
  readonly address?: string;
  /** Gateways of the IPv4 lease. Absent if the lease has none. */
  readonly routers?: readonly string[];
}

export interface NetworkManagerFacts {
  readonly version: string;
  readonly ovsPlugin: boolean;
  readonly devices: readonly NmDevice[];
  readonly activeConnections: readonly NmActiveConnection[];
  readonly profiles: readonly NmProfile[];
  /**
   * Settings that NetworkManager has applied to the NICs of bridges (GetAppliedConnection). Absent if they were not
   * read.
   */
  readonly applied?: readonly AppliedSettings[];
  /** D-Bus paths of all checkpoints that exist, including those of other programs. */
  readonly checkpoints: readonly string[];
  /**
   * Defaults of connection properties in NetworkManager's configuration, in the order in which they are read. Absent if
   * empty.
   */
  readonly defaults?: readonly DefaultsSection[];
  /**
   * Sections about devices and profiles in NetworkManager's configuration files, highest precedence first. Absent if no
   * such section exists.
   */
  readonly config?: readonly ConfigSection[];
}

export interface NmDevice {
  readonly path: string;
  readonly interface: string;
  /** Interface that carries IP. It differs from `interface` for PPP and GSM. */
  readonly ipInterface: string;
  /** True if NetworkManager knows no kernel link for an Open vSwitch interface. Absent for all other devices. */
  readonly lacksLink?: true;
  /**
   * NMDeviceType: 1 ethernet, 2 wifi, 10 bond, 11 vlan, 13 bridge, 14 generic, 15 team, 16 tun, 24 ovs-interface, 25
   * ovs-port, 26 ovs-bridge.
   */
  readonly type: number;
  /** NMDeviceState: 10 unmanaged, 20 unavailable, 30 disconnected, 100 activated, … */
  readonly state: number;
  readonly activeConnection: string | null;
  readonly hwAddress: string;
  /** Permanent MAC; empty or absent if the device has none. */
  readonly permanentHwAddress?: string;
  /** Lease of the device, with the identifiers that it sent. Null or absent if the device has no lease. */
  readonly dhcp?: DhcpIdentity | null;
  readonly driver: string;
}

export interface NmActiveConnection {
  readonly path: string;
  readonly id: string;
  readonly uuid: string;
  readonly type: string;
  /** D-Bus path of the profile. */
  readonly profile: string;
  readonly devices: readonly string[];
  /** NMActiveConnectionState: 1 activating, 2 activated, 3 deactivating, 4 deactivated. */
  readonly state: number;
  /** NMActivationStateFlags; 0x80 is external. */
  readonly stateFlags: number;
}

export interface NmProfile {
  readonly path: string;
  readonly uuid: string;
  readonly id: string;
  /** Path of the keyfile; empty for a profile that only exists in memory. */
  readonly filename: string;
  readonly settings: ProfileSettings;
}

export interface OvsFacts {
  readonly version: string | null;
  readonly bridges: readonly OvsBridge[];
  readonly externalIds: Readonly<Record<string, string>>;
  readonly otherConfig: Readonly<Record<string, string>>;
  /** Open_vSwitch.next_cfg and cur_cfg. They are equal when ovs-vswitchd has applied all changes. */
  readonly nextCfg: number;
  readonly curCfg: number;
}

export interface OvsBridge {
  readonly uuid: string;
  readonly name: string;
  readonly datapathType: string;
  readonly failMode: string | null;
  readonly externalIds: Readonly<Record<string, string>>;
  readonly otherConfig: Readonly<Record<string, string>>;
  readonly ports: readonly OvsPort[];
}

export interface OvsPort {
  readonly uuid: string;
  readonly name: string;
  readonly externalIds: Readonly<Record<string, string>>;
  readonly interfaces: readonly OvsInterface[];
}

export interface OvsInterface {
  readonly uuid: string;
  readonly name: string;
  readonly type: string;
  readonly ofport: number | null;
  readonly error: string | null;
  readonly externalIds: Readonly<Record<string, string>>;
}

/** Returns true for lo (ARPHRD_LOOPBACK, linux/if_arp.h). */
export function isLoopback({ hardwareType }: Link): boolean {
  return hardwareType === 772;
}

/**
 * Returns true for a connection that NetworkManager generated for another program's configuration
 * (NM_ACTIVATION_STATE_FLAG_EXTERNAL).
 */
export function isExternal({ stateFlags }: NmActiveConnection): boolean {
  return (stateFlags & 0x80) !== 0;
}

/** Returns an address in the form `address/prefix`, as profiles and steps contain it. */
export function prefixedAddress({ address, prefixLength }: LinkAddress): string {
  return `${address}/${prefixLength}`;
}

/**
 * Returns the addresses of a link for which `isOfKind` is true, in the form `address/prefix`; an empty list without a
 * link.
 */
export function addressesOf(
  link: Pick<Link, 'addresses'> | undefined,
  isOfKind: (entry: LinkAddress) => boolean = () => true,
): readonly string[] {
  return (link?.addresses ?? []).filter(isOfKind).map(prefixedAddress);
}

/**
 * Returns true for an address that a program can bind: duplicate address detection has ended, and found no duplicate.
 */
export function isBindable({ tentative, dadFailed }: LinkAddress): boolean {
  return !tentative && !dadFailed;
}

/**
 * Returns true while duplicate address detection of an address is in progress. If the detection finds a duplicate, the
 * kernel keeps the tentative flag of a permanent address (Linux net/ipv6/addrconf.c, addrconf_dad_stop).
 */
export function isBeingDetected({ tentative, dadFailed }: LinkAddress): boolean {
  return tentative && !dadFailed;
}

/**
 * Returns true for NetworkManager's Open vSwitch objects (NMDeviceType), which can have the same name as a kernel
 * device.
 */
export function isOvsDevice(device: NmDevice): boolean {
  return [24, 25, 26].includes(device.type);
}

/**
 * Returns NetworkManager's device object for the kernel device of the given name; undefined if NetworkManager has none.
 */
export function nicDevice(name: string, { networkManager }: Pick<Observation, 'networkManager'>): NmDevice | undefined {
  return networkManager.devices.find((entry) => entry.interface === name && !isOvsDevice(entry));
}
