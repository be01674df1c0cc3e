import type { PodPath } from '../model/direct-node.ts';

const ways = { direct: 'by a direct route', tunnel: 'through a tunnel', none: 'not reached' } as const;
const families = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;

/**
 * Path to the pods of a node over one address family, or over both families if its kind and its reason are the same for
 * both.
 */
export interface PathGroup extends Omit<PodPath, 'family'> {
  /** Kind of the path in words, with the address families: `by a direct route (IPv4 and IPv6)`. */
  readonly words: string;
}

/**
 * Returns the paths. The paths to a node over both address families become one if their kind and their reason are the
 * same.
 */
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
