import type { CniPod } from '../../../cni/cni-request.ts';
import { CniError, cniCode } from '../../../cni/error.ts';
import { isSamePod, type NodePod, readNodePod } from '../../../cni/node-pod.ts';
import { waitFor } from '../../../deadline.ts';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import type { PodNetwork } from '../../../workload/pods/annotations.ts';

/** Pod to which the central node has assigned addresses. */
export interface AddressedPod extends NodePod {
  readonly network: PodNetwork;
}

/** Pods of this node, as the API server reports them. */
export interface NodePods {
  /** False until the API server has sent the first complete list of pods. */
  readonly isKnown: boolean;
  /**
   * Resolves with the pod as soon as it has addresses. Rejects with CniError 11 at the time limit, and with the reason
   * of `signal` if the signal is aborted.
   */
  addressed(asked: CniPod, limitMs: number, signal: AbortSignal): Promise<AddressedPod>;
  onKnown(listener: () => void): () => void;
  close(): void;
}

export function followNodePods(
  api: Pick<KubernetesApi, 'follow'>,
  nodeName: string,
  say: (line: string) => void,
): NodePods {
  const pods = new Map<string, NodePod>();
  const waiting = new Set<() => void>();
  const known = new Set<() => void>();
  let isKnown = false;
  const keep = (pod: NodePod): void => {
    pods.set(keyOf(pod), pod);
  };
  const wake = (): void => {
    for (const look of [...waiting]) look();
  };
  const collection = { apiVersion: 'v1', plural: 'pods', namespace: null, fieldSelector: `spec.nodeName=${nodeName}` };
  const close = api.follow<NodePod>(collection, {
    read: readNodePod,
    whole: (all) => {
      pods.clear();
      all.forEach(keep);
      isKnown = true;
      for (const listener of known) listener();
      wake();
    },
    changes: (changes) => {
      for (const { type, object } of changes) {
        if (type !== 'DELETED') keep(object);
        // The DELETED event of an old pod can arrive after a new pod of the same name was created. The new pod has
        // another uid and is kept.
        else if (pods.get(keyOf(object))?.uid === object.uid) pods.delete(keyOf(object));
      }
      wake();
    },
    lost: ({ message }) => say(`the API server does not report this node's pods: ${message}`),
    found: () => say("the API server reports this node's pods again"),
  });
  return {
    get isKnown() {
      return isKnown;
    },
    addressed: (asked, limitMs, signal) => {
      const look = (): AddressedPod | null => {
        const pod = pods.get(keyOf(asked));
        if (pod === undefined || pod.network === null || !isSamePod(pod, asked.uid)) return null;
        return { ...pod, network: pod.network };
      };
      const late = (): CniError => unaddressed(asked, pods.get(keyOf(asked)), isKnown);
      return waitFor({ signal }, limitMs, late, (resolve) => {
        const check = (): void => {
          const pod = look();
          if (pod !== null) resolve(pod);
        };
        waiting.add(check);
        check();
        return () => waiting.delete(check);
      });
    },
    onKnown: (listener) => {
      known.add(listener);
      return () => known.delete(listener);
    },
    close,
  };
}

function keyOf({ namespace, name }: Pick<NodePod, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function unaddressed(asked: CniPod, there: NodePod | undefined, isKnown: boolean): CniError {
  const name = keyOf(asked);
  const [why, details] = !isKnown
    ? ['the API server has not listed the pods of this node', 'look at `microshift-net overlay status`']
    : there === undefined
      ? [`the API server has no pod ${name} on this node`, 'the pod may have been deleted already']
      : !isSamePod(there, asked.uid)
        ? [`pod ${name} was created again, with the uid ${there.uid}`, `the runtime asked for the uid ${asked.uid}`]
        : [
            `pod ${name} has no address yet`,
            'look at its events, and at `microshift-net overlay status` on the central node',
          ];
  return new CniError(cniCode.tryAgainLater, why, details);
}
