import type { KernelEntries } from './kernel-entries.ts';

/** Keys of a bridge's row in Open vSwitch. */
export interface BridgeRow {
  readonly externalIds: Readonly<Record<string, string>>;
  readonly otherConfig: Readonly<Record<string, string>>;
}

/**
 * A bridge that stays when ours goes: nobody's in NetworkManager, without a NIC, with these keys and what others have put into it. MicroShift's own
 * script makes one like that; one that is built anew around the ports of others is like that in between.
 */
export interface LeftBridge extends BridgeRow {
  readonly bridge: string;
  /** Whether its own interface is up. */
  readonly up: boolean;
  /** What others have given its interface. */
  readonly entries: KernelEntries;
}
