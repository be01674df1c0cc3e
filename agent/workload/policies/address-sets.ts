import type { OverlayLayout } from '../../model/overlay.ts';
import type { NamespacedName } from '../../model/workload.ts';
import { isIpv6, withoutLength } from '../../overlay/addresses.ts';
import { is, keys, only } from '../../overlay/rows/column-changes.ts';
import type { ObjectPlanner, WorkloadFacts } from '../part.ts';
import { type Identity, identityTags, nameOf } from './identity.ts';
import { keyOf, type Selection, wholeNamespace } from './selections.ts';

export type Family = 'v4' | 'v6';

/** Returns the IP families of the addresses that pods get, IPv4 or IPv6 or both. */
export function familiesOf({ clusterSubnets }: OverlayLayout): readonly Family[] {
  return [...new Set(clusterSubnets.map((subnet) => (isIpv6(subnet) ? 'v6' : 'v4')))];
}

function withFamily(identity: Identity, family: Family): Identity {
  return { ...identity, more: { ...identity.more, 'ip-family': family } };
}

/**
 * Returns the properties that identify the address sets of a selection. With `number`, the sets have only the pods
 * whose named port has this number.
 */
export function setsOf(selection: Selection, number?: number): Identity {
  const namespace = wholeNamespace(selection);
  if (namespace !== null) return { type: 'Namespace', name: namespace };
  const name = keyOf(selection);
  return { type: 'PodSelector', name, ...(number !== undefined && { more: { port: `${number}` } }) };
}

/**
 * First part of the names of the fields with the source and destination address of a packet, such as `ip4` in `ip4.src`
 * (ovn-sb(5), expressions).
 */
export const fieldOf = { v4: 'ip4', v6: 'ip6' } as const;

/** Returns a match of packets whose source or destination address is in the address set of an IP family. */
export function matchOf(end: 'src' | 'dst', sets: Identity, family: Family, owner: string): string {
  return `${fieldOf[family]}.${end} == $${nameOf(owner, withFamily(sets, family))}`;
}

/**
 * Plans an address set for each IP family with the addresses of these pods. Empty sets are planned as well, because a
 * match may refer to them.
 */
export function addSets(planner: ObjectPlanner, sets: Identity, pods: Iterable<NamespacedName>, why: string): void {
  const { owner } = planner.layout;
  const addresses = addressesOf(pods, planner);
  for (const family of familiesOf(planner.layout)) {
    const identity = withFamily(sets, family);
    const name = nameOf(owner, identity);
    planner.add({
      table: 'Address_Set',
      title: `${sets.type} ${sets.name} ${[...Object.values(sets.more ?? {}), family].join(' ')}`,
      existing: planner.desired.existing.named('Address_Set', name),
      columns: {
        name: is(name),
        addresses: only(addresses.filter((address) => isIpv6(address) === (family === 'v6'))),
        external_ids: keys(identityTags(owner, identity)),
      },
      why,
    });
  }
}

function addressesOf(pods: Iterable<NamespacedName>, { addresses }: WorkloadFacts): readonly string[] {
  return [...new Set([...pods].flatMap((pod) => (addresses.get(pod) ?? []).map(withoutLength)))];
}
