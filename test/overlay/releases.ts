// Available releases of OVN: Debian's, and that of the test node if its base has been built.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mortal } from '../cluster/mortal.ts';
import { unpackedOvn } from '../cluster/unpacked-ovn.ts';

export interface Release {
  /** Version of the release's northbound schema, which changes with every change of the schema (ovsdb(7)). */
  readonly name: string;
  /** Folder with ovn-nb.ovsschema and ovn-sb.ovsschema. */
  readonly schemas: string;
  /**
   * Prepares the release for programs that use a folder, and returns a function that returns the command of a program.
   * Adds the processes that the programs need to `children`, whose owner ends them.
   */
  prepare(folder: string, children: ChildProcess[]): Promise<(program: string) => readonly string[]>;
}

/** Returns Debian's release, unpacked on this machine. */
export function ownRelease(): Release {
  const root = unpackedOvn();
  return releaseIn(root, async () => (program) => [join(root, 'usr/bin', program)]);
}

/** Returns the releases; downloads Debian's, and uses the other one only if it exists already. */
export function releasesHere(): readonly Release[] {
  const base = newerRoot();
  return [
    ownRelease(),
    ...(base !== null ? [releaseIn(base, (folder, children) => inBase(base, folder, children))] : []),
  ];
}

/** Returns the root of the test node with its OVN; null if it has not been built. */
export function newerRoot(): string | null {
  const base = execFileSync('bash', ['test/node/build-base.sh', '--path'], { encoding: 'utf8' }).trim();
  return existsSync(join(base, 'usr/share/ovn/ovn-nb.ovsschema')) ? base : null;
}

function releaseIn(root: string, prepare: Release['prepare']): Release {
  const schemas = join(root, 'usr/share/ovn');
  const text = readFileSync(join(schemas, 'ovn-nb.ovsschema'), 'utf8');
  return { name: `northbound schema ${(JSON.parse(text) as { version: string }).version}`, schemas, prepare };
}

/**
 * Returns a function that makes the command line of a program of the base. The base has its own libraries, so its
 * programs run in its root, in which `folder` is mounted.
 */
async function inBase(base: string, folder: string, children: ChildProcess[]) {
  const [first, ...rest] = mortal(['unshare', '-m', 'bash', 'test/overlay/in-base.sh', base, folder]);
  const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (!String(said).startsWith('ready')) throw new Error(`in-base.sh ended with ${said}`);
  const inside = ['nsenter', '-t', String(child.pid), '-m', 'chroot', join(folder, 'base/root')];
  return (program: string): readonly string[] => [...inside, join('/usr/bin', program)];
}
