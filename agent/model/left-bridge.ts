import type { KernelEntries } from './kernel-entries.ts';

/** Keys in the columns external_ids and other_config of a bridge's row (ovs-vswitchd.conf.db(5), Bridge). */
export interface BridgeRow {
  readonly externalIds: Readonly<Record<string, string>>;
  readonly otherConfig: Readonly<Record<string, string>>;
}

/**
 * Bridge that stays in Open vSwitch when the agent gives it up. It has no NetworkManager profile and no NIC. It keeps
 * its external_ids, its other_config, and the ports that other programs added. MicroShift's own script makes such a
 * bridge. A bridge is also in this state while it is rebuilt around the ports of other programs.
 */
export interface LeftBridge extends BridgeRow {
  readonly bridge: string;
  /** Data path with which the bridge is made again if its row is lost. Absent for the data path of the kernel. */
  readonly datapathType?: string;
  /** True if the bridge's internal interface is up. */
  readonly up: boolean;
  /** Entries that other programs added to the bridge's internal interface. */
  readonly entries: KernelEntries;
}
