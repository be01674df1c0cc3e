import { canonicalAddress } from '../net/address.ts';
import type { PodNetwork } from '../workload/pods/annotations.ts';

/**
 * Compares a pod's annotation with `mac` of its row of Port_Binding (ovn-sb(5): `0a:58:0a:2a:01:05 10.42.1.5`), which the central node alone writes.
 * Returns null if they have the same MAC and the same addresses, else what differs as a sentence; `rows` is null if there is no such row.
 */
export function carriedFault({ mac, addresses }: PodNetwork, rows: readonly string[] | null): string | null {
  const annotated = [mac, ...addresses.map((address) => address.replace(/\/.*/, ''))];
  const carried = (rows ?? []).flatMap((row) => row.split(/\s+/)).map((word) => canonicalAddress(word.toLowerCase()));
  if (String(annotated.toSorted()) === String(carried.toSorted())) return null;
  const inOvn = carried.length === 0 ? 'no address' : carried.join(' and ');
  return `the annotation of the pod has ${annotated.join(' and ')}, and OVN has ${inOvn} for its port`;
}
