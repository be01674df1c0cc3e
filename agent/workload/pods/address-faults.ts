import type { Pod } from '../../model/workload.ts';
import { portName } from './port-name.ts';

/** For an Event of the pod. */
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

/** The port of a pod would have the name of a node's. */
export function nameReserved(pod: Pod): AddressFault {
  const note = `its port would have the name of a node's own port, ${portName(`${pod.namespace}/${pod.name}`)}; give the pod another name`;
  return { pod, reason: 'NameReserved', note };
}

/** The node of a pod gives no addresses. */
export function notInOverlay(pod: Pod): AddressFault {
  const note = `the overlay has no node ${pod.nodeName} that gives addresses, see "microshift-net overlay nodes" on the central node; make it join, with overlay.nodeName in its ovn.yaml where its host name is another one`;
  return { pod, reason: 'NodeNotInOverlay', note };
}

/** Pods have all addresses of a node; `ranges` are its ranges, as words. */
export function noneFree(pod: Pod, node: string, ranges: string): AddressFault {
  return { pod, reason: 'NoFreeAddress', note: `pods of ${node} have all addresses of ${ranges}; delete some of them` };
}
