import { differenceLine } from '../compare/in-words.ts';
import type { Difference } from '../model/plan.ts';
import { joinLines, type Style } from './style.ts';
import { cellsOnly, tableBlocks } from './table.ts';

/** Bridge of `bridge add` as `bridge list` shows it. */
export interface BridgeState {
  readonly bridge: string;
  readonly uplink: string;
  /** Addresses of the bridge as `address/prefix`. */
  readonly addresses: readonly string[];
  /** State of the bridge. `left-out` means that it cannot be created now; a note has the reason. */
  readonly state: 'as-wanted' | 'drift' | 'left-out';
  readonly differences: readonly Difference[];
}

const stateColour = { 'as-wanted': 'green', drift: 'red', 'left-out': 'yellow' } as const;
const stateWords = { 'as-wanted': 'in the desired state', drift: 'differs', 'left-out': 'left out' } as const;

/**
 * Returns a line per bridge, and below it its differences. A header line comes first on a terminal of `width` columns,
 * and is left out if `width` is null, as for a pipe.
 */
export function bridgesText(bridges: readonly BridgeState[], style: Style, width: number | null): string {
  if (bridges.length === 0) return '`bridge add` has made no bridge.';
  const rows = bridges.map(({ bridge, uplink, addresses, state }) =>
    cellsOnly([bridge, uplink, style(stateColour[state], stateWords[state]), addresses.join(' ')]),
  );
  const [head = [], ...blocks] = tableBlocks(['BRIDGE', 'NIC', 'STATE', 'ADDRESSES'], rows, width, style);
  const differences = bridges.map((bridge) => bridge.differences.map((entry) => `  ${differenceLine(entry)}`));
  const drifts = bridges.some(({ state }) => state === 'drift');
  return joinLines([
    ...(width === null ? [] : head),
    ...blocks.flatMap((lines, index) => [...lines, ...(differences[index] ?? [])]),
    ...(drifts ? ['Repair it with: microshift-net bridge apply'] : []),
  ]);
}
