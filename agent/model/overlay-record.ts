import type { OverlayLayout, OverlayNode } from './overlay.ts';
import type { OverlayPeer } from './overlay-peer.ts';
import type { OverlayPort } from './overlay-port.ts';

/** A gateway as the administrator requested it. An `auto` value is taken from the bridge at each run. */
export interface GatewayRequest {
  readonly bridge: string;
  /**
   * NIC that is used for the gateway only, and is the only port of the bridge; null if the bridge is not the gateway's
   * own, as with br-ex.
   */
  readonly interface: string | null;
  /** Addresses in the form `address/prefix`, at most one per family. */
  readonly addresses: readonly string[] | 'auto';
  readonly nextHops: readonly string[] | 'auto';
  readonly vlan: number | null;
  readonly subnets: readonly string[];
  /**
   * True if several nodes have the gateway's addresses; of these nodes, the first one that answers uses them. Absent if
   * only this node has the gateway's addresses.
   */
  readonly isVip?: true;
  /**
   * Addresses (`address/prefix`) that the NIC had in the kernel, and that are added to it again when the gateway is
   * removed.
   */
  readonly moved: readonly string[];
}

/**
 * Record of a node's membership in a cluster. `overlay init` and `overlay join` create the record; `overlay leave` and
 * `overlay disable` remove it.
 */
export interface OverlayRecord {
  readonly format: 1;
  readonly layout: OverlayLayout;
  /** Addresses at which the other nodes reach the southbound database: `ssl:192.0.2.1:6642`. */
  readonly southbound: readonly string[];
  readonly node: OverlayNode;
  /**
   * Gateway as the administrator requested it, from which `node.gateway` is derived. Absent if the node is not a
   * gateway.
   */
  readonly gateway?: GatewayRequest;
  /** All nodes of the cluster, including this one; null if this is not the central node. */
  readonly members: readonly OverlayNode[] | null;
  /** Peers of the cluster, on the central node only. Absent if the cluster has none. */
  readonly peers?: readonly OverlayPeer[];
  /** Overlay ports of all nodes, on the central node only. Absent if the cluster has none. */
  readonly ports?: readonly OverlayPort[];
}

/**
 * Data that a node needs to join, in one file. If the file contains a key, every holder of the file can act as that
 * node.
 */
export interface OverlayBundle extends Omit<OverlayRecord, 'gateway' | 'members' | 'peers' | 'ports'> {
  readonly pem: {
    /** Private key; null if the node made the key itself, so that the key has never left the node. */
    readonly key: string | null;
    readonly certificate: string;
    readonly authority: string;
  };
}
