// Second implementation of cluster policies, written only from the documentation of the API
// (policy.networking.k8s.io/v1alpha2): slow, and easy to check. Network policies are those of ../policies/reference.ts.
import type {
  ClusterNetworkPolicy,
  ClusterPeer,
  ClusterProtocol,
  ClusterRule,
  Pod,
  Protocol,
  SelectedPods,
} from '../../../../agent/model/workload.ts';
import { type End, fits, inBlock, isAllowedIn, isIsolated } from '../policies/reference.ts';
import type { PolicyWorld } from '../policies/world.ts';

/** Returns true if all tiers together allow a connection. */
export function isAllowedByAll(world: PolicyWorld, from: End, to: End, protocol: Protocol, port: number): boolean {
  return (['Egress', 'Ingress'] as const).every((direction) => {
    const [own, other] = direction === 'Egress' ? [from, to] : [to, from];
    if (own.pod === null) return true;
    const verdict = (tier: ClusterNetworkPolicy['tier']): 'Accept' | 'Deny' | null => {
      const inTier = [...world.clusterPolicies.values()].filter((policy) => policy.tier === tier);
      for (const policy of inTier.toSorted((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1))) {
        if (policy.subject === null || own.pod === null || !isOf(world, policy.subject, own.pod)) continue;
        if (direction === 'Ingress' && isOwnGroup(world, policy, own.pod, other.pod)) return 'Accept';
        for (const rule of direction === 'Ingress' ? policy.ingress : policy.egress)
          if (concerns(world, rule, other, to, protocol, port)) return rule.action === 'Pass' ? null : rule.action;
      }
      return null;
    };
    const admin = verdict('Admin');
    if (admin !== null) return admin === 'Accept';
    if (isIsolated(world, own.pod, direction)) return isAllowedIn(world, direction, from, to, protocol, port);
    return verdict('Baseline') !== 'Deny';
  });
}

function concerns(
  world: PolicyWorld,
  { peers, protocols }: ClusterRule,
  other: End,
  to: End,
  protocol: Protocol,
  port: number,
): boolean {
  const isPort = protocols.length === 0 || protocols.some((one) => isThePort(one, to, protocol, port));
  return isPort && peers.some((peer) => isThePeer(world, peer, other));
}

function isThePeer(world: PolicyWorld, peer: ClusterPeer, { pod, address }: End): boolean {
  if ('networks' in peer) return peer.networks.some((network) => inBlock(address, network));
  if ('nodes' in peer) return false;
  return pod !== null && isOf(world, peer.pods, pod);
}

function isThePort(one: ClusterProtocol, { pod }: End, protocol: Protocol, port: number): boolean {
  if ('first' in one) return one.protocol === protocol && port >= one.first && port <= one.last;
  return (
    (pod?.ports ?? []).find(({ name, protocol: own }) => name === one.namedPort && own === protocol)?.containerPort ===
    port
  );
}

function isOf(world: PolicyWorld, { namespaces, pods }: SelectedPods, pod: Pod): boolean {
  const namespace = world.namespaces.get(pod.namespace);
  return !pod.isHostNetwork && namespace !== undefined && fits(namespaces, namespace.labels) && fits(pods, pod.labels);
}

function isOwnGroup(world: PolicyWorld, { groupLabel }: ClusterNetworkPolicy, own: Pod, other: Pod | null): boolean {
  if (groupLabel === undefined || other === null) return false;
  const groups = [own, other].map(({ namespace }) => {
    const labels = new Map(Object.entries(world.namespaces.get(namespace)?.labels ?? {}));
    return labels.has(groupLabel) ? `label ${labels.get(groupLabel)}` : `name ${namespace}`;
  });
  return groups[0] === groups[1];
}
