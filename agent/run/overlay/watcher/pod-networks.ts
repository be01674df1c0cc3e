import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import type { AgentError } from '../../../errors.ts';
import type { OverlayLayout, OverlayNode, ServiceExposure } from '../../../model/overlay.ts';
import type { ObjectChange, ObjectKey, Pod, PodAddresses } from '../../../model/workload.ts';
import { type Existing, listOf, mapOf } from '../../../overlay/existing.ts';
import { reservedPorts } from '../../../overlay/names.ts';
import { createAddressBook } from '../../../workload/pods/address-book.ts';
import { portName } from '../../../workload/pods/port-name.ts';
import { keyOf } from './kinds.ts';
import { noticeOfFault } from './notices.ts';
import { createPodAnnotations } from './pod-annotations.ts';

/** What addresses are given out from. */
export interface NetworkFacts {
  readonly layout: OverlayLayout;
  readonly nodes: readonly OverlayNode[];
  readonly pods: ReadonlyMap<ObjectKey, Pod>;
  readonly existing: Existing;
  readonly exposure: Pick<ServiceExposure, 'fixedRanges'>;
}

/** The addresses of pods, as this side gives them out while it is the one that writes. */
export interface PodNetworks {
  readonly addresses: PodAddresses;
  /**
   * Takes in what has changed, or everything (null), and lets the pods be annotated. The pods whose addresses are others than before, as changes of them.
   */
  settle(changes: readonly ObjectChange[] | null, facts: NetworkFacts): readonly ObjectChange[];
  /** Annotates nobody any more. */
  close(): void;
}

/**
 * Knows of no address yet: the pods' annotations say which they have, and then their rows. `report` is told why a pod cannot be annotated, and null as soon
 * as there is no such pod any more.
 */
export function createPodNetworks(
  api: Pick<KubernetesApi, 'annotate' | 'tell'>,
  report: (error: AgentError | null) => void,
): PodNetworks {
  const book = createAddressBook();
  let latest: NetworkFacts | null = null;
  const annotations = createPodAnnotations(
    api,
    (key) => {
      const pod = latest?.pods.get(key);
      const addresses = book.addresses.get(key);
      const node = latest?.nodes.find(({ name }) => name === pod?.nodeName);
      if (latest === null || pod === undefined || addresses === undefined || node === undefined) return null;
      return { pod, addresses, node, layout: latest.layout };
    },
    report,
  );
  return {
    addresses: book.addresses,
    settle: (changes, facts) => {
      latest = facts;
      const { pods, gone } = changes === null ? { pods: [...facts.pods.values()], gone: [] } : podsOf(changes);
      const { changed, faults } = book.settle({
        nodes: facts.nodes,
        pods,
        gone,
        fixedRanges: facts.exposure.fixedRanges,
        reserved: reservedPorts(facts.layout, facts.nodes),
        addressesOfRow: (key, uid) => addressesOfRow(facts.existing, key, uid),
      });
      for (const fault of faults) api.tell(noticeOfFault(fault));
      annotations.forget(gone);
      for (const key of new Set([...pods.map(keyOf), ...changed])) annotations.annotate(key);
      return changed.flatMap((key) => {
        const pod = facts.pods.get(key);
        return pod === undefined ? [] : [{ kind: 'Pod' as const, before: pod, now: pod }];
      });
    },
    close: () => annotations.close(),
  };
}

/** As each pod is after all of them: one that was changed and removed at once is gone. */
function podsOf(changes: readonly ObjectChange[]): {
  readonly pods: readonly Pod[];
  readonly gone: readonly ObjectKey[];
} {
  const last = new Map<ObjectKey, Pod | null>();
  for (const change of changes) {
    if (change.kind !== 'Pod') continue;
    const one = change.now ?? change.before;
    if (one !== undefined) last.set(keyOf(one), change.now ?? null);
  }
  return {
    pods: [...last.values()].flatMap((pod) => pod ?? []),
    gone: [...last].flatMap(([key, pod]) => (pod === null ? [key] : [])),
  };
}

/**
 * Without MAC: `0a:58:0a:2a:01:03 10.42.1.3 fd01::3` (ovn-nb(5), Logical_Switch_Port.addresses). Those of a pod that had the name before are not this one's; a
 * row that names no uid is older than such names.
 */
export function addressesOfRow(existing: Existing, pod: ObjectKey, uid: string): readonly string[] {
  const row = existing.named('Logical_Switch_Port', portName(pod));
  const { 'iface-id-ver': of = uid } = mapOf(row, 'options');
  return of !== uid ? [] : listOf(row, 'addresses').flatMap((text) => String(text).split(' ').slice(1));
}
