import type { OverlayLayout, OverlayNode } from './overlay.ts';

/** A gateway of the cluster as it was asked for. What is `auto` is what the bridge has at each run. */
export interface GatewayRequest {
  readonly bridge: string;
  /** A NIC that nobody else needs, the only port of the bridge; null: the bridge is somebody else's, as br-ex is. */
  readonly interface: string | null;
  /** `address/prefix`, at most one per family. */
  readonly addresses: readonly string[] | 'auto';
  readonly nextHops: readonly string[] | 'auto';
  readonly vlan: number | null;
  readonly subnets: readonly string[];
  /** Other nodes have the same, and the first of them that answers has its address. Absent: it is this node's alone. */
  readonly isVip?: true;
  /** `address/prefix` that the NIC had in the kernel, and gets again when it is given back. */
  readonly moved: readonly string[];
}

/** What a node is in its cluster: written by `overlay init` and `overlay join`, gone after `overlay leave` and `overlay disable`. */
export interface OverlayRecord {
  readonly format: 1;
  readonly layout: OverlayLayout;
  /** Where the southbound database answers the other nodes: `ssl:192.0.2.1:6642`. */
  readonly southbound: readonly string[];
  readonly node: OverlayNode;
  /** What `node.gateway` follows from. Absent: the node is no gateway. */
  readonly gateway?: GatewayRequest;
  /** The nodes of the cluster, this one included; null: this is not the central node. */
  readonly members: readonly OverlayNode[] | null;
}

/** Data that a node needs to join, in one file. If the file contains a key, every holder of the file can act as that node. */
export interface OverlayBundle extends Omit<OverlayRecord, 'gateway' | 'members'> {
  readonly pem: {
    /** null: the node has made it itself, and it has never left it. */
    readonly key: string | null;
    readonly certificate: string;
    readonly authority: string;
  };
}
