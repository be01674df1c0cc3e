/** Keys of external_ids by which a row of ours is known. */
export const tagKeys = {
  /** Whose it is; only such rows are ever deleted. */
  owner: 'owner',
  /** The node that it is for. Rows of the cluster as a whole have none. */
  node: 'owner-node',
  /** The number of that node. */
  nodeId: 'owner-node-id',
  /** Its system-id. */
  chassis: 'owner-chassis',
  /** A route for a subnet that this gateway was asked to let out. */
  asked: 'owner-asked',
  /** Keys of a map that we put there, in a row that is everybody's. */
  keys: 'owner-keys',
  /** The unit of a workload's rows that it is part of: `pod:default/web-0`. */
  unit: 'owner-unit',
  /** Our entry of ovn-bridge-mappings, which has entries of others, too. */
  mapping: 'owner-mapping',
} as const;
