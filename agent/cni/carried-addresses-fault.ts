import { canonicalAddress } from '../net/address.ts';
import type { PodNetwork } from '../workload/pods/annotations.ts';

/**
 * Compares a pod's annotation with `mac` of its Port_Binding row (ovn-sb(5): `0a:58:0a:2a:01:05 10.42.1.5`), which only
 * the central node writes. Returns null if both have the same MAC and the same addresses, otherwise the difference as a
 * sentence. `rows` is null without such a row.
 */
export function carriedFault({ mac, addresses }: PodNetwork, rows: readonly string[] | null): string | null {
  const annotated = [mac, ...addresses.map((address) => address.replace(/\/.*/, ''))];
  const carried = (rows ?? []).flatMap((row) => row.split(/\s+/)).map((word) => canonicalAddress(word.toLowerCase()));
  if (String(annotated.toSorted()) === String(carried.toSorted())) return null;
  const inOvn = carried.length === 0 ? 'no address' : carried.join(' and ');
  return `the annotation of the pod has ${annotated.join(' and ')}, and OVN has ${inOvn} for its port`;
}
