import type { OverlayNode } from '../../model/overlay.ts';
import type { Protocol } from '../../model/workload.ts';
import { isIpv6, isWithin, sameFamily, withoutLength } from '../../overlay/addresses.ts';
import { gatewayNames, joinNames } from '../../overlay/overlay-names.ts';
import { is, keys } from '../../overlay/rows/column-changes.ts';
import { hopsColumn } from '../../overlay/rows/router-policies.ts';
import { listOf, textOf } from '../../overlay/rows/row-index.ts';
import { clusterRouterOf } from '../../overlay/rows/row-ownership.ts';
import type { ObjectPlanner } from '../part.ts';

/**
 * Priority of the router policies for answers of pods, above that of the policies that lead the nodes' own addresses to
 * the nodes (agent/overlay/cluster/node-rows.ts).
 */
const priority = 1005;

/** Answer of a pod to a request that a node has sent to a gateway. */
interface Answer {
  /** Address of the pod that sends the answer. */
  readonly address: string;
  /** Expression that matches the answer (ovn-nb(5), Logical_Router_Policy, match). */
  readonly match: string;
}

/**
 * Plans policies that route answers of pods to nodes through a gateway. The pods are backends of this gateway's load
 * balancers, and only this gateway has tracked the requests. A node that connects to a pod directly has a source
 * address of the cluster, to which these policies do not apply. `namespaceOf` returns the namespace of the pod with an
 * address; null if no pod has it. Users can write EndpointSlices, so answers of pods in other namespaces than the
 * service's are not rerouted.
 */
export function* addReturnRoutes(
  planner: ObjectPlanner,
  owner: string,
  node: OverlayNode,
  protocol: Protocol,
  backends: ReadonlySet<string>,
  namespaceOf: (address: string) => string | null,
): Generator<undefined, void, undefined> {
  const { desired, nodes } = planner;
  const [namespace] = owner.split('/');
  const router = clusterRouterOf(desired.existing);
  const port = desired.existing.named('Logical_Router_Port', joinNames(gatewayNames(node.name).router).onRouter);
  if (router === null || port === null) {
    desired.trace.push(`${owner}=no return path through ${node.name}, whose router is not there`);
    return;
  }
  const holder = { table: 'Logical_Router', title: textOf(router, 'name'), reference: router._uuid, existing: router };
  const known = new Map(
    desired.existing
      .ofObject(`service:${owner}`)
      .flatMap(({ table, row }) => (table === 'Logical_Router_Policy' ? [[textOf(row, 'match'), row] as const] : [])),
  );
  const hops = hopsColumn(desired);
  const gateways = listOf(port, 'networks').map((one) => withoutLength(String(one)));
  for (const { address, match } of answersOf(owner, node, nodes, protocol, backends)) {
    const hop = sameFamily(gateways, address);
    const other = namespaceOf(address);
    if (hop === null || (other !== null && other !== namespace)) continue;
    planner.add({
      table: 'Logical_Router_Policy',
      title: `${node.name}: ${match}`,
      existing: known.get(match) ?? null,
      columns: {
        priority: is(priority),
        match: is(match),
        action: is('reroute'),
        [hops]: is([hop]),
        external_ids: keys({ 'k8s.ovn.org/kind': 'Service', 'k8s.ovn.org/owner': owner }),
      },
      place: { row: holder, column: 'policies' },
      why: `answers of service ${owner} to nodes leave by ${node.name}, at which the request arrived`,
    });
    yield;
  }
}

/** Yields the answers of the pods that are backends. */
function* answersOf(
  owner: string,
  { gateway, subnets }: OverlayNode,
  nodes: readonly OverlayNode[],
  protocol: Protocol,
  backends: ReadonlySet<string>,
): Generator<Answer, void, undefined> {
  const own = (gateway?.addresses ?? []).map(withoutLength);
  // A node that shares its address with the gateway is left out: its requests pass a table of nftables and not the
  // gateway's router.
  const askers = nodes.flatMap(({ hostAddresses }) => hostAddresses).filter((one) => !own.includes(one));
  const ports = new Map<string, number[]>();
  for (const backend of backends) {
    const [, address = '', port = ''] = /^\[?(.*?)\]?:([0-9]+)$/.exec(backend) ?? [];
    const numbers = ports.get(address);
    if (numbers === undefined) ports.set(address, [Number(port)]);
    else numbers.push(Number(port));
  }
  for (const [address, numbers] of ports) {
    const family = isIpv6(address) ? 'ip6' : 'ip4';
    const ofFamily = askers.filter((one) => isIpv6(one) === isIpv6(address));
    // Pods outside of the node's subnets are left out: pods in the host network do not answer through the cluster's
    // router.
    if (ofFamily.length === 0 || !subnets.some((subnet) => isWithin(address, subnet))) continue;
    const [first, ...more] = numbers.toSorted((a, b) => a - b);
    const from = more.length === 0 ? `${first}` : `{${[first, ...more].join(', ')}}`;
    const packet = `${family}.src == ${address} && ${protocol.toLowerCase()}.src == ${from}`;
    yield { address, match: `${packet} && ${family}.dst == {${ofFamily.join(', ')}} /* ${owner} */` };
  }
}
