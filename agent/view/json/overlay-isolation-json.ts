import type { Isolation, ReachMatrix } from '../../model/namespace-isolation.ts';

/** `overlay isolation enable`: the separation of namespaces that the cluster now has. */
export interface OverlayIsolationEnableDocument {
  readonly command: 'overlay isolation enable';
  readonly outcome: 'changed' | 'unchanged';
  readonly isolation: IsolationJson;
}

/** `overlay isolation disable`: the cluster has no separation any longer. */
export interface OverlayIsolationDisableDocument {
  readonly command: 'overlay isolation disable';
  readonly outcome: 'changed' | 'unchanged';
}

/** `overlay isolation show`: the connections that the policies of all tiers allow between namespaces. */
export interface OverlayIsolationShowDocument {
  readonly command: 'overlay isolation show';
  readonly outcome: 'shown';
  /** Settings of the separation; null if namespaces are not separated. */
  readonly isolation: IsolationJson | null;
  readonly namespaces: readonly IsolatedNamespaceJson[];
  readonly reaches: readonly NamespaceReachJson[];
}

/** Settings of the separation of namespaces. */
export interface IsolationJson {
  /** Namespaces that reach all others, and are reached by all others. */
  readonly globalNamespaces: readonly string[];
  /** Label whose value is the group of a namespace. */
  readonly groupLabel: string;
}

/** A namespace. */
export interface IsolatedNamespaceJson {
  readonly name: string;
  /** Group of the namespace; null for one of `globalNamespaces`, and if namespaces are not separated. */
  readonly group: string | null;
}

/** Connections from the pods of a namespace to those of another namespace, or of the same one. */
export interface NamespaceReachJson {
  readonly from: string;
  readonly to: string;
  /** `some`: connections are possible only between some pods, or only at some ports. */
  readonly reach: 'all' | 'some' | 'none';
}

/** Returns the document of `overlay isolation enable`. */
export function isolationEnableDocument(isolation: Isolation, isChanged: boolean): OverlayIsolationEnableDocument {
  return {
    command: 'overlay isolation enable',
    outcome: isChanged ? 'changed' : 'unchanged',
    isolation: isolationJson(isolation),
  };
}

/** Returns the document of `overlay isolation disable`. */
export function isolationDisableDocument(isChanged: boolean): OverlayIsolationDisableDocument {
  return { command: 'overlay isolation disable', outcome: isChanged ? 'changed' : 'unchanged' };
}

/** Returns the document of `overlay isolation show`. */
export function isolationShowDocument({ isolation, namespaces, reaches }: ReachMatrix): OverlayIsolationShowDocument {
  return {
    command: 'overlay isolation show',
    outcome: 'shown',
    isolation: isolation && isolationJson(isolation),
    namespaces: namespaces.map(({ name, group }) => ({ name, group })),
    reaches: reaches.map(({ from, to, reach }) => ({ from, to, reach })),
  };
}

function isolationJson({ globalNamespaces, groupLabel }: Isolation): IsolationJson {
  return { globalNamespaces, groupLabel };
}
