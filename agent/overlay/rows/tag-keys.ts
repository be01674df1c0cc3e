/** Keys of external_ids that identify rows of this product. */
export const tagKeys = {
  /** Owner of the row, by which stale rows of this product are found. */
  owner: 'owner',
  /** Node of the row; rows of the whole cluster do not have the key. */
  node: 'owner-node',
  /** Number of the node. */
  nodeId: 'owner-node-id',
  /** The system-id of the node. */
  chassis: 'owner-chassis',
  /** Mark of a route for the packets from a subnet that `overlay gateway --subnets` assigns to a gateway. */
  asked: 'owner-asked',
  /** Name of the peer to which a route leads. */
  peer: 'owner-peer',
  /** Mark of a port of br-int whose interface leads to hosts that are not pods. */
  attached: 'owner-attached',
  /** List of the keys that the agent has added to the Open_vSwitch row, which it shares with other programs. */
  keys: 'owner-keys',
  /** Object key of a row for an object of Kubernetes: `pod:default/web-0`. */
  unit: 'owner-unit',
  /** Entry in ovn-bridge-mappings that the agent has added; other programs have entries there as well. */
  mapping: 'owner-mapping',
} as const;
