import type { Encapsulation, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import { podMtuKey } from '../members/announced-direct.ts';
import { type DirectObstacle, directPaths } from './direct-nodes.ts';

/** Range of valid MTUs, in bytes: from the smallest that IPv4 permits to the size of the largest IP packet. */
const mtuRange = { least: 68, most: 65_535 } as const;

/** Decision whether packets between pods of two nodes use direct routes only (`overlay.encapsulation: never`). */
export interface DirectOnly {
  /** True if no packet between pods of two nodes uses a tunnel. */
  readonly isDirectOnly: boolean;
  /**
   * Reasons why pods of two nodes do not reach each other. If `isDirectOnly` is false, reasons why
   * `overlay.encapsulation: never` has no effect yet. Empty with another value of `overlay.encapsulation`.
   */
  readonly obstacles: readonly DirectObstacle[];
}

/** Decision that packets between pods may use tunnels. */
export const withTunnels: DirectOnly = { isDirectOnly: false, obstacles: [] };

/**
 * Decides whether packets between pods use direct routes only. The setting `never` takes effect when every two nodes
 * with pods have a direct route in each address family. Afterwards it stays in effect until the setting changes
 * (`isInEffect`), so that neither a fault of the LAN nor a restart changes the MTU of pods.
 */
export function decideDirectOnly(
  encapsulation: Encapsulation,
  isInEffect: boolean,
  layout: Pick<OverlayLayout, 'naming'>,
  members: readonly OverlayNode[],
): DirectOnly {
  if (encapsulation !== 'never') return withTunnels;
  const found = members
    .flatMap((node) => directPaths(layout, members, node))
    .flatMap(({ obstacle }) => (obstacle === null ? [] : [[obstacle.reason, obstacle] as const]));
  const obstacles = [...new Map(found).values()];
  return { isDirectOnly: isInEffect || obstacles.length === 0, obstacles };
}

/** Returns the reasons of a decision (`obstacles`) as sentences, each with an instruction that removes the reason. */
export function obstacleSentences({ isDirectOnly, obstacles }: DirectOnly): readonly string[] {
  return obstacles.map(({ reason, remedy }) => `${neverMessage(isDirectOnly, reason)}; ${remedy}`);
}

/** Returns a sentence with the reason why pods do not reach each other, or why `never` has no effect. */
export function neverMessage(isDirectOnly: boolean, reason: string): string {
  return isDirectOnly
    ? `pods do not reach each other, because overlay.encapsulation is never: ${reason}`
    : `overlay.encapsulation: never has no effect, because pods would not reach each other: ${reason}`;
}

/** Returns the entry of SB_Global.external_ids that publishes the MTU of pods; no entry if `mtuBytes` is null. */
export function publishedPodMtu(mtuBytes: number | null): Readonly<Record<string, string>> {
  return mtuBytes === null ? {} : { [podMtuKey]: String(mtuBytes) };
}

/**
 * Returns the MTU of pods in bytes, which is published only if packets between pods use direct routes only. Null if it
 * is not published, or if the text is malformed.
 */
export function podMtuIn(ids: Readonly<Record<string, string>>): number | null {
  const value = Number(ids[podMtuKey] ?? Number.NaN);
  return Number.isInteger(value) && value >= mtuRange.least && value <= mtuRange.most ? value : null;
}
