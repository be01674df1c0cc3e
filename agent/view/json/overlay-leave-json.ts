/** `overlay leave`: the node that has left its cluster. */
export interface OverlayLeaveDocument {
  readonly command: 'overlay leave';
  readonly outcome: 'changed' | 'unchanged';
  /** Name of the node; null if this node was not in an overlay. */
  readonly node: string | null;
  /** Remains that the command could not remove; null if nothing remains. */
  readonly leftOver: string | null;
}

/** `overlay disable`: the node that has left its cluster. */
export interface OverlayDisableDocument {
  readonly command: 'overlay disable';
  readonly outcome: 'changed' | 'unchanged';
  /** Name of the node; null if this node was not in an overlay. */
  readonly node: string | null;
  /** Remains that the command could not remove; null if nothing remains. */
  readonly leftOver: string | null;
  /** Nodes that have lost their central node. */
  readonly cutOff: readonly string[];
  /** Units of OVN that were returned to their state before the overlay. */
  readonly units: readonly string[];
}

/** Returns the document of `overlay leave`. `node` is null if this node was not in an overlay. */
export function leaveDocument(node: string | null, leftOver: string | null): OverlayLeaveDocument {
  return { command: 'overlay leave', outcome: node === null ? 'unchanged' : 'changed', node, leftOver };
}

/** Returns the document of `overlay disable`. `done` has its effects, and is null if nothing was removed. */
export function overlayDisableDocument(
  done: Pick<OverlayDisableDocument, 'node' | 'leftOver' | 'cutOff' | 'units'> | null,
): OverlayDisableDocument {
  const { node, leftOver, cutOff, units } = done ?? { node: null, leftOver: null, cutOff: [], units: [] };
  return {
    command: 'overlay disable',
    outcome: done === null ? 'unchanged' : 'changed',
    node,
    leftOver,
    cutOff,
    units,
  };
}
