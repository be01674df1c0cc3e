// Two nodes with pods of the Kubernetes project's cases, their policies in OVN_Northbound, and packets between them by
// ovn-trace.
import type { Test } from 'tap';
import type { OverlayLayout, OverlayNode } from '../../agent/model/overlay.ts';
import type { ObjectChange, Protocol } from '../../agent/model/workload.ts';
import { addressIn, isIpv6, isWithin, macOf, withoutLength } from '../../agent/overlay/addresses.ts';
import { managementMac } from '../../agent/overlay/cluster/node-rows.ts';
import { workloadTables } from '../../agent/overlay/rows/overlay-tables.ts';
import { indexRows } from '../../agent/overlay/rows/row-index.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import { planWorkload } from '../../agent/workload/plan-workload.ts';
import { concernedPolicyUnits, factsOf, type PolicyWorld, policyUnitsOf } from '../unit/workload/policies/world.ts';
import { type Central, readRows, startCentral } from './central.ts';
import type { Release } from './releases.ts';
import { startTracer, type Tracer } from './tracer.ts';

/** Sender or receiver of packets. */
export interface TraceEnd {
  readonly port: string;
  readonly node: OverlayNode;
  readonly mac: string;
  readonly addresses: readonly string[];
}

export interface PolicyCluster {
  readonly central: Central;
  /** Applies the changes of the given objects, or of all objects if none are given. */
  plan(world: PolicyWorld, changes?: readonly ObjectChange[]): Promise<number>;
  /** Returns the port at which a first packet arrives with the rows of the last `plan`; null if it does not arrive. */
  send(from: TraceEnd, to: TraceEnd | string, protocol: Protocol, port: number): Promise<string | null>;
  pod(world: PolicyWorld, key: string): TraceEnd;
  node(id: number): TraceEnd;
}

/** Starts a cluster in which the pods have their ports before any policy exists. */
export async function startPolicyCluster(
  t: Test,
  release: Release,
  layout: OverlayLayout,
  nodes: readonly OverlayNode[],
  world: PolicyWorld,
): Promise<PolicyCluster> {
  const central = await startCentral(t, true, release);
  for (const { systemId, encap } of nodes)
    central.run('ovn-sbctl', 'chassis-add', systemId, 'geneve', encap.addresses[0] ?? '');
  await central.apply({ layout, nodes, centralNode: 'kube-master' });
  const nodeOf = (address: string): OverlayNode => {
    const node = nodes.find(({ subnets }) =>
      subnets.some((subnet) => isIpv6(subnet) === isIpv6(address) && isWithin(withoutLength(address), subnet)),
    );
    if (node === undefined) throw new Error(`${address} is in no node's subnet`);
    return node;
  };
  const pod: PolicyCluster['pod'] = ({ addresses }, key) => {
    const own = (addresses.get(key) ?? []).map(withoutLength);
    return { port: key.replace('/', '_'), node: nodeOf(own[0] ?? ''), mac: macOf(own[0] ?? ''), addresses: own };
  };
  const ports = [...world.addresses.keys()].flatMap((key) => {
    const { port, node, mac, addresses } = pod(world, key);
    const place = [mac, ...addresses].join(' ');
    return [
      '--',
      'lsp-add',
      node.name,
      port,
      '--',
      'lsp-set-addresses',
      port,
      place,
      '--',
      'lsp-set-port-security',
      port,
      place,
      '--',
      'set',
      'Logical_Switch_Port',
      port,
      // Tag of a pod's port, as the watcher writes it; a port without the tag belongs to another program.
      'external_ids:pod=true',
    ];
  });
  central.run('ovn-nbctl', '--wait=sb', ...ports.slice(1));
  const routerMac = new Map(
    nodes.map((node) => {
      const mac = central.run('ovn-nbctl', '--bare', 'get', 'Logical_Router_Port', `rtos-${node.name}`, 'mac');
      return [node, mac.trim().replaceAll('"', '')];
    }),
  );
  let tracer: Tracer | null = null;
  const endTracer = async (): Promise<void> => {
    await tracer?.end();
    tracer = null;
  };
  t.teardown(endTracer);
  return {
    central,
    pod,
    node: (id) => {
      const node = nodes.find((one) => one.id === id) as OverlayNode;
      const addresses = node.subnets.map((subnet) => addressIn(subnet, 2));
      return { port: `k8s-${node.name}`, node, mac: managementMac(node), addresses };
    },
    plan: async (current, changes) => {
      const facts = { ...factsOf(layout, current), nodes };
      const rows = await readRows(central.client, 'OVN_Northbound', workloadTables);
      const existing = indexRows(rows);
      const units =
        changes === undefined
          ? policyUnitsOf(facts, existing)
          : changes.flatMap((change) => concernedPolicyUnits(change, facts));
      const plan = planWorkload(facts, existing, rows.shape, units);
      const operations = operationsOf(plan, rows.shape);
      if (operations.length > 0) {
        await endTracer();
        await central.client.transact('OVN_Northbound', operations);
        central.run('ovn-nbctl', '--wait=sb', 'sync');
      }
      return plan.changes.length;
    },
    send: async (from, to, protocol, port) => {
      const target = typeof to === 'string' ? to : (to.addresses[0] ?? '');
      const source = from.addresses.find((address) => isIpv6(address) === isIpv6(target)) ?? '';
      const isNear = typeof to !== 'string' && to.node === from.node;
      const family = isIpv6(target) ? 'ip6' : 'ip4';
      const packet = [
        `inport == "${from.port}"`,
        `eth.src == ${from.mac}`,
        `eth.dst == ${isNear ? to.mac : routerMac.get(from.node)}`,
        `${family}.src == ${source}`,
        `${family}.dst == ${target}`,
        'ip.ttl == 64',
        `${protocol.toLowerCase()}.dst == ${port}`,
      ];
      tracer ??= await startTracer(central);
      const said = await tracer.trace(from.node.name, packet.join(' && '));
      return /output\("([^"]+)"/.exec(said)?.[1] ?? null;
    },
  };
}
