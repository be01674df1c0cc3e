import type { OutsideRoutes } from '../../model/outside-routes.ts';
import type { OverlayPeer } from '../../model/overlay-peer.ts';
import type { OverlayChanges } from '../../model/overlay-plan.ts';
import { peerRouteReason } from '../overlay-peer-view.ts';
import { appliedOutcome, type OverlayChangesJson, overlayChangesJson } from './overlay-json.ts';

/** `overlay peer add`: the peer that the cluster now has. */
export interface OverlayPeerAddDocument {
  readonly command: 'overlay peer add';
  readonly outcome: 'changed' | 'unchanged';
  readonly peer: PeerJson;
  readonly changes: OverlayChangesJson;
}

/** `overlay peer remove`: the peer that the cluster no longer has. */
export interface OverlayPeerRemoveDocument {
  readonly command: 'overlay peer remove';
  readonly outcome: 'changed' | 'unchanged';
  /** Name of the peer. */
  readonly peer: string;
  readonly changes: OverlayChangesJson;
}

/** `overlay peer list`: the peers of the cluster. */
export interface OverlayPeerListDocument {
  readonly command: 'overlay peer list';
  readonly outcome: 'shown';
  readonly peers: readonly ListedPeerJson[];
}

/** A peer: another Kubernetes cluster, or a subnet behind an appliance. */
export interface PeerJson {
  readonly name: string;
  /** Addresses by which the gateways reach the peer, at most one of each family. */
  readonly nextHops: readonly string[];
  /** Ranges of the peer's pods. */
  readonly subnets: readonly string[];
  /** Ranges of the peer's services. */
  readonly serviceSubnets: readonly string[];
}

/** A peer that `overlay peer list` lists. */
export interface ListedPeerJson extends PeerJson {
  /** Routes that the peer needs. */
  readonly routes: readonly PeerRouteJson[];
  /** Subnets of pods that the peer does not reach. */
  readonly withoutRoute: readonly WithoutPeerRouteJson[];
}

/** A route that a peer needs. */
export interface PeerRouteJson {
  readonly node: string;
  /** Subnet of the node's pods, or the range of services. */
  readonly destination: string;
  /** Address of the node's gateway. */
  readonly nextHop: string;
}

/** A subnet that a peer does not reach. */
export interface WithoutPeerRouteJson {
  readonly node: string;
  readonly destination: string;
  /** `no-clients`: the next hop of the peer is not on the LAN of the node's gateway. */
  readonly state:
    | 'no-gateway'
    | 'gateway-down'
    | 'shared-address'
    | 'other-gateway'
    | 'no-address'
    | 'no-clients'
    | 'old-layout';
  /** Reason why the peer does not reach the subnet, in words. */
  readonly reason: string;
}

/** Returns a peer as JSON. */
export function peerJson({ name, nextHops, subnets, serviceSubnets }: OverlayPeer): PeerJson {
  return { name, nextHops, subnets, serviceSubnets };
}

/** Returns the document of `overlay peer add`. */
export function peerAddDocument(peer: OverlayPeer, changes: OverlayChanges): OverlayPeerAddDocument {
  return {
    command: 'overlay peer add',
    outcome: appliedOutcome(changes),
    peer: peerJson(peer),
    changes: overlayChangesJson(changes),
  };
}

/** Returns the document of `overlay peer remove`. */
export function peerRemoveDocument(peer: string, changes: OverlayChanges): OverlayPeerRemoveDocument {
  return {
    command: 'overlay peer remove',
    outcome: appliedOutcome(changes),
    peer,
    changes: overlayChangesJson(changes),
  };
}

/** Returns the document of `overlay peer list`. */
export function peerListDocument(
  peers: readonly (OutsideRoutes & { readonly peer: OverlayPeer })[],
): OverlayPeerListDocument {
  return {
    command: 'overlay peer list',
    outcome: 'shown',
    peers: peers.map(({ peer, routes, withoutRoute }) => ({
      ...peerJson(peer),
      routes: routes.map(({ node, destination, nextHop }) => ({ node, destination, nextHop })),
      withoutRoute: withoutRoute.map(({ node, destination, state }) => ({
        node,
        destination,
        state,
        reason: peerRouteReason(state),
      })),
    })),
  };
}
