import type { KernelEntries } from './kernel-entries.ts';

/** Where a run notes what others have on the bridges of ours. Gone after a reboot, as what it tells of is. */
export const othersPath = '/run/microshift-net/others.json';

/**
 * What other programs had on a bridge of ours when a run last looked. It belongs to one interface: what is missing on the same one was taken off by its
 * owner, what is missing on another one went with the interface it was on.
 */
export interface OthersRecord {
  readonly bridge: string;
  /** The kernel's number of the bridge's own interface; another one is another interface (ifindex, rtnetlink(7)). */
  readonly index: number;
  readonly entries: KernelEntries;
  /** Ports that are neither the bridge's own nor its uplink's. */
  readonly ports: readonly OthersPort[];
  /** Ports that went with an earlier interface and are still missing. */
  readonly lostPorts: readonly OthersPort[];
}

export interface OthersPort {
  readonly name: string;
  /** True for a device that exists without the bridge: the cable of a virtual machine or of a container. False: `internal`, `patch`. */
  readonly isDevice: boolean;
}

/** What differences of theirs are about. */
export interface OthersDifferenceFields {
  /** An address, route or neighbour that another program gave the bridge's interface, and that went with it. */
  given: { entry: string };
  /** A port of another program's that went with the bridge. */
  'others-port': { device: string };
}
