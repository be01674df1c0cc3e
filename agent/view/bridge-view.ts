import { differenceLine } from '../compare/in-words.ts';
import type { Difference } from '../model/plan.ts';
import { joinLines } from './style.ts';

/** Bridge of `bridge add` as `bridge list` shows it. */
export interface BridgeState {
  readonly bridge: string;
  readonly uplink: string;
  /** Addresses as `address/prefix`. */
  readonly addresses: readonly string[];
  /** State of the bridge. `left-out` means that it cannot be created now; a note has the reason. */
  readonly state: 'as-wanted' | 'drift' | 'left-out';
  readonly differences: readonly Difference[];
}

const stateWords = { 'as-wanted': 'in the desired state', drift: 'differs', 'left-out': 'left out' } as const;

/** Returns a line per bridge, and below it its differences. */
export function bridgesText(bridges: readonly BridgeState[]): string {
  if (bridges.length === 0) return 'bridge add has made no bridge.';
  const lines = bridges.flatMap(({ bridge, uplink, addresses, state, differences }) => [
    `${bridge.padEnd(15)}  ${uplink.padEnd(15)}  ${stateWords[state].padEnd(9)}  ${addresses.join(' ')}`.trimEnd(),
    ...differences.map((entry) => `  ${differenceLine(entry)}`),
  ]);
  const drifts = bridges.some(({ state }) => state === 'drift');
  return joinLines([...lines, ...(drifts ? ['Repair it with: microshift-net bridge apply'] : [])]);
}
