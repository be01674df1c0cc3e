/**
 * Priorities of ACLs (ovn-nb(5), ACL: 0 to 32767). All ACLs are in one tier of OVN, because OVN 23.03 has no tiers. The
 * priorities alone order the tiers of Kubernetes: Admin, NetworkPolicy, Baseline.
 */
export const aclPriorities = {
  /** Forged packets, which are dropped. */
  guard: 32_760,
  /** Packets of the node itself to its pods. */
  node: 32_750,
  /** Packets to the range of services, at an address or port without a service. */
  unserved: 32_745,
  /** ARP and neighbour discovery of pods with cluster policies. */
  neighbours: 32_740,
  /** Lowest priority of the Admin tier. */
  admin: 16_400,
  /** Traffic that a NetworkPolicy allows. */
  allowed: 16_301,
  /** All other traffic of the pods of a NetworkPolicy. */
  isolated: 16_300,
  /** Lowest priority of the Baseline tier. */
  baseline: 100,
} as const;
