import type { OverlayGateway } from '../../model/overlay.ts';

/**
 * Properties in which the layouts of a cluster's rows differ. The planners read these properties, and never compare the
 * name of a layout.
 */
export interface LayoutTraits {
  /** Returns the name of a new cluster router. */
  readonly clusterRouter: (centralNode: string) => string;
  /** True if the cluster router is named after a node; a router of another program may therefore have the same name. */
  readonly isRouterNamedAfterNode: boolean;
  /** Returns the name of the management port's interface; Linux allows 15 characters (IFNAMSIZ). */
  readonly managementInterface: (node: string) => string;
  /** Returns the name of the port that connects the outside switch of a node's gateway with the NIC. */
  readonly uplinkPort: (node: string, gateway: Pick<OverlayGateway, 'bridge' | 'interface'>) => string;
  /**
   * True if the outside switch's port to the NIC is a localnet port, which ovn-controller connects by
   * ovn-bridge-mappings; false if two patch ports of the agent connect it.
   */
  readonly hasLocalnetPorts: boolean;
  /** Returns the name of the port by which a gateway's bridge leads to br-int. */
  readonly clusterPort: (uplinkPort: string, bridge: string) => string;
  /** Returns the command that removes a node with this gateway router from the cluster. */
  readonly removal: (node: string, router: string) => string;
  /** True if services are in load balancer groups; false if they are in a load balancer for each protocol. */
  readonly hasBalancerGroups: boolean;
  /**
   * True if a switch's port to a router has the address `router`, with which OVN uses the MAC of the router's port
   * (ovn-nb(5)); false if the switch's port repeats the MAC.
   */
  readonly hasRouterAddresses: boolean;
  /** True if the MAC of a new router port follows from its address; false if it is random. */
  readonly derivesMacs: boolean;
  /** True if the ports to the join switch have external_ids:connect_to_join. */
  readonly marksJoinPorts: boolean;
  /** True if routers and their ports have the options of ovn-kubernetes: `gateway_mtu`, `nat-addresses` and others. */
  readonly hasRouterOptions: boolean;
  /** True if the subnet of a node is routed on the node's own chassis. */
  readonly pinsSubnets: boolean;
  /**
   * True if ACLs of a node's switch and router policies let the node and pods reach each other; false if each network
   * policy admits nodes.
   */
  readonly admitsNodes: boolean;
  /**
   * True if other_config:exclude_ips of a node's switch keeps the node's own address from pods; false if
   * external_ids:gateway_ip of the switch names the router's address instead.
   */
  readonly excludesNode: boolean;
  /**
   * True if gateways drop packets from outside whose source is an address of the cluster, and translate the addresses
   * of clients of services.
   */
  readonly guardsGateways: boolean;
  /** True if packets from the gateway router's own address on the join switch leave with the gateway's address. */
  readonly translatesJoinAddress: boolean;
  /** True if a gateway that shares its node's address reaches the node by the masquerade subnet of ovn-kubernetes. */
  readonly hasHostRoute: boolean;
  /** True if hosts outside of the cluster may reach pods at the pods' own addresses. */
  readonly servesOutsideClients: boolean;
}
