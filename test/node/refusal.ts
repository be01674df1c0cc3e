// Request that is refused: it ends with one clear line and its exit code, and the node does not change.
import type { Test } from 'tap';
import type { TestNode } from './node.ts';
import { type Picture, picture, pictureLike } from './picture.ts';

export interface Refusal {
  name: string;
  /** Shell text that prepares the state in which the request is refused. */
  given?: string;
  /** Shell text that restores the previous state. */
  after?: string;
  /** File below /etc that `after` writes again, so that its time differs. */
  rewrites?: string;
  command?: string;
  exitCode: number;
  /** Line on standard error, with the fact, the reason and an instruction. */
  says: RegExp;
}

/** Sends requests that are refused, one after another, each in a state of its own. */
export async function areRefused(t: Test, node: TestNode, refusals: readonly Refusal[]): Promise<void> {
  let healthy = await picture(node);
  for (const refusal of refusals)
    await t.test(refusal.name, async (t) => {
      healthy = await isRefused(t, node, refusal, healthy);
    });
}

/**
 * Prepares the node, whose picture is `healthy`, sends the request that is refused, and restores the previous state;
 * returns the picture afterwards.
 */
async function isRefused(t: Test, node: TestNode, refusal: Refusal, healthy: Picture): Promise<Picture> {
  const { given, after = 'true', rewrites, command = 'microshift-net apply', exitCode, says } = refusal;
  if (given !== undefined) await node.text(given);
  await node.ready();
  const before = given === undefined ? healthy : await picture(node);
  const run = await node.run(command);
  t.equal(run.exitCode, exitCode, run.stderr);
  const lines = run.stderr.split('\n').filter((line) => line !== '');
  t.match(lines.find((line) => line.startsWith('microshift-net: ') || line.startsWith('error: ')) ?? '', says);
  t.notMatch(run.stderr, /\n {4}at |internal|unexpected/);
  t.strictSame(await picture(node), before, 'the node is as it was');
  if (given === undefined) return healthy;
  await node.text(after);
  await node.ready();
  const same = (shown: Picture): Picture => ({
    ...shown,
    etc: shown.etc.filter((line) => rewrites === undefined || !line.startsWith(`${rewrites} `)),
  });
  t.strictSame(await pictureLike(node, healthy, 60_000, same), same(healthy));
  return rewrites === undefined ? healthy : picture(node);
}
