// Runs programs of the agent with a config.yaml of MicroShift, which this machine does not have.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders to mount over /etc, by the text of config.yaml. */
const folders = new Map<string, string>();
process.once('exit', () => {
  for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
});

/** Returns the command line that runs a program in a mount namespace whose /etc/microshift has this config.yaml. */
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
