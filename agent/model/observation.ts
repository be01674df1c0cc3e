import type { BondState } from './bond-state.ts';
import type { DefaultsSection } from './connection-defaults.ts';
import type { HintFiles } from './hint-files.ts';
import type { KernelEntries } from './kernel-entries.ts';
import type { ConfigSection } from './network-manager-config.ts';
import type { OthersRecord } from './others.ts';
import type { ProfileSettings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import type { TuningFacts } from './tuning.ts';

/** A plain-JSON snapshot of the node. Nothing in it depends on how it was read; it never holds secrets. */
export interface Observation extends Surroundings {
  readonly host: {
    readonly bootId: string;
    readonly hostname: string;
    /** Address of the SSH client that started this run, if any. */
    readonly sshPeer: string | null;
    /** Programs without which NetworkManager cannot start a device again that it runs now. Absent: none is missing. */
    readonly missingPrograms?: readonly string[];
    /** MicroShift's own script for br-ex is installed, so that without us there is a bridge without a NIC. Absent: it is not. */
    readonly hasMicroShiftScript?: true;
    /** MicroShift is installed, which looks for the node's own address again and again. Absent: it is not. */
    readonly hasMicroShift?: true;
    /** /dev/net/tun is missing, by which Open vSwitch makes the interfaces of its userspace data path. Absent: it is there. */
    readonly lacksTun?: true;
    /** The kernel has no module openvswitch, by which Open vSwitch carries bridges in the kernel's data path. Absent: it has, or that is unknown. */
    readonly lacksKernelDatapath?: true;
  };
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  /** The default route by which MicroShift finds the node on lo is there (signpost.ts). Absent: it is not. */
  readonly signpost?: true;
  /** Entries that programs other than NetworkManager added to links and that no profile contains. Absent if no such entries exist. */
  readonly foreign?: readonly KernelEntries[];
  /** Links that are not ports and on which the kernel itself configures IPv6 from router advertisements. Absent if no such link exists. */
  readonly kernelIpv6?: readonly string[];
  /** Entries and ports that other programs had on the agent's bridges when a run last looked. Absent if nothing is recorded. */
  readonly others?: readonly OthersRecord[];
  readonly resolver: Resolver;
  readonly hints: HintFiles;
  readonly networkManager: NetworkManagerFacts;
  readonly ovs: OvsFacts;
  /** Absent in snapshots of agents before 0.2: nothing is known then, and nothing planned. */
  readonly tuning?: TuningFacts;
}

export interface Link {
  readonly name: string;
  readonly index: number;
  readonly mac: string;
  /** From the driver; null where the device has none (most virtual devices). */
  readonly permanentMac: string | null;
  readonly mtuBytes: number;
  readonly up: boolean;
  readonly carrier: boolean;
  /** ARPHRD_* of linux/if_arp.h: 1 Ethernet, 772 loopback, 512 PPP, 65534 none. */
  readonly hardwareType: number;
  /** `vlan`, `bond`, `bridge`, `wlan`, … from DEVTYPE in uevent; null for a plain NIC. */
  readonly kind: string | null;
  /** Kernel driver of the device behind it; null for virtual devices. */
  readonly driver: string | null;
  readonly master: string | null;
  /** Links of this network namespace that are stacked on it, its master aside (`upper_*` in sysfs). Absent: none. */
  readonly uppers?: readonly string[];
  /** Index of the link that a tunnel is bound to or that a device is stacked on (IFLA_LINK); the peer's for a veth. Absent: none. */
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
  /** Duplicate address detection still runs: not bindable yet. */
  readonly tentative: boolean;
  readonly dadFailed: boolean;
  readonly temporary: boolean;
  readonly deprecated: boolean;
  /** Given by another program than NetworkManager, and in no profile that runs there. Absent: NetworkManager's or the kernel's own. */
  readonly foreign?: true;
}

export interface Route {
  readonly family: 4 | 6;
  /** CIDR; a default route is 0.0.0.0/0 or ::/0. */
  readonly destination: string;
  /** null: on-link, or `viaIpv6`. */
  readonly gateway: string | null;
  /** An IPv4 route through an IPv6 next hop, which the kernel does not show here. Absent: none. */
  readonly viaIpv6?: true;
  readonly device: string;
  readonly metric: number;
}

export interface Resolver {
  readonly nameservers: readonly string[];
  readonly search: readonly string[];
  readonly options: readonly string[];
}

/** What DHCP servers know a device by, as NetworkManager shows it; null: there is no lease of that family. */
export interface DhcpIdentity {
  readonly clientId: string | null;
  readonly duid: string | null;
  readonly iaid: string | null;
  /** The address that an IPv4 lease gives, without prefix length. Absent: none. */
  readonly address?: string;
  /** The gateways of that lease. Absent: none. */
  readonly routers?: readonly string[];
}

export interface NetworkManagerFacts {
  readonly version: string;
  readonly ovsPlugin: boolean;
  readonly devices: readonly NmDevice[];
  readonly activeConnections: readonly NmActiveConnection[];
  readonly profiles: readonly NmProfile[];
  /** D-Bus paths of checkpoints that exist now, ours or others'. */
  readonly checkpoints: readonly string[];
  /** Defaults of connection properties in its configuration files, in the order in which they are asked. Absent: none. */
  readonly defaults?: readonly DefaultsSection[];
  /** Sections about devices and profiles in its configuration files, the one with the highest precedence first. Absent if no such section exists. */
  readonly config?: readonly ConfigSection[];
}

export interface NmDevice {
  readonly path: string;
  readonly interface: string;
  /** Interface that carries IP (differs from `interface` for PPP, GSM). */
  readonly ipInterface: string;
  /** NetworkManager knows of no link of the kernel's behind an interface of Open vSwitch. Absent: it does, or the device is no such interface. */
  readonly lacksLink?: true;
  /** NMDeviceType: 1 ethernet, 2 wifi, 10 bond, 11 vlan, 13 bridge, 14 generic, 15 team, 16 tun, 24 ovs-interface, 25 ovs-port, 26 ovs-bridge */
  readonly type: number;
  /** NMDeviceState: 10 unmanaged, 20 unavailable, 30 disconnected, 100 activated, … */
  readonly state: number;
  readonly activeConnection: string | null;
  readonly hwAddress: string;
  /** Burnt-in MAC; empty or absent where the device has none. */
  readonly permanentHwAddress?: string;
  /** null or absent: no lease. */
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
  /** NMActivationStateFlags, 0x80 = external. */
  readonly stateFlags: number;
}

export interface NmProfile {
  readonly path: string;
  readonly uuid: string;
  readonly id: string;
  /** Keyfile; empty for a profile that only exists in memory. */
  readonly filename: string;
  readonly settings: ProfileSettings;
}

export interface OvsFacts {
  readonly version: string | null;
  readonly bridges: readonly OvsBridge[];
  readonly externalIds: Readonly<Record<string, string>>;
  readonly otherConfig: Readonly<Record<string, string>>;
  /** Open_vSwitch.next_cfg and cur_cfg: equal when vswitchd has caught up. */
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

/** True for lo (ARPHRD_LOOPBACK, linux/if_arp.h). */
export function isLoopback({ hardwareType }: Link): boolean {
  return hardwareType === 772;
}

/** True where NetworkManager only shows, as a profile that it made up, what others have configured (NM_ACTIVATION_STATE_FLAG_EXTERNAL). */
export function isExternal({ stateFlags }: NmActiveConnection): boolean {
  return (stateFlags & 0x80) !== 0;
}

/** An address as profiles and steps have it: `address/prefix`. */
export function prefixedAddress({ address, prefixLength }: LinkAddress): string {
  return `${address}/${prefixLength}`;
}

/** Addresses of a link that are of this kind, as `address/prefix`; none where there is no link. */
export function addressesOf(
  link: Pick<Link, 'addresses'> | undefined,
  isOfKind: (entry: LinkAddress) => boolean = () => true,
): readonly string[] {
  return (link?.addresses ?? []).filter(isOfKind).map(prefixedAddress);
}

/** True for an address that a program can bind: it has been checked for duplicates, and there is none. */
export function isBindable({ tentative, dadFailed }: LinkAddress): boolean {
  return !tentative && !dadFailed;
}

/** True for NetworkManager's objects of Open vSwitch (NMDeviceType), which can share a name with the kernel's own device. */
export function isOvsDevice(device: NmDevice): boolean {
  return [24, 25, 26].includes(device.type);
}

/** NetworkManager's device of the kernel's one with this name. */
export function nicDevice(name: string, { networkManager }: Pick<Observation, 'networkManager'>): NmDevice | undefined {
  return networkManager.devices.find((entry) => entry.interface === name && !isOvsDevice(entry));
}
