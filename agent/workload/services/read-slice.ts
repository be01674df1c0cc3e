import type { Endpoint, EndpointSlice, Labels, Protocol } from '../../model/workload.ts';
import { canonicalAddress } from '../../net/address.ts';
import { overBudget } from '../budget.ts';
import { isForOtherProxy } from './proxy-labels.ts';

/** Fields of an EndpointSlice (discovery.k8s.io/v1) that are read. */
interface SliceObject {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly labels?: Labels;
  };
  readonly addressType?: EndpointSlice['addressType'];
  readonly ports?: readonly { readonly name?: string; readonly protocol?: Protocol; readonly port?: number }[] | null;
  readonly endpoints?:
    | readonly {
        readonly addresses?: readonly string[];
        readonly nodeName?: string;
        readonly conditions?: {
          readonly ready?: boolean | null;
          readonly serving?: boolean | null;
          readonly terminating?: boolean | null;
        };
      }[]
    | null;
}

/**
 * Returns the fields of an EndpointSlice on which the network depends. An absent condition has the default of the API:
 * `ready` is true, `serving` has the value of `ready`, and `terminating` is false. An EndpointSlice for another proxy,
 * or beyond its budget, has no endpoints. Never throws.
 */
export function readSlice(object: unknown): EndpointSlice {
  const { metadata = {}, addressType = 'IPv4', ports, endpoints } = object as SliceObject;
  const slice: EndpointSlice = {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    serviceName: metadata.labels?.['kubernetes.io/service-name'] ?? null,
    addressType,
    ports: (ports ?? []).flatMap(({ name = '', protocol = 'TCP', port }) =>
      typeof port === 'number' ? [{ name, protocol, port }] : [],
    ),
    endpoints: (isForOtherProxy(metadata.labels) ? [] : (endpoints ?? [])).map(
      ({ addresses = [], nodeName = null, conditions = {} }): Endpoint => {
        const ready = conditions.ready ?? true;
        return {
          // All addresses of an endpoint are equivalent, and a client may use any of them (discovery.k8s.io/v1).
          addresses: addresses.slice(0, 1).map(canonicalAddress),
          nodeName,
          ready,
          serving: conditions.serving ?? ready,
          terminating: conditions.terminating ?? false,
        };
      },
    ),
  };
  const used = { ports: slice.ports.length, endpoints: slice.endpoints.length };
  const refusal = overBudget('EndpointSlice', slice, used);
  return refusal === null ? slice : { ...slice, ports: [], endpoints: [], refusal };
}
