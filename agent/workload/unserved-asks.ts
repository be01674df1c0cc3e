import type { Labels, UnservedAsk } from '../model/workload.ts';

/** Annotations of a pod by which plug-ins of CNI limit its bandwidth (kubernetes.io, "Network Plugins"). */
const bandwidths = ['kubernetes.io/ingress-bandwidth', 'kubernetes.io/egress-bandwidth'];
/** Annotation of a namespace whose pods send multicast to each other, on all nodes (ovn-kubernetes, docs/features/multicast). */
const multicast = 'k8s.ovn.org/multicast-enabled';
/** Label of a node that may have addresses of an EgressIP (ovn-kubernetes, docs/features/cluster-egress-controls/egress-ip). */
const egressNode = 'k8s.ovn.org/egress-assignable';

/** The part of an object that is looked at. */
interface Asking {
  readonly labels?: Labels | undefined;
  readonly annotations?: Labels | undefined;
}

/** What a pod asks for and does not get. */
export function asksOfPod({ annotations = {} }: Asking): readonly UnservedAsk[] {
  return bandwidths.some((name) => name in annotations) ? ['bandwidth'] : [];
}

/** What a namespace asks for and does not get. */
export function asksOfNamespace({ annotations = {} }: Asking): readonly UnservedAsk[] {
  return annotations[multicast] === 'true' ? ['multicast'] : [];
}

/** What a node is to do and does not. */
export function asksOfNode({ labels = {} }: Asking): readonly UnservedAsk[] {
  return egressNode in labels ? ['egress-ip'] : [];
}

/** Returns a whole sentence: what is not served, and what helps instead. */
export function unservedNote(ask: UnservedAsk): string {
  return {
    bandwidth: `the annotations ${bandwidths.join(' and ')} limit nothing here: use the shaping of the LAN, or a limit in the application`,
    multicast: `${multicast} has no effect: pods do not reach each other by multicast between nodes, so let the application use unicast`,
    'egress-ip': `an EgressIP moves no address to this node: use \`microshift-net overlay gateway --subnets\`, by which the pods of whole nodes leave with the address of one gateway`,
  }[ask];
}
