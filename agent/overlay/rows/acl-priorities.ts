/**
 * Priorities of ACLs (ovn-nb(5), ACL: 0 to 32767). All ACLs are in one tier of OVN, because OVN 23.03 has no tiers. The
 * priorities alone order the tiers of Kubernetes: Admin, NetworkPolicy, Baseline.
 */
export const aclPriorities = {
  /** Priority of the ACLs that drop forged packets. */
  guard: 32_760,
  /** Priority of the ACLs that admit packets of nodes to pods. */
  node: 32_750,
  /**
   * Priority of the ACLs that reject packets to an address or port in the range of services at which no service is
   * served.
   */
  unserved: 32_745,
  /** Priority of the ACLs that allow ARP and neighbour discovery of pods with cluster policies. */
  neighbours: 32_740,
  /** Lowest priority of the ACLs of the Admin tier. */
  admin: 16_400,
  /** Priority of the ACLs for traffic that a NetworkPolicy allows. */
  allowed: 16_301,
  /** Priority of the ACLs that drop all other traffic of the pods of a NetworkPolicy. */
  isolated: 16_300,
  /** Lowest priority of the ACLs of the Baseline tier. */
  baseline: 100,
} as const;
