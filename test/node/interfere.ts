// A run of apply that something happens to in the middle, and what must hold afterwards.
import type { Test } from 'tap';
import type { RunningCommand } from './command.ts';
import type { TestNode } from './node.ts';
import { type Picture, pictureLike } from './picture.ts';

export const apply = 'microshift-net apply';
/** What it prints when a step is done: the next one has just begun. */
export const afterStep = {
  profiles: 'add the profiles',
  bridge: 'activate ovs-port-br-ex',
  attach: 'attach eth0 to br-ex',
  move: 'activate ovs-if-phys0',
  settings: 'update the profiles',
};
// The promise: reachable again by itself after the agent was killed.
const recoverLimitMs = 15_000;
const address = '192.0.2.50';

export interface Interfered {
  exitCode: number | null;
  signal: string | null;
  stderr: string;
  interferedAt: number;
  endedAfterMs: number;
}

/** Starts apply and does something to it, or to what it needs, as soon as it says this. */
export async function interfered(
  node: TestNode,
  text: string,
  act: (command: RunningCommand) => Promise<unknown>,
  env: Record<string, string> = {},
): Promise<Interfered> {
  const command = node.start(apply, { timeoutMs: 180_000, env });
  await command.saw(text);
  const interferedAt = await node.now();
  await act(command);
  const { exitCode, signal, stderr, endedAt } = await command.ended;
  return { exitCode, signal, stderr, interferedAt, endedAfterMs: Math.round(endedAt - interferedAt) };
}

/** Asserts that the node becomes what it was, without a silence longer than the limit. */
export async function isOld(
  t: Test,
  node: TestNode,
  old: Picture,
  since: number,
  limitMs = recoverLimitMs,
): Promise<void> {
  t.strictSame(await pictureLike(node, old, 45_000), old, 'the node is as it was');
  const outage = (await node.outages(since, await node.now()))[address];
  t.comment(`away for ${outage?.longestMs} ms, in all ${outage?.totalMs} ms`);
  t.ok((outage?.longestMs ?? limitMs + 1) <= limitMs, `reachable again within ${limitMs} ms: ${outage?.longestMs} ms`);
}

export async function giveBack(t: Test, node: TestNode, old: Picture): Promise<void> {
  const run = await node.run('microshift-net disable');
  t.equal(run.exitCode, 0, run.stderr);
  t.strictSame(await pictureLike(node, old), old, 'disable brings the old state back');
}
