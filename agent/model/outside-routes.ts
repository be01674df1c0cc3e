/** Syntax in which routes are printed. */
export const routeFormats = ['linux', 'frr', 'ios', 'bigip'] as const;

export type RouteFormat = (typeof routeFormats)[number];

/** Static route by which outside clients reach the pods of a node. */
export interface OutsideRoute {
  readonly node: string;
  /** Subnet of the node's pods; in the routes that a peer needs, also the range of services. */
  readonly destination: string;
  /** Address of the node's gateway. */
  readonly nextHop: string;
  /** Ranges of the clients that the node permits, of the same address family as the route. */
  readonly clients: readonly string[];
}

/** Reason why no route leads to a subnet, as a keyword in JSON output. */
export type NoRouteState =
  | 'no-gateway'
  | 'gateway-down'
  | 'shared-address'
  | 'other-gateway'
  | 'no-address'
  | 'no-clients'
  | 'old-layout';

/** Subnet of a node's pods to which no route leads. */
export interface NoRoute {
  readonly node: string;
  readonly destination: string;
  readonly state: NoRouteState;
}

/** Routes to the pods of a cluster, and the subnets without a route, in the order of the members. */
export interface OutsideRoutes {
  readonly routes: readonly OutsideRoute[];
  readonly withoutRoute: readonly NoRoute[];
}
