import { monotonicMs } from '../../../deadline.ts';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import type { AgentError } from '../../../errors.ts';
import type { OverlayLayout, OverlayNode, ServiceExposure } from '../../../model/overlay.ts';
import type { NamespacedName, ObjectChange, Pod, PodAddresses } from '../../../model/workload.ts';
import { reservedPorts } from '../../../overlay/overlay-names.ts';
import { listOf, mapOf, type RowIndex } from '../../../overlay/rows/row-index.ts';
import { createSlices } from '../../../slices.ts';
import { createAddressBook } from '../../../workload/pods/address-book.ts';
import { addressesOfPorts, withoutPorts } from '../../../workload/pods/port-hosts.ts';
import { portName } from '../../../workload/pods/port-name.ts';
import { keyOf } from './followed-kinds.ts';
import { noticeOfFault } from './notices.ts';
import { createPodAnnotations } from './pod-annotations.ts';

/** Facts from which the addresses of pods are assigned. */
export interface NetworkFacts {
  readonly layout: OverlayLayout;
  readonly nodes: readonly OverlayNode[];
  readonly pods: ReadonlyMap<NamespacedName, Pod>;
  readonly existing: RowIndex;
  readonly exposure: Pick<ServiceExposure, 'fixedRanges'>;
}

/** Addresses of pods. This process assigns them while it has the OVSDB lock. */
export interface PodNetworks {
  readonly addresses: PodAddresses;
  /**
   * Assigns addresses after changes, or to all pods if `changes` is null, and starts the writes of annotations. Returns
   * a change for each existing pod whose addresses have changed.
   */
  settle(changes: readonly ObjectChange[] | null, facts: NetworkFacts): readonly ObjectChange[];
  /** Cancels further writes of annotations. */
  close(): void;
}

/**
 * Creates an empty address book. A pod keeps the addresses that the kubelet reports, or that the pod's row or
 * annotations contain. A pod without such addresses gets new ones. `report` is called with an error while a pod cannot
 * be annotated, and with null when no such pod is left.
 */
export function createPodNetworks(
  api: Pick<KubernetesApi, 'annotate' | 'report'>,
  report: (error: AgentError | null) => void,
): PodNetworks {
  const book = createAddressBook();
  let latest: NetworkFacts | null = null;
  let isClosed = false;
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
  const annotateAll = async (keys: Iterable<NamespacedName>): Promise<void> => {
    const breathe = createSlices(monotonicMs);
    for (const key of keys) {
      if (isClosed) return;
      annotations.annotate(key);
      const pause = breathe();
      if (pause !== null) await pause;
    }
  };
  return {
    addresses: book.addresses,
    settle: (changes, facts) => {
      latest = facts;
      const { pods, gone } = changes === null ? { pods: withoutPorts(facts.pods), gone: [] } : podsOf(changes);
      // Addresses also depend on nodes and ranges. After a change of nodes or ranges, the caller passes null instead of
      // changes.
      if (changes !== null && pods.length + gone.length === 0) return [];
      const { changed, faults } = book.settle({
        nodes: facts.nodes,
        pods,
        gone,
        fixedRanges: facts.exposure.fixedRanges,
        ports: addressesOfPorts(facts.nodes),
        reserved: reservedPorts(facts.layout, facts.nodes),
        addressesOfRow: (key, uid) => addressesOfRow(facts.existing, key, uid),
      });
      for (const fault of faults) api.report(noticeOfFault(fault));
      annotations.forget(gone);
      const annotated = new Set([...pods.map(keyOf), ...changed]);
      if (changes === null) void annotateAll(annotated);
      else for (const key of annotated) annotations.annotate(key);
      return changed.flatMap((key) => {
        const pod = facts.pods.get(key);
        return pod === undefined ? [] : [{ kind: 'Pod' as const, before: pod, now: pod }];
      });
    },
    close: () => {
      isClosed = true;
      annotations.close();
    },
  };
}

/** Returns the last state of each changed pod that still exists, and the keys of the pods that were deleted. */
function podsOf(changes: readonly ObjectChange[]): {
  readonly pods: readonly Pod[];
  readonly gone: readonly NamespacedName[];
} {
  const last = new Map<NamespacedName, Pod | null>();
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
 * Returns the addresses in a pod's row, without the MAC: the last two words of `0a:58:0a:2a:01:03 10.42.1.3 fd01::3`
 * (ovn-nb(5), Logical_Switch_Port.addresses). Empty if the row belongs to an earlier pod of the same name. A row
 * without a uid was written by an older release, and counts as the row of this pod.
 */
export function addressesOfRow(existing: RowIndex, pod: NamespacedName, uid: string): readonly string[] {
  const row = existing.named('Logical_Switch_Port', portName(pod));
  const { 'iface-id-ver': of = uid } = mapOf(row, 'options');
  return of !== uid ? [] : listOf(row, 'addresses').flatMap((text) => String(text).split(' ').slice(1));
}
