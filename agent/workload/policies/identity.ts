import { createHash } from 'node:crypto';

/** Properties that identify a row among all rows of its kind. */
export interface Identity {
  /** Type of the row's object in the words of ovn-kubernetes. */
  readonly type: 'Namespace' | 'PodSelector' | 'NetworkPolicy' | 'ClusterNetworkPolicy';
  /** Name of the object: `web`, or `web:deny-all` with its namespace. */
  readonly name: string;
  /** Properties that distinguish rows of the same name: `{ 'ip-family': 'v4' }`. */
  readonly more?: Readonly<Record<string, string>>;
}

/**
 * Returns the external_ids by which users and tools of ovn-kubernetes identify a row (its docs, design/ovn-kubernetes,
 * database object ids).
 */
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
 * Returns a row's name, which is short and has only characters that matches of ACLs allow (ovn-sb(5), expressions): `a`
 * and the first half of the SHA-256 hash of the row's `k8s.ovn.org/id`. The hash is cryptographic, because users write
 * the selectors in this id: they cannot construct an id with the hash of another.
 */
export function nameOf(owner: string, identity: Identity): string {
  const id = identityTags(owner, identity)['k8s.ovn.org/id'] ?? '';
  return `a${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
