import type { AddedBridge } from './added-bridge.ts';
import type { KernelEntries } from './kernel-entries.ts';
import type { BridgeRow, LeftBridge } from './left-bridge.ts';
import type { OthersDifferenceFields } from './others.ts';
import type { ProfileActivation, ProfileName } from './profile-activation.ts';
import type { ProfileSettings } from './profile-settings.ts';

/** Uplink of br-ex, with the reason for its choice. */
export interface UplinkChoice {
  /** Name of the device; null for br-ex without a NIC (`uplink: none`). */
  readonly interface: string | null;
  /** Source of the choice: `ovn.yaml:3`, `default route`, … */
  readonly source: string;
  /** Trace of the choice: one line of `key=value` pairs per decision, in the order of the decisions. */
  readonly trace: readonly string[];
}

/** A profile that the node must have. It is compared field by field and written as a whole. */
export interface WantedProfile {
  readonly id: string;
  readonly uuid: string;
  readonly settings: ProfileSettings;
}

/** Desired state of one external bridge after a successful run. Plain JSON, which is stored in the journal. */
export interface WantedBridge {
  readonly bridge: string;
  /** NIC of the bridge; null for a bridge without a NIC. */
  readonly uplink: {
    readonly interface: string;
    /** The administrator's own profile, which stays active on the NIC without its IP settings. */
    readonly sourceProfile: string;
    readonly sourceProfileId: string;
  } | null;
  readonly mac: string;
  readonly profiles: readonly WantedProfile[];
  /** Entries that other programs had added to the bridge's interface, and that are lost with it. Absent if empty. */
  readonly foreign?: KernelEntries;
  /**
   * Addresses of the bridge (`address/prefix`) that lo needs as well, because MicroShift ignores br-ex. Absent if
   * empty.
   */
  readonly loopback?: readonly string[];
  /**
   * True if the default route of signpost.ts must lead MicroShift to lo, because MicroShift would otherwise find
   * another address of the bridge first.
   */
  readonly signpost?: true;
}

/** Desired state of a run: these bridges of the agent, and no others. */
export interface Wanted {
  readonly bridges: readonly WantedBridge[];
  /** Bridges that belong to MicroShift after the run. Absent if empty. */
  readonly microshift?: readonly LeftBridge[];
  /**
   * List of the bridges of `bridge add` after the run, which also applies at later boots. Absent if the run does not
   * write the list. In a record of the state before a run, the list as it was then; absent if it was empty.
   */
  readonly added?: readonly AddedBridge[];
  /**
   * Entries that other programs had added to NICs outside of the agent's bridges when the state was recorded. Absent if
   * no such entries existed.
   */
  readonly given?: readonly KernelEntries[];
}

/**
 * Addresses and default gateways that move from one interface to another. They must be present after the plan has run.
 */
export interface MovedAddresses {
  /** Interface to which the addresses move: the bridge, or the NIC of a bridge that is removed. */
  readonly interface: string;
  /** Interface that had the addresses when the plan was made. */
  readonly from: string;
  readonly addresses: readonly string[];
  readonly defaultGateways: readonly string[];
  /**
   * Time in ms in which the interface may carry no traffic after it came up (LACP, spanning tree). Absent if it carries
   * traffic at once.
   */
  readonly settlesMs?: number;
}

/** Addresses of one link, as `address/prefix`. */
export interface LinkAddresses {
  readonly interface: string;
  readonly addresses: readonly string[];
}

/**
 * Arguments of every kind of step. The type Step and the types of the functions that execute steps are derived from
 * this type, so that the compiler finds a missing kind.
 */
export interface StepArguments {
  /**
   * Adds profiles that are only in memory and do not connect by themselves. Replaces the settings of existing profiles
   * without applying them.
   */
  writeProfiles: { profiles: readonly WantedProfile[] };
  /**
   * Deletes profiles and waits until they are inactive. `bridges`: bridges without an active profile, which
   * NetworkManager does not remove with their profiles, and which the step removes itself. `left`: bridges that remain
   * with the ports of other programs; such a bridge is made again if its row is lost.
   */
  deleteProfiles: { profiles: readonly ProfileName[]; bridges: readonly string[]; left?: readonly LeftBridge[] };
  /** Activates profiles in parallel and waits until all are active. */
  activate: { profiles: readonly ProfileActivation[] };
  /** Makes or removes the default route by which MicroShift finds the node on lo (signpost.ts). */
  signpost: { wanted: 'present' | 'absent' };
  /**
   * Waits until an interface has all of `addresses` and their duplicate address detection has ended, so that a program
   * can bind them.
   */
  waitAddresses: { interface: string; addresses: readonly string[]; limitMs: number };
  /**
   * Adds addresses, routes, neighbours and routing rules to an interface in the kernel, beside NetworkManager's
   * configuration, and removes addresses from the interface. If `required` is true, the first entry that the kernel
   * rejects fails the step; otherwise the entry is left out. `from` is the interface that had the entries; it keeps the
   * addresses until `interface` is configured.
   */
  changeKernel: { entries: KernelEntries; removed?: readonly string[]; from?: string; required: boolean };
  /**
   * Makes NetworkManager manage an existing bridge with all its ports: the bridge's rows get the UUIDs of these
   * profiles, and its device becomes managed. NetworkManager configures nothing before the profiles are activated.
   * `row`: keys that NetworkManager would have written into the bridge's row if it had made the bridge. `renewed`: the
   * bridge's internal interface is made again first.
   */
  claimBridge: { bridge: string; profiles: BridgeMarks; row?: BridgeRow; renewed?: true };
  /**
   * Adds the NIC to the bridge in one OVSDB transaction; the NIC's profile stays active. `userspace`: the step also
   * keeps the node's own IP stack from answering on the NIC.
   */
  attachUplink: { bridge: string; interface: string; userspace?: true };
  /**
   * Removes the IP settings from the NIC's active connection in place. `profile`: the NIC's own profile, which is
   * activated first; null if it is active already.
   */
  clearUplink: { interface: string; profile: ProfileName | null };
  /**
   * Configures the NIC with its own profile while the NIC is still a port of the bridge, adds the node's addresses and
   * routes to the NIC, and only then removes the NIC from the bridge. `activate` is true if the NIC's own profile has
   * to be activated, because another profile is active on the NIC.
   */
  detachUplink: {
    bridge: string;
    interface: string;
    profile: ProfileName;
    activate: boolean;
    /**
     * Profiles of the bridge that NetworkManager must not activate while the NIC's own profile is activated. Absent if
     * empty.
     */
    blocked?: readonly ProfileName[];
    /**
     * MAC of the NIC and the bridge, which the step sets on the NIC again: a bond that is activated again would take
     * the MAC of its first port. Null if the NIC is not a port of the bridge, or the bridge has no known MAC.
     */
    mac: string | null;
    addresses: readonly string[];
    routes: readonly HeldRoute[];
    metric: number;
  };
  /**
   * Waits until a NIC has its own routes to all of `destinations`, then removes the routes that the step detachUplink
   * added.
   */
  releaseRoutes: { interface: string; destinations: readonly string[]; routes: readonly HeldRoute[]; metric: number };
  /**
   * Changes the configuration of an active profile's device in place; null `settings` restore the values of the
   * profile.
   */
  reapply: { id: string; uuid: string; settings: ProfileSettings | null };
  /**
   * Waits for a DHCPv4 lease if `lease` is true. Unless `ipv6DefaultMetric` is null, waits for an advertised IPv6
   * default route with this metric. Unless `heldMetric` is null, the routes with that metric are removed afterwards.
   */
  waitDynamic: {
    id: string;
    uuid: string;
    interface: string;
    lease: boolean;
    ipv6DefaultMetric: number | null;
    heldMetric: number | null;
  };
}

/** UUIDs of the profiles to which a bridge, its port and its internal interface belong. */
export interface BridgeMarks {
  readonly bridge: string;
  readonly port: string;
  readonly interface: string;
}

/** A route that the agent adds until NetworkManager has added its own. */
export interface HeldRoute {
  /** Destination in CIDR notation; a default route is 0.0.0.0/0 or ::/0. */
  readonly destination: string;
  /** Next hop; null if the route is on-link. */
  readonly gateway: string | null;
}

export type StepKind = keyof StepArguments;

export type { ProfileActivation, ProfileName };

/** Step of a plan: its kind, its arguments and its reason. */
export type Step = { [K in StepKind]: { readonly do: K; readonly why: string } & Readonly<StepArguments[K]> }[StepKind];

/** A remark for the administrator, such as a setting that cannot move to the bridge, or a value that should change. */
export interface PlanNote {
  readonly level: 'info' | 'warning';
  readonly message: string;
}

/** Expected time without traffic, with its reason. */
export interface Outage {
  readonly expectedMs: number;
  readonly why: string;
}

export interface Plan {
  readonly outcome: 'unchanged' | 'change';
  readonly choice: UplinkChoice | null;
  readonly wanted: Wanted;
  /**
   * Addresses and default gateways that move to another interface. The name of this field, `carried`, cannot be
   * changed, because journals and JSON output contain it.
   */
  readonly carried: readonly MovedAddresses[];
  /** Current addresses of every link that the plan changes. A rollback must restore them. */
  readonly before: readonly LinkAddresses[];
  /** Differences between the node and the desired state; empty if there is nothing to do. */
  readonly differences: readonly NetworkDifference[];
  readonly steps: readonly Step[];
  readonly notes: readonly PlanNote[];
  /** Longest expected outage of a step, as measured on a test node. */
  readonly outage: Outage;
}

/** Observed difference from the desired state, in words. */
export interface Difference {
  /** Object and field that differ: `profile ovs-if-br-ex ipv4.method`, `bridge br-ex port eth0`, … */
  readonly subject: string;
  readonly wanted: string;
  readonly observed: string;
}

/** Fields of each kind of difference between a bridge and its desired state. */
export interface DifferenceFields extends OthersDifferenceFields {
  /** A profile is missing. */
  profile: { profile: string };
  /** A profile is not active. */
  active: { profile: string };
  /** A property has another value; `observed` is null if the property is not set. */
  setting: { profile: string; setting: string; key: string };
  /** lo lacks an address of the bridge, or has one that it does not need. */
  loopback: { address: string };
  /** The default route by which MicroShift finds the node on lo is missing, or is present without need. */
  signpost: Record<never, never>;
  /** A profile exists that is not desired, or that is on disk although it has to be in memory only. */
  leftover: { profile: string; uuid: string; onDisk: boolean };
  /** The bridge is missing. */
  bridge: Record<never, never>;
  /**
   * The row of the bridge does not name the agent's profile. `observed` is the UUID that the row has; null if the row
   * has no UUID.
   */
  owner: Record<never, never>;
  /** The bridge exists and is not desired. */
  surplus: Record<never, never>;
  /** The uplink is not in the bridge. */
  port: { device: string };
  /** Open vSwitch has an error for the uplink. */
  'port-error': { device: string };
  /** A device other than the uplink is in the bridge. */
  'foreign-device': { device: string };
  /** The bridge has another MAC; `observed` is null if the bridge has no link. */
  mac: Record<never, never>;
  /** The bridge lacks an address that its profile sets. */
  address: { address: string };
  /** The uplink has IP settings, or is getting them (`configuring`). `others`: all of them belong to other programs. */
  'uplink-configured': { device: string; others?: true };
  /** The uplink has no active profile. */
  'uplink-inactive': { device: string };
}

export type DifferenceKind = keyof DifferenceFields;

/**
 * A difference in the form that planning reads: decisions follow from its fields. compare/in-words.ts has the texts for
 * the user.
 */
export type NetworkDifference = {
  [K in DifferenceKind]: {
    readonly bridge: string;
    readonly kind: K;
    /** Desired value, or a word such as `present`; null if no value is desired. */
    readonly wanted: string | null;
    /** Observed value, or a word such as `absent`; null if no value was observed. */
    readonly observed: string | null;
  } & Readonly<DifferenceFields[K]>;
}[DifferenceKind];
