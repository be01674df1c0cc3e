import { statSync } from 'node:fs';
import type { StackedElsewhere } from '../../model/surroundings.ts';
import { run } from './exec.ts';
import { namesIn, targetName } from './kernel-files.ts';

/** Where ip-netns(8), CRI-O, containerd and Docker keep network namespaces that have no process. */
const directories = ['/run/netns', '/run/docker/netns'];
/** `ip` answers within milliseconds; a machine that swaps takes seconds. */
const answerMs = 5_000;
/** Processes at a time: a node has a network namespace for each pod. */
const atATime = 4;

/** Files that stand for the other network namespaces of the machine, one for each (namespaces(7)). */
function otherNamespaces(): readonly string[] {
  const own = targetName('/proc/self/ns/net');
  const found = new Map<string, string>();
  for (const path of directories.flatMap((directory) => namesIn(directory).map((name) => `${directory}/${name}`))) {
    // A file that no namespace is mounted on is one of another file system, whose inode says nothing; `nsenter` refuses it.
    const inode = statSync(path, { throwIfNoEntry: false })?.ino;
    if (inode !== undefined) found.set(`net:[${inode}]`, path);
  }
  for (const pid of namesIn('/proc').filter((name) => /^\d+$/.test(name))) {
    const path = `/proc/${pid}/ns/net`;
    const name = targetName(path);
    if (name !== null && !found.has(name)) found.set(name, path);
  }
  return [...found].filter(([name]) => name !== own).map(([, path]) => path);
}

/**
 * Devices of other network namespaces that are stacked on a link of yet another one, which may be this one. Best effort: a namespace that ends
 * meanwhile, or that may not be entered, has none.
 */
export async function readStackedElsewhere(): Promise<readonly StackedElsewhere[]> {
  const waiting = [...otherNamespaces()];
  const found: StackedElsewhere[] = [];
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const words = [`--net=${path}`, 'ip', '-d', '-j', 'link', 'show'];
      const { exitCode, stdout } = await run('nsenter', words, answerMs, { stdin: 'ignore' });
      if (exitCode === 0) found.push(...parseStacked(stdout, path));
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return found;
}

/** One link of `ip -d -j link`, as far as it is looked at. */
interface ListedLink {
  readonly ifname?: string;
  readonly link_index?: number;
  /** Set where the link below is in another namespace. */
  readonly link_netnsid?: number;
  readonly linkinfo?: { readonly info_kind?: string };
}

/** Links whose parent is in another namespace than theirs, but for the ends of cables. */
export function parseStacked(text: string, namespace: string): readonly StackedElsewhere[] {
  const listed = JSON.parse(text === '' ? '[]' : text) as readonly ListedLink[];
  return listed.flatMap(({ ifname, link_index: parentIndex, link_netnsid, linkinfo }) => {
    const kind = linkinfo?.info_kind;
    if (ifname === undefined || kind === undefined || parentIndex === undefined || link_netnsid === undefined)
      return [];
    return ['veth', 'netkit'].includes(kind) ? [] : [{ name: ifname, kind, parentIndex, namespace }];
  });
}
