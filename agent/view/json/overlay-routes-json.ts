import type { OutsideRoutes } from '../../model/outside-routes.ts';
import { noRouteReason } from '../outside-routes-view.ts';

/**
 * `overlay routes`: static routes by which outside clients reach pods. With `--watch`, one document at the start and
 * one after each change.
 */
export interface OverlayRoutesDocument {
  readonly command: 'overlay routes';
  readonly outcome: 'shown';
  readonly routes: readonly RouteJson[];
  /** Subnets of pods to which no route leads. */
  readonly withoutRoute: readonly WithoutRouteJson[];
}

/** A route to the pods of a node. */
export interface RouteJson {
  readonly node: string;
  /** Subnet of the node's pods. */
  readonly destination: string;
  /** Address of the node's gateway. */
  readonly nextHop: string;
  /** Ranges of the clients that the node permits. */
  readonly clients: readonly string[];
}

/** A subnet without a route. */
export interface WithoutRouteJson {
  readonly node: string;
  readonly destination: string;
  readonly state:
    | 'no-gateway'
    | 'gateway-down'
    | 'shared-address'
    | 'other-gateway'
    | 'no-address'
    | 'no-clients'
    | 'old-layout';
  /** Reason why no route leads to the subnet, in words. */
  readonly reason: string;
}

/** Returns the document of `overlay routes`. */
export function overlayRoutesDocument({ routes, withoutRoute }: OutsideRoutes): OverlayRoutesDocument {
  return {
    command: 'overlay routes',
    outcome: 'shown',
    routes: routes.map(({ node, destination, nextHop, clients }) => ({ node, destination, nextHop, clients })),
    withoutRoute: withoutRoute.map(({ node, destination, state }) => ({
      node,
      destination,
      state,
      reason: noRouteReason(state),
    })),
  };
}
