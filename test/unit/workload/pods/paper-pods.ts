// Simulated pods, and an address book that assigns them addresses.
import type { OverlayNode } from '../../../../agent/model/overlay.ts';
import type { Labels, Pod } from '../../../../agent/model/workload.ts';
import {
  type AddressBatch,
  type AddressBook,
  type AddressOutcome,
  createAddressBook,
} from '../../../../agent/workload/pods/address-book.ts';
import { annotationNames, wantedAnnotations } from '../../../../agent/workload/pods/annotations.ts';
import { dual, nodeOf } from '../../overlay/cluster.ts';

/** Returns pod `default/<name>` on n1. */
export function podOf(name: string, special: Partial<Pod> = {}): Pod {
  return {
    namespace: 'default',
    name,
    uid: `uid-of-${name}`,
    labels: {},
    annotations: {},
    nodeName: 'n1',
    isHostNetwork: false,
    isOver: false,
    podIPs: [],
    ports: [],
    ...special,
  };
}

export function asking(address: string): { readonly annotations: Labels } {
  return { annotations: { [annotationNames.requested]: address } };
}

/** Returns the annotation of a pod that has these addresses. */
export function annotated(node: OverlayNode, ...addresses: readonly string[]): { readonly annotations: Labels } {
  return { annotations: wantedAnnotations(addresses, node, dual, 'any') };
}

/** An address book, and functions that report changes to it. */
export interface Told {
  readonly book: AddressBook;
  tell(batch?: Partial<AddressBatch>): AddressOutcome;
  /** Returns the addresses of the pods of `default`, by pod name. */
  all(): Readonly<Record<string, string>>;
}

/** Opens an address book; `nodes` are the nodes of every batch of changes that names none. */
export function openBook(nodes: readonly OverlayNode[] = [nodeOf(1)]): Told {
  const book = createAddressBook();
  return {
    book,
    tell: (batch = {}) => book.settle({ nodes, pods: [], gone: [], addressesOfRow: () => [], ...batch }),
    all: () =>
      Object.fromEntries(
        Array.from(book.addresses, ([key, addresses]) => [key.replace('default/', ''), addresses.join(' ')]),
      ),
  };
}
