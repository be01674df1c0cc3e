import { differenceLine } from '../compare/in-words.ts';
import type { Difference } from '../model/plan.ts';
import { joinLines } from './style.ts';

/** A bridge of `bridge add` as `bridge list` shows it. */
export interface BridgeState {
  readonly bridge: string;
  readonly uplink: string;
  /** As `address/prefix`. */
  readonly addresses: readonly string[];
  /** `left-out`: it cannot be had now, which a remark says why. */
  readonly state: 'as-wanted' | 'drift' | 'left-out';
  readonly differences: readonly Difference[];
}

const stateWords = { 'as-wanted': 'as wanted', drift: 'differs', 'left-out': 'left out' } as const;

/** A line per bridge, and below it what differs. */
export function bridgesText(bridges: readonly BridgeState[]): string {
  if (bridges.length === 0) return 'bridge add has made no bridge.';
  const lines = bridges.flatMap(({ bridge, uplink, addresses, state, differences }) => [
    `${bridge.padEnd(15)}  ${uplink.padEnd(15)}  ${stateWords[state].padEnd(9)}  ${addresses.join(' ')}`.trimEnd(),
    ...differences.map((entry) => `  ${differenceLine(entry)}`),
  ]);
  const drifts = bridges.some(({ state }) => state === 'drift');
  return joinLines([...lines, ...(drifts ? ['Mend it with: microshift-net bridge apply'] : [])]);
}
