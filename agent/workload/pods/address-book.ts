import type { OverlayNode } from '../../model/overlay.ts';
import type { ObjectKey, Pod, PodAddresses } from '../../model/workload.ts';

/** Which pod has which addresses. Decides from what it is told only: the same batches give the same addresses. */
export interface AddressBook {
  /** Of all pods that have some; the same map always, with what is so now. */
  readonly addresses: PodAddresses;
  /** Takes one batch in. Pods that were refused are looked at again with every batch that frees an address. */
  settle(batch: AddressBatch): AddressOutcome;
}

export interface AddressBatch {
  /** All members of the overlay as they are now. */
  readonly nodes: readonly OverlayNode[];
  /** Pods that are new or changed; all of them after a list. A pod of the same name with another uid replaces the one before. */
  readonly pods: Iterable<Pod>;
  /** Pods that are gone. */
  readonly gone: Iterable<ObjectKey>;
  /** Addresses that the pod's row of OVN_Northbound has, without length; empty: it has none. Asked only for pods that were not known before. */
  addressesOfRow(pod: ObjectKey): readonly string[];
}

export interface AddressOutcome {
  /** Pods that have other addresses than before the batch, or have some, or none, for the first time. */
  readonly changed: readonly ObjectKey[];
  /** Pods of this batch that did not get what they need, each once while nothing changes about it. */
  readonly faults: readonly AddressFault[];
}

/** For an Event of the pod. */
export interface AddressFault {
  readonly pod: Pod;
  readonly reason: 'AddressTaken' | 'AddressNotInSubnet' | 'AddressNotUsable' | 'NoFreeAddress' | 'AddressReplaced';
  readonly note: string;
}
