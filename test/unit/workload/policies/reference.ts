// Second implementation of network policies, written only from the API's documentation (networking.k8s.io/v1): slow,
// and easy to check.
import type {
  LabelSelector,
  NetworkPolicy,
  Pod,
  PolicyPeer,
  PolicyPort,
  PolicyRule,
  Protocol,
} from '../../../../agent/model/workload.ts';
import type { PolicyWorld } from './world.ts';

export interface End {
  /** Pod at this end; null for an end outside of the cluster. */
  readonly pod: Pod | null;
  readonly address: string;
}

/** Returns true if the policies allow a connection. */
export function isAllowed(world: PolicyWorld, from: End, to: End, protocol: Protocol, port: number): boolean {
  const way = { protocol, port, to };
  return mayLeave(world, from, way) && mayEnter(world, from, way);
}

/** Returns true if a network policy selects a pod in a direction. */
export function isIsolated(world: PolicyWorld, pod: Pod, direction: 'Ingress' | 'Egress'): boolean {
  return [...world.policies.values()].some((policy) => policy.policyTypes.includes(direction) && isFor(policy, pod));
}

/** Returns true if the policies of one direction allow a connection. */
export function isAllowedIn(
  world: PolicyWorld,
  direction: 'Ingress' | 'Egress',
  from: End,
  to: End,
  protocol: Protocol,
  port: number,
): boolean {
  return (direction === 'Egress' ? mayLeave : mayEnter)(world, from, { protocol, port, to });
}

interface Way {
  readonly to: End;
  readonly protocol: Protocol;
  readonly port: number;
}

function mayLeave(world: PolicyWorld, from: End, way: Way): boolean {
  const policies = [...world.policies.values()].filter(
    (policy) => policy.policyTypes.includes('Egress') && from.pod !== null && isFor(policy, from.pod),
  );
  if (policies.length === 0) return true;
  return policies.some((policy) => policy.egress.some((rule) => allows(world, policy, rule, way.to, way)));
}

function mayEnter(world: PolicyWorld, from: End, way: Way): boolean {
  const { pod } = way.to;
  const policies = [...world.policies.values()].filter(
    (policy) => policy.policyTypes.includes('Ingress') && pod !== null && isFor(policy, pod),
  );
  if (policies.length === 0) return true;
  return policies.some((policy) => policy.ingress.some((rule) => allows(world, policy, rule, from, way)));
}

function isFor(policy: NetworkPolicy, pod: Pod): boolean {
  return policy.namespace === pod.namespace && fits(policy.podSelector, pod.labels);
}

function allows(world: PolicyWorld, policy: NetworkPolicy, rule: PolicyRule, other: End, way: Way): boolean {
  const isPeer = rule.peers.length === 0 || rule.peers.some((peer) => isThePeer(world, policy, peer, other));
  const isPort = rule.ports.length === 0 || rule.ports.some((port) => isThePort(port, way));
  return isPeer && isPort;
}

function isThePeer(world: PolicyWorld, policy: NetworkPolicy, peer: PolicyPeer, { pod, address }: End): boolean {
  if (peer.ipBlock !== undefined) {
    return inBlock(address, peer.ipBlock.cidr) && !peer.ipBlock.except.some((one) => inBlock(address, one));
  }
  if (pod === null || pod.isHostNetwork) return false;
  if (peer.namespaceSelector === undefined) {
    return pod.namespace === policy.namespace && fits(peer.podSelector ?? {}, pod.labels);
  }
  const namespace = world.namespaces.get(pod.namespace);
  return (
    namespace !== undefined &&
    fits(peer.namespaceSelector, namespace.labels) &&
    fits(peer.podSelector ?? {}, pod.labels)
  );
}

function isThePort({ protocol, port, endPort }: PolicyPort, way: Way): boolean {
  if (protocol !== way.protocol) return false;
  if (port === null) return true;
  if (typeof port === 'number') return way.port >= port && way.port <= (endPort ?? port);
  const ports = way.to.pod?.ports ?? [];
  return ports.some((one) => one.name === port && one.protocol === protocol && one.containerPort === way.port);
}

export function fits(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const given = new Map(Object.entries(labels));
  return (
    Object.entries(matchLabels).every(([key, value]) => given.get(key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return given.has(key);
      if (operator === 'DoesNotExist') return !given.has(key);
      const isOneOf = given.has(key) && values.some((value) => value === given.get(key));
      return operator === 'In' ? isOneOf : !isOneOf;
    })
  );
}

/**
 * Returns true if the block contains the address, by a comparison of bits. Reads IPv4, and IPv6 in full or compressed
 * form.
 */
export function inBlock(address: string, block: string): boolean {
  const [network = '', length = ''] = block.split('/');
  if (address.includes(':') !== network.includes(':')) return false;
  return bits(address).slice(0, Number(length)) === bits(network).slice(0, Number(length));
}

function bits(address: string): string {
  if (!address.includes(':'))
    return address
      .split('.')
      .map((byte) => Number(byte).toString(2).padStart(8, '0'))
      .join('');
  const [left = '', right] = address.split('::');
  const groups = (text: string): string[] => text.split(':').filter((group) => group !== '');
  const behind = right === undefined ? [] : groups(right);
  const zeros = right === undefined ? 0 : 8 - groups(left).length - behind.length;
  return [...groups(left), ...new Array<string>(zeros).fill('0'), ...behind]
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('');
}
