/** Keys of external_ids that identify rows of this product. */
export const tagKeys = {
  /** Key with the owner of a row, by which stale rows of this product are found. */
  owner: 'owner',
  /** Key with the node of a row; rows of the whole cluster do not have the key. */
  node: 'owner-node',
  /** Key with the number that the cluster has assigned to the node of a row. */
  nodeId: 'owner-node-id',
  /** Key with the system-id of the node to which a row belongs. */
  chassis: 'owner-chassis',
  /** Key that marks a route for the packets from a subnet that `overlay gateway --subnets` assigns to a gateway. */
  asked: 'owner-asked',
  /**
   * Key with the value of NB_Global.nb_cfg at the time when the central node took over a shared address. Another node
   * gets the address only after it has answered a later value.
   */
  askedAtMove: 'owner-asked-at-move',
  /** Key with the name of the peer to which a route leads. */
  peer: 'owner-peer',
  /** Key that marks a port of br-int whose interface leads to hosts that are not pods. */
  attached: 'owner-attached',
  /**
   * Key with the list of the keys that the agent has added to the Open_vSwitch row, which it shares with other
   * programs.
   */
  keys: 'owner-keys',
  /** Key with the object key of a row for an object of Kubernetes: `pod:default/web-0`. */
  unit: 'owner-unit',
  /** Key with the entry in ovn-bridge-mappings that the agent has added; other programs have entries there as well. */
  mapping: 'owner-mapping',
} as const;
