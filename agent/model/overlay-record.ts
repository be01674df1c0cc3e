import type { OverlayLayout, OverlayNode } from './overlay.ts';

/** What a node is in its cluster: written by `overlay init` and `overlay join`, gone after `overlay leave` and `overlay disable`. */
export interface OverlayRecord {
  readonly format: 1;
  readonly layout: OverlayLayout;
  /** Where the southbound database answers the other nodes: `ssl:192.0.2.1:6642`. */
  readonly southbound: readonly string[];
  readonly node: OverlayNode;
  /** The nodes of the cluster, this one included; null: this is not the central node. */
  readonly members: readonly OverlayNode[] | null;
}

/** What a node needs to join, in one file: who has it can be that node. */
export interface OverlayBundle extends Omit<OverlayRecord, 'members'> {
  readonly pem: {
    readonly key: string;
    readonly certificate: string;
    readonly authority: string;
  };
}
