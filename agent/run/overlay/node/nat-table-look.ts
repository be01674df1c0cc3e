import { readNatTable, runNatScript } from '../../../drivers/host/kernel/nat-table.ts';
import { isAgentError } from '../../../errors.ts';
import type { NatTable, SharedBridgeChange } from '../../../model/shared-bridge.ts';
import { natTableName, removeNatTable } from '../../../overlay/services/host-services.ts';

/** Result of a comparison of flows and nftables rules: the differences, and the functions that correct them. */
export interface Look {
  readonly changes: readonly SharedBridgeChange[];
  /** Sentence that says why the flows of the gateway cannot be determined yet; null if they can. */
  readonly fault: string | null;
  readonly carryOut: readonly (() => Promise<void>)[];
}

/** Result of a comparison without differences. */
export const asWanted: Look = { changes: [], fault: null, carryOut: [] };

/** Compares the nftables table of the node with the desired one. */
export async function lookAtTable(wanted: NatTable | null): Promise<Look> {
  const there = await tableThere(wanted !== null);
  const what = `table inet ${natTableName}`;
  if (wanted === null) {
    if (there === null) return asWanted;
    const change = { do: 'remove', what, why: 'the node no longer needs this table' } as const;
    return { changes: [change], fault: null, carryOut: [() => runNatScript(removeNatTable)] };
  }
  if (there?.join('\n') === wanted.lines.join('\n')) return asWanted;
  const change = {
    do: 'add',
    what,
    why: 'this table leads packets of the node to services, and drops forged packets',
  } as const;
  return { changes: [change], fault: null, carryOut: [() => runNatScript(wanted.script)] };
}

/**
 * Reads the agent's nftables table; null if it does not exist. If no table is wanted, a failure of nft(8) counts as no
 * table.
 */
async function tableThere(isWanted: boolean): Promise<readonly string[] | null> {
  try {
    return await readNatTable(natTableName);
  } catch (error) {
    if (!isWanted && isAgentError(error)) return null;
    throw error;
  }
}
