import type { PodPath } from '../model/direct-node.ts';

const ways = { direct: 'by a direct route', tunnel: 'through a tunnel', none: 'not reached' } as const;
const families = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;

/** Paths to the pods of one node that have the same kind and reason. */
export interface PathGroup extends Omit<PodPath, 'family'> {
  /** Kind of the path in words, with the address families: `by a direct route (IPv4 and IPv6)`. */
  readonly words: string;
}

/** Returns the paths, with those to one node over both families as one if they do not differ. */
export function pathGroups(paths: readonly PodPath[]): readonly PathGroup[] {
  const groups = new Map<string, PodPath[]>();
  for (const path of paths) {
    const key = JSON.stringify([path.node, path.way, path.reason]);
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { node, way, reason } = first;
    const words = `${ways[way]} (${group.map(({ family }) => families[family]).join(' and ')})`;
    return [{ node, way, reason, words }];
  });
}
