import type { OutsideRoutes } from '../../model/outside-routes.ts';
import type { OverlayPeer, PeerVtep, VtepSettings } from '../../model/overlay-peer.ts';
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
  /** Addresses by which the gateways reach the peer, at most one of each family; empty for a peer in VXLAN. */
  readonly nextHops: readonly string[];
  /** Ranges of the peer's pods. */
  readonly subnets: readonly string[];
  /** Ranges of the peer's services. */
  readonly serviceSubnets: readonly string[];
  /** VXLAN endpoint of the peer; null if the peer is reached by routers. */
  readonly vtep: VtepJson | null;
}

/** VXLAN endpoint of a peer. */
export interface VtepJson {
  /** Address from which the endpoint sends VXLAN packets, and at which it receives them. */
  readonly address: string;
  /** VXLAN network identifier. */
  readonly vni: number;
  /** MAC of the peer's hosts inside of VXLAN. */
  readonly mac: string;
}

/** A peer that `overlay peer list` lists. */
export interface ListedPeerJson extends PeerJson {
  /** Routes that the peer needs. */
  readonly routes: readonly PeerRouteJson[];
  /** Subnets of pods that the peer does not reach. */
  readonly withoutRoute: readonly WithoutPeerRouteJson[];
  /** Settings that the appliance of a peer in VXLAN needs; null for other peers. */
  readonly settings: VtepSettingsJson | null;
}

/** Settings that the appliance of a peer in VXLAN needs. */
export interface VtepSettingsJson {
  /** Next hop to the pods inside of VXLAN. */
  readonly router: string;
  readonly routerMac: string;
  /** Largest size of IP packets inside of VXLAN, in bytes. */
  readonly mtu: number;
  /** Ranges of the pods. */
  readonly destinations: readonly string[];
  /** Nodes that receive VXLAN packets, for pods of all nodes. */
  readonly nodes: readonly VtepNodeJson[];
}

/** A node that receives VXLAN packets. */
export interface VtepNodeJson {
  readonly node: string;
  readonly address: string;
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
export function peerJson({ name, nextHops, subnets, serviceSubnets, vtep }: OverlayPeer): PeerJson {
  return { name, nextHops, subnets, serviceSubnets, vtep: vtep === undefined ? null : vtepJson(vtep) };
}

function vtepJson({ address, vni, mac }: PeerVtep): VtepJson {
  return { address, vni, mac };
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
  peers: readonly (OutsideRoutes & { readonly peer: OverlayPeer; readonly settings: VtepSettings | null })[],
): OverlayPeerListDocument {
  return {
    command: 'overlay peer list',
    outcome: 'shown',
    peers: peers.map(({ peer, routes, withoutRoute, settings }) => ({
      ...peerJson(peer),
      routes: routes.map(({ node, destination, nextHop }) => ({ node, destination, nextHop })),
      withoutRoute: withoutRoute.map(({ node, destination, state }) => ({
        node,
        destination,
        state,
        reason: peerRouteReason(state),
      })),
      settings: settings === null ? null : settingsJson(settings),
    })),
  };
}

function settingsJson({ router, routerMac, mtuBytes, destinations, nodes }: VtepSettings): VtepSettingsJson {
  return {
    router,
    routerMac,
    mtu: mtuBytes,
    destinations,
    nodes: nodes.map(({ node, address }) => ({ node, address })),
  };
}
