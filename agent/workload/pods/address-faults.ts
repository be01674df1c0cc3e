import type { FixedRange } from '../../model/overlay.ts';
import type { Pod } from '../../model/workload.ts';
import { isWithin } from '../../overlay/addresses.ts';
import { escapeText } from '../../printable.ts';
import { annotationNames } from './annotations.ts';
import { portName } from './port-name.ts';

/** Problem with a pod's addresses or port, which an Event of the pod reports. */
export interface AddressFault {
  readonly pod: Pod;
  readonly reason:
    | 'NameReserved'
    | 'AddressTaken'
    | 'AddressNotUsable'
    | 'NoFreeAddress'
    | 'AddressReplaced'
    | 'NodeNotInOverlay';
  readonly note: string;
}

/** Returns the fault of a pod whose port would have the name of a node's port. */
export function nameReserved(pod: Pod): AddressFault {
  const note = `its port would have the name of a node's own port, ${portName(`${pod.namespace}/${pod.name}`)}; give the pod another name`;
  return { pod, reason: 'NameReserved', note };
}

/** Returns the fault of a pod whose node is not a member that provides addresses. */
export function notInOverlay(pod: Pod): AddressFault {
  const note = `the overlay has no node ${pod.nodeName} that gives addresses, see "microshift-net overlay nodes" on the central node; make it join, with overlay.nodeName in its ovn.yaml where its host name is another one`;
  return { pod, reason: 'NodeNotInOverlay', note };
}

/** Returns the fault of a pod on a node without free addresses; `ranges` are the node's ranges, in words. */
export function noneFree(pod: Pod, node: string, ranges: string): AddressFault {
  return { pod, reason: 'NoFreeAddress', note: `pods of ${node} have all addresses of ${ranges}; delete some of them` };
}

/**
 * Returns the fault of a request for addresses that the pod's namespace does not permit; null if the addresses are
 * permitted, or none is requested. If `fixedRanges` is empty, every pod may request any address.
 */
export function requestRefusal(
  pod: Pod,
  addresses: readonly string[],
  fixedRanges: readonly FixedRange[],
): AddressFault | null {
  if (fixedRanges.length === 0) return null;
  const own = fixedRanges.filter(({ namespace }) => namespace === pod.namespace).map(({ range }) => range);
  const outside = addresses.find((address) => !own.some((range) => isWithin(address, range)));
  if (outside === undefined) return null;
  const allowed =
    own.length === 0
      ? `no pod of namespace ${pod.namespace} may ask for one`
      : `pods of namespace ${pod.namespace} may ask for one of ${own.join(' and ')}`;
  const note = `${annotationNames.requested} asks for ${escapeText(outside)}, and ${allowed}; overlay.fixedAddressRanges of ovn.yaml on the central node says so`;
  return { pod, reason: 'AddressNotUsable', note };
}

/** Returns the fault of a running pod that cannot keep its address; `ranges` are the ranges of its node, in words. */
export function addressReplaced(pod: Pod, node: string, ranges: string): AddressFault {
  const note = `${pod.podIPs.join(' and ')} cannot stay: it is not of ${ranges}, which are the addresses of ${node}, or another pod has it. Delete the pod, so that it is started with an address of its own`;
  return { pod, reason: 'AddressReplaced', note };
}

/** Returns the fault of a request for an address that the pod `holder` has. */
export function addressTaken(pod: Pod, addresses: readonly string[], holder: string): AddressFault {
  const note = `${askedFor(addresses)}, which pod ${holder} has; delete that or ask for another one`;
  return { pod, reason: 'AddressTaken', note };
}

/**
 * Returns the fault of a request for an address that no pod of the node can have. `last` is the last address that has a
 * MAC of its own; null if every address has a MAC of its own.
 */
export function notUsable(
  pod: Pod,
  addresses: readonly string[],
  node: string,
  ranges: string,
  last: string | null,
): AddressFault {
  const allowed = `a pod of ${node} can have one of ${ranges}, but none of its first three and not the last one`;
  const note = `${askedFor(addresses)}; ${allowed}${last === null ? '' : `, and none after ${last}`}`;
  return { pod, reason: 'AddressNotUsable', note };
}

function askedFor(addresses: readonly string[]): string {
  return `${annotationNames.requested} asks for ${addresses.map((one) => escapeText(one)).join(' and ')}`;
}
