// Known reasons why tests of Kubernetes do not pass with the overlay. The page uses the first matching reason.

/**
 * Kind of a reason. `refused`: the overlay refuses an object with an Event. `differs`: the overlay intentionally
 * behaves differently than the test expects, and its documentation says so. `impossible`: the test needs something
 * outside of this project. `failed`: a defect.
 */
export type Verdict = 'refused' | 'differs' | 'impossible' | 'failed';

export interface Reason {
  readonly verdict: Verdict;
  /** Pattern that the tests' names match. */
  readonly test: RegExp;
  readonly why: string;
}

const services = '[overlay-services.md](../use/overlay-services.md)';

export const reasons: readonly Reason[] = [
  {
    verdict: 'refused',
    test: /HostPort validates that there is no conflict/,
    why: `\`hostPort\` is not served: each pod has the Event \`HostPortNotServed\` (${services}, Not served)`,
  },
  {
    verdict: 'refused',
    test: /possible to connect to a service via ExternalIP/,
    why: `\`externalIPs\` are served only in ranges that the administrator has named: the service has the Event \`NotServed\` (${services}, What a service cannot take)`,
  },
  {
    verdict: 'refused',
    test: /should fail health check node port/,
    why: `no server answers at \`healthCheckNodePort\`: the service has the Event \`NotServed\` (${services}, Not served)`,
  },
  {
    verdict: 'refused',
    test: /should have session affinity timeout work/,
    why: `a client keeps its endpoint for longer than \`timeoutSeconds\`: the service has the Event \`NotServed\` (${services}, Not served)`,
  },
  {
    verdict: 'differs',
    test: /should function for service endpoints using hostNetwork/,
    why: `if an endpoint of a service has a node's address, connections of this node go only to this endpoint (${services}); the test expects connections to all endpoints`,
  },
  {
    verdict: 'differs',
    test: /fallback to local terminating endpoints when there are no ready endpoints with externalTrafficPolicy=Local/,
    why: `pods reach a NodePort with \`externalTrafficPolicy: Local\` as with \`Cluster\` (${services}); the test expects that the NodePort of a node without an endpoint refuses them`,
  },
  {
    verdict: 'impossible',
    test: /\[Feature:SCTPConnectivity\]/,
    why: "the kernel of the machine has no SCTP, so the test's own server cannot listen; the test was ended by hand",
  },
  {
    verdict: 'impossible',
    test: /KubeProxy should set TCP CLOSE_WAIT timeout|should check kube-proxy urls/,
    why: 'the test is for kube-proxy, which this overlay replaces',
  },
  {
    verdict: 'impossible',
    test: /rejected for evicted pods/,
    why: 'the test fills the storage of a pod, and the kubelet of the test nodes does not limit storage',
  },
  {
    verdict: 'impossible',
    test: /DNS configMap nameserver (Change|Forward)/,
    why: 'the test writes a configuration that the DNS server of dns.yaml does not support',
  },
];
