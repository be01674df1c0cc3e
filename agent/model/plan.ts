import type { AddedBridge } from './added-bridge.ts';
import type { KernelEntries } from './kernel-entries.ts';
import type { BridgeRow, LeftBridge } from './left-bridge.ts';
import type { OthersDifferenceFields } from './others.ts';
import type { ProfileActivation, ProfileName } from './profile-activation.ts';
import type { ProfileSettings } from './settings.ts';

/** Which device carries br-ex, and why. */
export interface UplinkChoice {
  /** null: br-ex without a NIC (`uplink: none`). */
  readonly interface: string | null;
  /** Where the answer came from: `ovn.yaml:3`, `default route`, … */
  readonly source: string;
  /** One line per decision: `key=value` pairs in the order they were decided. */
  readonly trace: readonly string[];
}

/** A profile the node must have: compared field by field, written as a whole. */
export interface WantedProfile {
  readonly id: string;
  readonly uuid: string;
  readonly settings: ProfileSettings;
}

/** What one gateway bridge must look like once a run has ended well. Plain JSON, kept in the journal. */
export interface WantedBridge {
  readonly bridge: string;
  /** null: no NIC in the bridge. */
  readonly uplink: {
    readonly interface: string;
    /** The admin's own profile, which the NIC goes on running without its IP settings. */
    readonly sourceProfile: string;
    readonly sourceProfileId: string;
  } | null;
  readonly mac: string;
  readonly profiles: readonly WantedProfile[];
  /** What others had given its interface, which goes with it. Absent: nothing. */
  readonly foreign?: KernelEntries;
  /** Of its addresses those that lo has, too (`address/prefix`), for MicroShift, which passes br-ex over. Absent: none. */
  readonly loopback?: readonly string[];
  /** MicroShift has to be led to lo, because it would take another address of the bridge first (signpost.ts). Absent: it has not. */
  readonly signpost?: true;
}

/** The state a run aims at: these bridges, no others of ours. */
export interface Wanted {
  readonly bridges: readonly WantedBridge[];
  /** Bridges that are MicroShift's own, then. Absent: none has to be. */
  readonly microshift?: readonly LeftBridge[];
  /** What is asked for by `bridge add` from then on, also at the next boot. Absent: a run has nothing to do with it, or there was nothing. */
  readonly added?: readonly AddedBridge[];
  /** Entries that other programs had added to NICs outside of the agent's bridges, in an earlier state. Absent if no such entries existed. */
  readonly given?: readonly KernelEntries[];
}

/** Addresses and default gateways that move from one interface to another; they must be there when the plan has run. */
export interface MovedAddresses {
  /** Where they shall be: the bridge. */
  readonly interface: string;
  /** Where they were when the plan was made. */
  readonly from: string;
  readonly addresses: readonly string[];
  readonly defaultGateways: readonly string[];
  /** How long the device may carry nothing after it came up (LACP, spanning tree). Absent: it carries at once. */
  readonly settlesMs?: number;
}

/** Addresses of one link, as `address/prefix`. */
export interface LinkAddresses {
  readonly interface: string;
  readonly addresses: readonly string[];
}

/** Arguments of every kind of step; Step and the executors are derived from this, so that none can be forgotten. */
export interface StepArguments {
  /** Adds profiles in memory that do not connect by themselves, and replaces the settings of those that are there, without applying them. */
  writeProfiles: { profiles: readonly WantedProfile[] };
  /**
   * Deletes profiles, waits until nothing runs them any more, and removes bridges that no profile runs on. `left`: bridges that stay with what others
   * put into them, or are made where there is none.
   */
  deleteProfiles: { profiles: readonly ProfileName[]; bridges: readonly string[]; left?: readonly LeftBridge[] };
  /** Activates profiles side by side and waits until all are active. */
  activate: { profiles: readonly ProfileActivation[] };
  /** Makes or removes the default route by which MicroShift finds the node on lo (signpost.ts). */
  signpost: { wanted: 'present' | 'absent' };
  /** Waits until the interface has these addresses and they can be bound: duplicate address detection is over. */
  waitAddresses: { interface: string; addresses: readonly string[]; limitMs: number };
  /**
   * Gives an interface addresses, routes and neighbours in the kernel, beside what NetworkManager configures, and takes addresses off it.
   * `required`: the first that the kernel refuses fails the step; else it is left out. `from`: has had them, and keeps the addresses until it is configured.
   */
  changeKernel: { entries: KernelEntries; removed?: readonly string[]; from?: string; required: boolean };
  /**
   * Makes NetworkManager take over a bridge that is there, with everything in it: its rows get the marks of these profiles (UUIDs), its
   * device is managed from then on. Nothing of it is configured before the profiles are activated. `row`: keys that the bridge of somebody
   * else lacks, and NetworkManager would have written if it had made it. `renewed`: the bridge's own interface is made anew first.
   */
  claimBridge: { bridge: string; profiles: BridgeMarks; row?: BridgeRow; renewed?: true };
  /**
   * Adds the NIC to the bridge in one OVSDB transaction; its profile stays active. `userspace`: also keeps the node's own IP stack from answering.
   */
  attachUplink: { bridge: string; interface: string; userspace?: true };
  /** Takes the IP settings off what the NIC runs, in place; link settings and profile stay. `profile`: one to start first; null: it runs its own. */
  clearUplink: { interface: string; profile: ProfileName | null };
  /**
   * Configures the NIC by its own profile again while it still carries the bridge, gives it the node's addresses and routes, and only then
   * takes it out of the bridge. `activate`: it runs another profile, so its own is started.
   */
  detachUplink: {
    bridge: string;
    interface: string;
    profile: ProfileName;
    activate: boolean;
    /** Profiles of the bridge that NetworkManager must not start by itself while the NIC's own is started; absent: none is. */
    blocked?: readonly ProfileName[];
    /** The bridge has it from the NIC; a bond that is started anew takes that of whichever port comes first. null: there is no bridge. */
    mac: string | null;
    addresses: readonly string[];
    routes: readonly HeldRoute[];
    metric: number;
  };
  /** Waits until the NIC has routes of its own to these destinations, then removes those that detachUplink added. */
  releaseRoutes: { interface: string; destinations: readonly string[]; routes: readonly HeldRoute[]; metric: number };
  /** Changes the configuration of an active profile's device in place; null: to what the profile says. */
  reapply: { id: string; uuid: string; settings: ProfileSettings | null };
  /** Waits for a DHCPv4 lease, and for an advertised IPv6 default route with this metric; `heldMetric`: of routes that go then. null: none. */
  waitDynamic: {
    id: string;
    uuid: string;
    interface: string;
    lease: boolean;
    ipv6DefaultMetric: number | null;
    heldMetric: number | null;
  };
}

/** UUIDs of the profiles that a bridge, its port and its own interface belong to. */
export interface BridgeMarks {
  readonly bridge: string;
  readonly port: string;
  readonly interface: string;
}

/** A route that stands in for one NetworkManager will bring. */
export interface HeldRoute {
  /** CIDR; a default route is 0.0.0.0/0 or ::/0. */
  readonly destination: string;
  /** null: on-link. */
  readonly gateway: string | null;
}

export type StepKind = keyof StepArguments;

export type { ProfileActivation, ProfileName };

/** One step of a plan: what it does, to what, and why. */
export type Step = { [K in StepKind]: { readonly do: K; readonly why: string } & Readonly<StepArguments[K]> }[StepKind];

/** A remark for the admin: a setting that cannot move, a number that should change. */
export interface PlanNote {
  readonly level: 'info' | 'warning';
  readonly message: string;
}

export interface Plan {
  readonly outcome: 'unchanged' | 'change';
  readonly choice: UplinkChoice | null;
  readonly wanted: Wanted;
  /** What moves. The name is in journals and in JSON output, so it stays. */
  readonly carried: readonly MovedAddresses[];
  /** Addresses of every link the plan touches, as they are now: what a rollback must bring back. */
  readonly before: readonly LinkAddresses[];
  /** Why the node is not as wanted now; empty when nothing is to do. */
  readonly differences: readonly NetworkDifference[];
  readonly steps: readonly Step[];
  readonly notes: readonly PlanNote[];
  /** Longest expected silence, per measurement of this kind of move. */
  readonly outage: { readonly expectedMs: number; readonly why: string };
}

/** One observed difference from the wanted state, in words. */
export interface Difference {
  /** What differs: `profile ovs-if-br-ex ipv4.method`, `bridge br-ex port eth0`, … */
  readonly subject: string;
  readonly wanted: string;
  readonly observed: string;
}

/** What every kind of difference of a bridge is about. */
export interface DifferenceFields extends OthersDifferenceFields {
  /** A profile is missing. */
  profile: { profile: string };
  /** A profile does not run. */
  active: { profile: string };
  /** A property has another value; null: none. */
  setting: { profile: string; setting: string; key: string };
  /** An address of the bridge that lo lacks, or has and need not have. */
  loopback: { address: string };
  /** The default route by which MicroShift finds the node on lo is missing, or there and not needed. */
  signpost: Record<never, never>;
  /** A profile is there and not wanted, or not wanted on disk. */
  leftover: { profile: string; uuid: string; onDisk: boolean };
  /** The bridge is missing. */
  bridge: Record<never, never>;
  /** The row of the bridge names another profile (UUID) than ours; null: none. */
  owner: Record<never, never>;
  /** The bridge is there and not wanted. */
  surplus: Record<never, never>;
  /** The uplink is not in the bridge. */
  port: { device: string };
  /** Open vSwitch has an error for the uplink. */
  'port-error': { device: string };
  /** Another device than the uplink is in the bridge. */
  'foreign-device': { device: string };
  /** The bridge has another MAC; null: it has no link. */
  mac: Record<never, never>;
  /** The bridge lacks an address that its profile sets. */
  address: { address: string };
  /** The uplink has IP settings where it must have none; `configuring`: they are on their way. `others`: they are all of other programs. */
  'uplink-configured': { device: string; others?: true };
  /** The uplink runs no profile. */
  'uplink-inactive': { device: string };
}

export type DifferenceKind = keyof DifferenceFields;

/** A difference as planning reads it: decisions follow from its fields. compare/in-words.ts has the words for people. */
export type NetworkDifference = {
  [K in DifferenceKind]: {
    readonly bridge: string;
    readonly kind: K;
    /** A value or a word; null: there is to be nothing. */
    readonly wanted: string | null;
    /** The same; null: there is nothing. */
    readonly observed: string | null;
  } & Readonly<DifferenceFields[K]>;
}[DifferenceKind];
