import type { PendingChange } from '../compare/pending-change.ts';
import type { Style } from './style.ts';
import { clockTime, relativeTime } from './time.ts';

/**
 * Returns the lines about a change that waits for confirmation: its deadline and the two commands that end the wait.
 * For a change that was not confirmed in time, the lines have the command that records the end of the change. Returns
 * an empty list if no change waits.
 */
export function pendingLines(pending: PendingChange | null, nowMs: number, style: Style): readonly string[] {
  if (pending === null) return [];
  const { id, command, confirmUntil, state } = pending;
  if (state === 'expired') {
    const reverted = `Transaction ${id} (${command}) was not confirmed in time: NetworkManager has rolled it back.`;
    return [style('yellow', reverted), 'Record its end with: microshift-net recover'];
  }
  const until = confirmUntil === null ? '' : ` until ${clockTime(confirmUntil)}${leftText(confirmUntil, nowMs)}`;
  return [
    style('yellow', `Transaction ${id} (${command}) waits for confirmation${until}; then it is rolled back.`),
    'Keep it with: microshift-net confirm',
    'Roll it back now with: microshift-net undo',
  ];
}

function leftText(until: string, nowMs: number): string {
  const untilMs = Date.parse(until);
  return untilMs > nowMs ? ` (${relativeTime(untilMs, nowMs)})` : '';
}
