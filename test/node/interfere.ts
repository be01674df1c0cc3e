// Run of `apply` during which an event happens, and the assertions about the result.
import type { Test } from 'tap';
import { armFault, letGoOfRun } from './armed-fault.ts';
import type { RunningCommand } from './command.ts';
import { pointAfter, pointsOf } from './faults/points.ts';
import type { TestNode } from './node.ts';
import { type Picture, pictureLike } from './picture.ts';
import { answersAgain } from './reachability.ts';

export const apply = 'microshift-net apply';
/**
 * Actions of a run after which the run can be held, in the words of pointsOf(). An event without a hold might come too
 * late, because a run takes less than a second.
 */
export const afterStep = {
  profiles: 'writeProfiles',
  bridge: 'activate ovs-port-br-ex',
  attach: 'attachUplink',
  move: 'clearUplink',
  settings: 'writeProfiles ovs-if-br-ex',
};
/** Output of a run that is held at a point. */
export const held = 'armed fault: held';
const address = '192.0.2.50';

export interface Interfered {
  exitCode: number | null;
  signal: string | null;
  stderr: string;
  interferedAt: number;
  endedAfterMs: number;
}

/** Arms a fault point, so that the next run is held after this action until letGo(). */
export async function holdAfter(node: TestNode, done: string): Promise<void> {
  await armFault(node, pointAfter(await pointsOf(node), done), 'hold');
}

export async function letGo(node: TestNode): Promise<void> {
  await node.text(letGoOfRun);
}

/** Starts `apply`, and calls `act` when the run is held after the action `done`. */
export async function interfered(
  node: TestNode,
  done: string,
  act: (command: RunningCommand) => Promise<unknown>,
  env: Record<string, string> = {},
): Promise<Interfered> {
  await holdAfter(node, done);
  return interferedHere(node, act, env);
}

/** Starts `apply`, calls `act` when the run is held at a point that is armed already, and waits for the run's end. */
export async function interferedHere(
  node: TestNode,
  act: (command: RunningCommand) => Promise<unknown>,
  env: Record<string, string> = {},
): Promise<Interfered> {
  const command = node.start(apply, { timeoutMs: 180_000, env });
  await command.saw(held);
  const interferedAt = await node.now();
  await act(command);
  await letGo(node);
  const { exitCode, signal, stderr, endedAt } = await command.ended;
  return { exitCode, signal, stderr, interferedAt, endedAfterMs: Math.round(endedAt - interferedAt) };
}

/** Asserts that the node returns to its previous state, and that its address answers again. */
export async function isOld(t: Test, node: TestNode, old: Picture, since: number): Promise<void> {
  t.strictSame(await pictureLike(node, old), old, 'the node is as it was');
  await answersAgain(t, node, since, address);
}

export async function giveBack(t: Test, node: TestNode, old: Picture): Promise<void> {
  const run = await node.run('microshift-net disable');
  t.equal(run.exitCode, 0, run.stderr);
  t.strictSame(await pictureLike(node, old), old, 'disable brings the old state back');
}

/** Shell text that waits until no transaction is open. */
export const untilRolledBack =
  "timeout 90 sh -c 'while ls /var/lib/microshift-net/tx/*.open > /dev/null 2>&1; do sleep 0.5; done'";

/** Waits until no transaction is open. */
export async function isRolledBack(node: TestNode): Promise<void> {
  await node.text(untilRolledBack);
}
