import { canonicalAddress } from '../net/address.ts';
import type { PodNetwork } from '../workload/pods/annotations.ts';

/**
 * Compares the MAC and addresses in a pod's annotation with the column `mac` of the pod's Port_Binding row (ovn-sb(5):
 * `0a:58:0a:2a:01:05 10.42.1.5`). Only the central node writes this column. Returns the difference as a sentence; null
 * if nothing differs. `rows` is the value of the column; null if the pod has no Port_Binding row.
 */
export function carriedFault({ mac, addresses }: PodNetwork, rows: readonly string[] | null): string | null {
  const annotated = [mac, ...addresses.map((address) => address.replace(/\/.*/, ''))];
  const carried = (rows ?? []).flatMap((row) => row.split(/\s+/)).map((word) => canonicalAddress(word.toLowerCase()));
  if (String(annotated.toSorted()) === String(carried.toSorted())) return null;
  const inOvn = carried.length === 0 ? 'no address' : carried.join(' and ');
  return `the annotation of the pod has ${annotated.join(' and ')}, and OVN has ${inOvn} for its port`;
}
