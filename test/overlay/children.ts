import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Test } from 'tap';

/** Owner of a teardown: a test, or another program. */
export type Scope = Pick<Test, 'teardown'>;

/** Returns a list whose processes end with the test, the last one first; their folder is deleted afterwards. */
export function childrenIn(folder: string, t: Scope): ChildProcess[] {
  const children: ChildProcess[] = [];
  t.teardown(async () => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  });
  return children;
}
