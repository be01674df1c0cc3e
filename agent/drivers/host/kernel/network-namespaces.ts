import { statSync } from 'node:fs';
import type { StackedElsewhere } from '../../../model/surroundings.ts';
import { fileText, namesIn, targetName } from '../files/kernel-files.ts';
import { commandMs, run } from '../process/exec.ts';

/**
 * Directories in which ip-netns(8), CRI-O, containerd and Docker create a file for each network namespace, so that the
 * namespace exists even without a process.
 */
const directories = ['/run/netns', '/run/docker/netns'];
/** Number of namespaces whose links are read at the same time. A node has a network namespace for each pod. */
const atATime = 4;

/**
 * Returns one file for each network namespace of the machine except that of this process (namespaces(7)). Also leaves
 * out the namespace of a process if lo is the only device in it, as in a sandboxed service (PrivateNetwork= of
 * systemd.exec(5)).
 */
function otherNamespaces(): readonly string[] {
  const own = targetName('/proc/self/ns/net');
  const found = new Map<string, string>();
  for (const path of directories.flatMap((directory) => namesIn(directory).map((name) => `${directory}/${name}`))) {
    // If no namespace is mounted on a file, its inode number belongs to another file system and identifies no
    // namespace. `nsenter` refuses such a file.
    const inode = statSync(path, { throwIfNoEntry: false })?.ino;
    if (inode !== undefined) found.set(`net:[${inode}]`, path);
  }
  const examined = new Set<string | null>([null, own]);
  for (const pid of namesIn('/proc').filter((name) => /^\d+$/.test(name))) {
    const path = `/proc/${pid}/ns/net`;
    const name = targetName(path);
    if (name === null || examined.has(name)) continue;
    examined.add(name);
    if (hasOnlyLoopback(fileText(`/proc/${pid}/net/dev`))) found.delete(name);
    else if (!found.has(name)) found.set(name, path);
  }
  return [...found].filter(([name]) => name !== own).map(([, path]) => path);
}

/** Returns true for the text of a /proc/PID/net/dev that lists lo and no other device (proc_pid_net(5)). */
export function hasOnlyLoopback(text: string | null): boolean {
  const names = (text ?? '').split('\n').flatMap((line) => /^\s*([^\s:|]+):/.exec(line)?.[1] ?? []);
  return names.length > 0 && names.every((name) => name === 'lo');
}

/**
 * Returns the devices in other network namespaces that are stacked on a link outside of their own namespace. Best
 * effort: leaves out a namespace that no longer exists or cannot be entered.
 */
export async function readStackedElsewhere(): Promise<readonly StackedElsewhere[]> {
  const waiting = [...otherNamespaces()];
  const found: StackedElsewhere[] = [];
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const words = [`--net=${path}`, 'ip', '-d', '-j', 'link', 'show'];
      const { exitCode, stdout } = await run('nsenter', words, commandMs, { stdin: 'ignore' });
      if (exitCode === 0) found.push(...parseStacked(stdout, path));
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return found;
}

/** Fields of a link in `ip -d -j link` that the agent uses. */
interface ListedLink {
  readonly ifname?: string;
  readonly link_index?: number;
  /** Id of the namespace of the parent link. Absent if that link is in the same namespace. */
  readonly link_netnsid?: number;
  readonly linkinfo?: { readonly info_kind?: string };
}

/** Returns the links whose parent is in another namespace. Leaves out veth and netkit pairs. */
export function parseStacked(text: string, namespace: string): readonly StackedElsewhere[] {
  const listed = JSON.parse(text === '' ? '[]' : text) as readonly ListedLink[];
  return listed.flatMap(({ ifname, link_index: parentIndex, link_netnsid, linkinfo }) => {
    const kind = linkinfo?.info_kind;
    if (ifname === undefined || kind === undefined || parentIndex === undefined || link_netnsid === undefined)
      return [];
    return ['veth', 'netkit'].includes(kind) ? [] : [{ name: ifname, kind, parentIndex, namespace }];
  });
}
