import type { KernelEntries } from './kernel-entries.ts';

/** Keys in the columns external_ids and other_config of a bridge's row (ovs-vswitchd.conf.db(5), Bridge). */
export interface BridgeRow {
  readonly externalIds: Readonly<Record<string, string>>;
  readonly otherConfig: Readonly<Record<string, string>>;
}

/**
 * Bridge in Open vSwitch without a NetworkManager profile and without a NIC; the ports of other programs stay in it.
 * Such a bridge belongs to MicroShift: its own script made it, or the agent left it to MicroShift. A bridge is also in
 * this state while the agent rebuilds it around the ports of other programs.
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
