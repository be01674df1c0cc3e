// Simulated clusters with services: objects in the form of the API, and the existing rows.
import type { NorthboundFacts, OverlayLayout, OverlayNode, OverlayPlan } from '../../../../agent/model/overlay.ts';
import type { EndpointSlice, Service, Workload } from '../../../../agent/model/workload.ts';
import { foundIn } from '../../../../agent/overlay/rows/desired-rows.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { emptyWorkload } from '../../../../agent/workload/empty-workload.ts';
import type { WorkloadFacts } from '../../../../agent/workload/part.ts';
import { allObjectKeys, planWorkload } from '../../../../agent/workload/plan-workload.ts';
import { readService } from '../../../../agent/workload/services/read-service.ts';
import { readSlice } from '../../../../agent/workload/services/read-slice.ts';
import { exposure, modern } from '../../overlay/cluster.ts';
import type { ModelDatabase } from '../../overlay/model-database.ts';

/** An object of the API. */
export type ApiObject = Readonly<Record<string, unknown>>;

/** Returns the services and EndpointSlices among the objects, by kind. */
export function workloadOf(objects: readonly ApiObject[]): Workload {
  const keyed = <One extends Service | EndpointSlice>(
    kind: string,
    read: (object: unknown) => One,
  ): ReadonlyMap<string, One> =>
    new Map(
      objects
        .filter((object) => object.kind === kind)
        .map((object) => {
          const one = read(object);
          return [`${one.namespace}/${one.name}`, one];
        }),
    );
  return {
    ...emptyWorkload(),
    services: keyed('Service', readService),
    slices: keyed('EndpointSlice', readSlice),
  };
}

export function factsFor(
  objects: readonly ApiObject[],
  nodes: readonly OverlayNode[],
  layout: OverlayLayout = modern,
): WorkloadFacts {
  return { layout, nodes, exposure, workload: workloadOf(objects), addresses: new Map() };
}

/** Plans all object keys. */
export function planAll(facts: WorkloadFacts, rows: NorthboundFacts['rows']): OverlayPlan {
  const { existing, shape } = foundIn(rows);
  return planWorkload(facts, existing, shape, allObjectKeys(facts, existing));
}

/** Plans all object keys, and writes the rows. */
export function applyAll(facts: WorkloadFacts, database: ModelDatabase): OverlayPlan {
  const plan = planAll(facts, database.rows());
  database.transact(operationsOf(plan, database.rows().shape));
  return plan;
}

/**
 * Returns a Service of the namespace `default`; `spec` has the differences from a service with port 80 and one
 * address.
 */
export function serviceObject(name: string, spec: object = {}, status: object = {}, metadata: object = {}): ApiObject {
  const usual = { type: 'ClusterIP', clusterIPs: ['10.43.0.80'], ports: [{ port: 80, protocol: 'TCP' }] };
  return { kind: 'Service', metadata: { ...metadataOf(name), ...metadata }, spec: { ...usual, ...spec }, status };
}

/** Returns an EndpointSlice of a service; each endpoint has an address, its node, and its unusual properties. */
export function sliceObject(
  service: string,
  endpoints: readonly (readonly [address: string, node: string, conditions?: object])[],
  special: { readonly name?: string; readonly ports?: readonly object[]; readonly addressType?: string } = {},
): ApiObject {
  const {
    name = `${service}-abcde`,
    ports = [{ name: '', port: 8080, protocol: 'TCP' }],
    addressType = 'IPv4',
  } = special;
  return {
    kind: 'EndpointSlice',
    metadata: { ...metadataOf(name), labels: { 'kubernetes.io/service-name': service } },
    addressType,
    ports,
    endpoints: endpoints.map(
      ([address, nodeName, conditions = { ready: true, serving: true, terminating: false }]) => ({
        addresses: [address],
        nodeName,
        conditions,
      }),
    ),
  };
}

function metadataOf(name: string): object {
  return { namespace: 'default', name, uid: `uid-of-${name}` };
}
