import type { ProfileSettings } from './settings.ts';

/** One remark of a decision: `key=value` pairs in the order they were decided, one line per decision. */
export type TraceLine = string;

/** Which device carries br-ex, and why. */
export interface UplinkChoice {
  /** null: br-ex without a NIC (`uplink: none`). */
  readonly interface: string | null;
  /** Where the answer came from: `ovn.yaml:3`, `default route`, … */
  readonly source: string;
  readonly trace: readonly TraceLine[];
}

/** A profile the node must have: compared field by field, written as a whole. */
export interface WantedProfile {
  readonly id: string;
  readonly uuid: string;
  readonly settings: ProfileSettings;
  /** The profile of a port: without a cable it waits, which is no fault. */
  readonly mayWait?: true;
  /** UUID of the profile whose secrets go into this one when it is written. They are in no plan. */
  readonly secretsFrom?: string;
}

/** What one gateway bridge must look like once a run has ended well. Plain JSON, kept in the journal. */
export interface WantedBridge {
  readonly bridge: string;
  /** null: no NIC in the bridge. */
  readonly uplink: WantedUplink | null;
  readonly mac: string;
  readonly profiles: readonly WantedProfile[];
}

export interface WantedUplink {
  readonly interface: string;
  /** The admin's own profile, which comes back when the NIC is given back. */
  readonly sourceProfile: string;
  readonly sourceProfileId: string;
}

/** The state a run aims at: these bridges, no others of ours. */
export interface Wanted {
  readonly bridges: readonly WantedBridge[];
}

/** Addresses and routes a device had when the plan was made; they must still be there when it has run. */
export interface Carried {
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

/** A link that a change touches, as it was before. */
export interface LinkBefore extends LinkAddresses {
  /** MAC it had from one of its ports, and may get from another one when they come back; absent: it is its own. */
  readonly mac?: string;
}

/** Arguments of every kind of step; Step and the executors are derived from this, so that none can be forgotten. */
export interface StepArguments {
  /** Adds profiles in memory that do not connect by themselves. */
  addProfiles: { profiles: readonly WantedProfile[] };
  /** Replaces the settings of profiles without applying them. */
  updateProfiles: { profiles: readonly WantedProfile[]; storage: 'memory' | 'disk' };
  /** The same, after the proof: from now on the profiles connect by themselves. */
  commitProfiles: { profiles: readonly WantedProfile[]; storage: 'memory' | 'disk' };
  deleteProfiles: { profiles: readonly ProfileName[] };
  /**
   * Activates profiles side by side and waits until all are active. `ports` are those of the (one) profile's device: started in the
   * same instant, so that NetworkManager does not put them back by itself; one that comes up is enough.
   */
  activate: { profiles: readonly ProfileActivation[]; ports?: readonly ProfileActivation[] };
  /**
   * Waits some seconds for LACP to agree on the ports of a bond: a switch that sees ports come and go while it negotiates may shut
   * them down. Goes on without, because a switch that never agrees carried the node so far.
   */
  waitLacp: { interface: string };
  /** Waits until every address on the interface can be bound: duplicate address detection is over. */
  waitBindable: { interface: string; addresses: readonly string[] };
  /** Gives the interface IPv6 addresses and default routes beside what NetworkManager configures, until that has arrived. */
  holdIpv6: { interface: string; addresses: readonly string[]; gateways: readonly string[]; metric: number };
  /** Removes the default routes of holdIpv6; the addresses are the advertised ones by now. */
  releaseIpv6: { interface: string; gateways: readonly string[]; metric: number };
  /** Puts the NIC into the bridge in one OVSDB transaction, as rows that NetworkManager takes for its own. */
  attachUplink: {
    bridge: string;
    interface: string;
    portProfile: string;
    interfaceProfile: string;
    /** Started right after the uplink's profile; waited for by the step that activates that one. */
    ports?: readonly ProfileActivation[];
  };
  /**
   * Starts the admin's profile on the NIC while it still carries the bridge, gives the NIC the node's addresses and routes, and only then
   * takes it out of the bridge. The activation goes on; `activate` waits for it.
   */
  returnUplink: {
    bridge: string;
    /** UUID of the bridge's profile, and the external id that keeps it while NetworkManager is not to see it. */
    bridgeProfile: string;
    markKey: string;
    interface: string;
    /** Of the bridge, which had it from the NIC. */
    mac: string;
    profile: ProfileName;
    /** Started right after it; waited for by the step that activates it. */
    ports?: readonly ProfileActivation[];
    addresses: readonly string[];
    routes: readonly HeldRoute[];
    metric: number;
  };
  /** Gives NetworkManager back a bridge that a run which died in returnUplink has hidden from it. */
  reclaimBridge: { bridge: string; markKey: string };
  /** Waits until the NIC has routes of its own to these destinations, beside the held ones with this metric. */
  waitRoutes: { interface: string; destinations: readonly string[]; heldMetric: number };
  /** Removes the routes that returnUplink added. */
  releaseRoutes: { interface: string; routes: readonly HeldRoute[]; metric: number };
  /** Changes the configuration of an active profile's device in place; null: to what the profile says. */
  reapply: { id: string; uuid: string; settings: ProfileSettings | null };
  /** Waits for a DHCPv4 lease, and for an advertised IPv6 default route with this metric (null: for none). */
  waitDynamic: { id: string; uuid: string; interface: string; lease: boolean; ipv6DefaultMetric: number | null };
  /** Waits until the interface has these addresses and they can be bound. */
  waitAddresses: { interface: string; addresses: readonly string[] };
  /** Removes bridge rows that belong to no profile any more. */
  removeBridges: { bridges: readonly string[] };
}

/** A route that stands in for one NetworkManager will bring. */
export interface HeldRoute {
  /** CIDR; a default route is 0.0.0.0/0 or ::/0. */
  readonly destination: string;
  /** null: on-link. */
  readonly gateway: string | null;
}

export interface ProfileName {
  readonly id: string;
  readonly uuid: string;
}

export interface ProfileActivation extends ProfileName {
  /** Device to activate it on; null: NetworkManager makes or finds it. */
  readonly interface: string | null;
}

export type StepKind = keyof StepArguments;

/** One step of a plan: what it does, to what, and why. */
export type Step = { [K in StepKind]: { readonly do: K; readonly why: string } & Readonly<StepArguments[K]> }[StepKind];

export interface PredictedOutage {
  /** Longest expected silence in milliseconds, per measurement of this kind of move. */
  readonly expectedMs: number;
  readonly why: string;
}

/** A remark for the admin: a setting that cannot move, a number that should change. */
export interface PlanNote {
  readonly level: 'info' | 'warning';
  readonly message: string;
}

export interface Plan {
  readonly outcome: 'unchanged' | 'change';
  readonly choice: UplinkChoice | null;
  readonly wanted: Wanted;
  readonly carried: readonly Carried[];
  /** Addresses of every link the plan touches, as they are now: what a rollback must bring back. */
  readonly before: readonly LinkBefore[];
  /** Why the node is not as wanted now; empty when nothing is to do. */
  readonly differences: readonly Difference[];
  readonly steps: readonly Step[];
  readonly notes: readonly PlanNote[];
  readonly outage: PredictedOutage;
}

/** One observed difference from the wanted state. */
export interface Difference {
  /** What differs: `profile ovs-if-br-ex ipv4.method`, `bridge br-ex port eth0`, … */
  readonly subject: string;
  readonly wanted: string;
  readonly observed: string;
}

/** The port of a NIC that is in a bridge where it must not be. */
export interface StrayPort {
  readonly bridge: string;
  /** External id that keeps the bridge's owner while it is borrowed. */
  readonly markKey: string;
  readonly port: string;
  /** UUID of the profile that the NIC runs as a port. */
  readonly profile: string;
}
