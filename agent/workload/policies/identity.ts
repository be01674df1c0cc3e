import { createHash } from 'node:crypto';

/** What a row is for, by words that name it among all of its kind. */
export interface Identity {
  /** The names that ovn-kubernetes has for the same: Namespace, PodSelector, NetworkPolicy. */
  readonly type: 'Namespace' | 'PodSelector' | 'NetworkPolicy';
  /** `web`, or `web:deny-all`. */
  readonly name: string;
  /** What tells it from others of that name: `{ 'ip-family': 'v4' }`. */
  readonly more?: Readonly<Record<string, string>>;
}

/** external_ids by which people and tools of ovn-kubernetes know a row (its docs, design/ovn-kubernetes, database object ids). */
export function identityTags(owner: string, { type, name, more = {} }: Identity): Readonly<Record<string, string>> {
  return {
    'k8s.ovn.org/id': [owner, type, name, ...Object.values(more)].join(':'),
    'k8s.ovn.org/owner-controller': owner,
    'k8s.ovn.org/owner-type': type,
    'k8s.ovn.org/name': name,
    ...more,
  };
}

/**
 * A name for a row, short enough and of letters that matches of ACLs may have (ovn-sb(5), expressions): `a` and the first half of the SHA-256 hash of what the
 * row is for. Selectors are the words of users, and nobody finds one whose hash is that of another's.
 */
export function nameOf(owner: string, identity: Identity): string {
  const id = identityTags(owner, identity)['k8s.ovn.org/id'] ?? '';
  return `a${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
