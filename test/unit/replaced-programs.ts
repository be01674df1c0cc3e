// Shell scripts that replace programs until the end of a test.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';

/** Puts scripts before all other programs in PATH, by name; returns their folder. */
export function replacePrograms(t: Test, scripts: Readonly<Record<string, string>>): string {
  const folder = t.testdir(
    Object.fromEntries(Object.entries(scripts).map(([name, text]) => [name, `#!/bin/sh\n${text}\n`])),
  );
  for (const name of Object.keys(scripts)) chmodSync(join(folder, name), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  t.teardown(() => {
    process.env.PATH = PATH;
  });
  return folder;
}
