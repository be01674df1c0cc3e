// A request that is refused: it ends with one clear line and its exit code, and the node does not change.
import type { Test } from 'tap';
import type { TestNode } from './node.ts';
import { type Picture, picture, pictureLike } from './picture.ts';

export interface Refusal {
  name: string;
  /** Shell text that makes the node so. */
  given?: string;
  /** Makes it as it was before. */
  after?: string;
  /** A file below /etc that `after` writes again, so that it has another time. */
  rewrites?: string;
  command?: string;
  exitCode: number;
  /** The line on standard error: what, why, what to do. */
  says: RegExp;
}

/** Makes the node so, requests what is refused, and makes the node as it was before. */
export async function isRefused(t: Test, node: TestNode, refusal: Refusal): Promise<void> {
  const { given, after = 'true', rewrites, command = 'microshift-net apply', exitCode, says } = refusal;
  const healthy = await picture(node);
  if (given !== undefined) await node.text(given);
  await node.ready();
  const before = given === undefined ? healthy : await picture(node);
  const run = await node.run(command);
  t.equal(run.exitCode, exitCode, run.stderr);
  const lines = run.stderr.split('\n').filter((line) => line !== '');
  t.match(lines.find((line) => line.startsWith('microshift-net: ') || line.startsWith('error: ')) ?? '', says);
  t.notMatch(run.stderr, /\n {4}at |internal|unexpected/);
  t.strictSame(await picture(node), before, 'the node is as it was');
  if (given === undefined) return;
  await node.text(after);
  await node.ready();
  const same = (shown: Picture): Picture => ({
    ...shown,
    etc: shown.etc.filter((line) => rewrites === undefined || !line.startsWith(`${rewrites} `)),
  });
  t.strictSame(await pictureLike(node, healthy, 60_000, same), same(healthy));
}
