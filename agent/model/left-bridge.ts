import type { KernelEntries } from './kernel-entries.ts';

/** Keys in two map columns of a bridge's row in the Open vSwitch database. */
export interface BridgeRow {
  readonly externalIds: Readonly<Record<string, string>>;
  readonly otherConfig: Readonly<Record<string, string>>;
}

/**
 * A bridge that remains after the agent's bridge is removed: without a NetworkManager profile and without a NIC, with
 * these keys and with the ports that other programs added. MicroShift's own script makes such a bridge. A bridge is
 * also in this state while it is rebuilt around the ports of other programs.
 */
export interface LeftBridge extends BridgeRow {
  readonly bridge: string;
  /** Data path with which the bridge is made again if its row is lost. Absent for the data path of the kernel. */
  readonly datapathType?: string;
  /** True if the bridge's own interface is up. */
  readonly up: boolean;
  /** Entries that other programs added to the bridge's interface. */
  readonly entries: KernelEntries;
}
