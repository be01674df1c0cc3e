// Programs of the agent on a node with a config.yaml of MicroShift, which the machine of the tests does not have.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders to lay over /etc, by what config.yaml holds. */
const folders = new Map<string, string>();
process.once('exit', () => {
  for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
});

/** The words that run a program with such a config.yaml, laid over /etc in a mount namespace of its own. */
export function withConfigYaml(configYaml: string, words: readonly string[]): [program: string, ...words: string[]] {
  const folder = folders.get(configYaml) ?? mkdtempSync(join(tmpdir(), 'microshift-net-etc-'));
  if (!folders.has(configYaml)) {
    mkdirSync(join(folder, 'microshift'));
    writeFileSync(join(folder, 'microshift/config.yaml'), configYaml);
    folders.set(configYaml, folder);
  }
  const script = 'mount -t overlay overlay -o "lowerdir=$0:/etc" /etc && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', script, folder, ...words];
}
