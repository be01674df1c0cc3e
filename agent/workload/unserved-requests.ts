import type { Labels, UnservedAsk } from '../model/workload.ts';

/** Annotations of a pod by which CNI plug-ins limit its bandwidth (kubernetes.io, "Network Plugins"). */
const bandwidths = ['kubernetes.io/ingress-bandwidth', 'kubernetes.io/egress-bandwidth'];
/**
 * Annotation of a namespace whose pods send multicast to each other, on all nodes (ovn-kubernetes,
 * docs/features/multicast).
 */
const multicast = 'k8s.ovn.org/multicast-enabled';
/**
 * Label of a node that may have addresses of an EgressIP (ovn-kubernetes,
 * docs/features/cluster-egress-controls/egress-ip).
 */
const egressNode = 'k8s.ovn.org/egress-assignable';

/** Labels and annotations by which an object requests features. */
interface Asking {
  readonly labels?: Labels | undefined;
  readonly annotations?: Labels | undefined;
}

/** Returns the features that a pod requests and that this network lacks. */
export function asksOfPod({ annotations = {} }: Asking): readonly UnservedAsk[] {
  return bandwidths.some((name) => name in annotations) ? ['bandwidth'] : [];
}

/** Returns the features that a namespace requests and that this network lacks. */
export function asksOfNamespace({ annotations = {} }: Asking): readonly UnservedAsk[] {
  return annotations[multicast] === 'true' ? ['multicast'] : [];
}

/** Returns the features that a node requests and that this network lacks. */
export function asksOfNode({ labels = {} }: Asking): readonly UnservedAsk[] {
  return egressNode in labels ? ['egress-ip'] : [];
}

/**
 * Returns a whole sentence with the consequence of requesting a feature that this network lacks, and with an
 * alternative if one exists.
 */
export function unservedNote(ask: UnservedAsk): string {
  return {
    bandwidth: `the annotations ${bandwidths.join(' and ')} limit nothing here: use the shaping of the LAN, or a limit in the application`,
    multicast: `${multicast} has no effect: pods do not reach each other by multicast between nodes, so let the application use unicast`,
    'egress-ip': `an EgressIP moves no address to this node: use \`microshift-net overlay gateway --subnets\`, by which the pods of whole nodes leave with the address of one gateway`,
    'domain-names':
      'rules with domainNames match no packet, because this network does not read answers of DNS: use networks with the addresses',
    'unknown-fields':
      'fields of this version of the API are unknown here: rules with such a peer, protocol or action fail closed, so they accept nothing, and deny everything if they deny or pass; a policy with an unknown subject or tier has no effect',
  }[ask];
}
