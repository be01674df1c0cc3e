import type { KernelEntries } from './kernel-entries.ts';

/**
 * File in which a run records what other programs have on the agent's bridges. The file is lost at a reboot, like the
 * entries that it records.
 */
export const othersPath = '/run/microshift-net/others.json';

/** File with the seconds since the boot, which no change of the clock affects (proc(5)). */
export const uptimePath = '/proc/uptime';

/**
 * Entries and ports that other programs had on one of the agent's bridges at the last run. They belong to the internal
 * interface that the bridge had at that time. An entry that is missing on the same interface was removed by another
 * program. An entry that is missing on a new interface was lost with the old interface.
 */
export interface OthersRecord {
  readonly bridge: string;
  /**
   * Index of the bridge's internal interface (ifindex, rtnetlink(7)). Another index means that the interface was made
   * again.
   */
  readonly index: number;
  readonly entries: KernelEntries;
  /**
   * Time at which the lifetimes of the entries were read, in seconds after the boot (proc(5), uptime). Absent if no
   * entry has a lifetime.
   */
  readonly uptimeSeconds?: number;
  /** Ports of the bridge, except those of its internal interface and of its uplink. */
  readonly ports: readonly OthersPort[];
  /** Ports that were lost with an earlier interface and are still missing. */
  readonly lostPorts: readonly OthersPort[];
}

export interface OthersPort {
  readonly name: string;
  /**
   * True for a device that exists without the bridge, such as a virtual machine's tap or a container's veth. False for
   * an interface that Open vSwitch itself makes, such as one of type `internal` or `patch`.
   */
  readonly isDevice: boolean;
}

/** Fields of the differences that concern entries and ports of other programs, by kind of difference. */
export interface OthersDifferenceFields {
  /**
   * An address, route or neighbour that another program added to the bridge's interface, and that was lost with the
   * interface.
   */
  given: { entry: string };
  /** A port of another program that was lost with the bridge. */
  'others-port': { device: string };
}
