// Flows of a bridge that the node and its gateway share: golden cases, and the ports for which the flows are made.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { DirectNode } from '../../../../agent/model/direct-node.ts';
import type { OverlayGateway, OverlayLayout, OverlayNode } from '../../../../agent/model/overlay.ts';
import type { OverlayPeer } from '../../../../agent/model/overlay-peer.ts';
import type { DatabaseRow, DatabaseRows } from '../../../../agent/model/rows.ts';
import type { SharedPorts } from '../../../../agent/model/shared-bridge.ts';
import { isIpv6, withoutLength } from '../../../../agent/overlay/addresses.ts';
import { directFlows } from '../../../../agent/overlay/direct/direct-flows.ts';
import { directNodesOf } from '../../../../agent/overlay/direct/direct-nodes.ts';
import { clientsOfPeers } from '../../../../agent/overlay/peers/peer-ways.ts';
import { hostServices } from '../../../../agent/overlay/services/host-services.ts';
import { inboundServices } from '../../../../agent/overlay/services/inbound-services.ts';
import { dedicatedClientFlows, sharedClientFlows } from '../../../../agent/overlay/services/outside-clients.ts';
import { dedicatedPeerFlows, sharedPeerFlows, sharedVtepFlows } from '../../../../agent/overlay/services/peer-flows.ts';
import { sharedBridgeFlows } from '../../../../agent/overlay/services/shared-bridge-flows.ts';
import { clusterPort, sharedPorts } from '../../../../agent/overlay/services/shared-ports.ts';
import { equalsGolden } from '../../golden-file.ts';
import { dual, gatewayOf, modern, nodeOf, seed } from '../cluster.ts';

const cases = join(import.meta.dirname, '../../../../../test/cases/demux');
const six: OverlayLayout = { ...dual, clusterSubnets: ['fd01::/48'], serviceSubnets: ['fd02::/112'] };

/** Content of the file facts.json of a case, as test/cases/demux/README.md describes it. */
interface Facts {
  readonly layout?: 'modern' | 'dual' | 'six';
  readonly node?: Partial<OverlayNode>;
  readonly gateway?: Partial<OverlayGateway>;
  readonly ports?: SharedPorts;
  readonly balancers?: readonly {
    readonly name: string;
    readonly protocol?: string;
    readonly vips: Readonly<Record<string, string>>;
    readonly options?: Readonly<Record<string, string>>;
  }[];
  readonly others?: readonly string[];
  readonly clients?: readonly string[];
  readonly peers?: readonly OverlayPeer[];
  readonly direct?: readonly DirectNode[];
  readonly router?: readonly string[];
}

for (const name of readdirSync(cases).filter((entry) => !entry.endsWith('.md'))) {
  t.test(name, (t) => {
    const outcome = outcomeOf(JSON.parse(readFileSync(join(cases, name, 'facts.json'), 'utf8')) as Facts);
    for (const [file, text] of Object.entries(outcome)) {
      const path = join(cases, name, file);
      equalsGolden(t, path, text);
    }
    t.end();
  });
}

function outcomeOf(facts: Facts): { readonly 'flows.txt': string; readonly 'table.nft': string | null } {
  const layout = { modern, dual, six }[facts.layout ?? 'modern'];
  const gateway = gatewayOf(1, facts.gateway);
  const node = nodeOf(1, { ...facts.node, gateway });
  const services = inboundServices(layout, node, gateway, southboundOf(facts, node));
  const ports = facts.ports ?? { nic: 1, cluster: 2, isAlone: true };
  const ofPeers = clientsOfPeers(facts.peers ?? [], gateway);
  const clients = [...(facts.clients ?? []), ...ofPeers];
  const flows =
    gateway.kind === 'dedicated'
      ? [...dedicatedClientFlows(layout, node, gateway, clients), ...dedicatedPeerFlows(layout, gateway, ofPeers)]
      : [
          ...sharedBridgeFlows(node, gateway, ports, services),
          ...sharedClientFlows(layout, node, gateway, ports, clients),
          ...sharedPeerFlows(layout, gateway, ports, ofPeers),
          ...sharedVtepFlows(gateway, ports, facts.peers ?? []),
          ...directFlows(directNodesOf(node), gateway, ports, facts.direct ?? []),
        ];
  return {
    'flows.txt': flows.map(({ flow, why }) => `${flow} # ${why}\n`).join(''),
    'table.nft':
      hostServices(services, 'ovn-k8s-mp0', gateway.addresses.map(withoutLength), layout.clusterSubnets.some(isIpv6))
        ?.script ?? null,
  };
}

function southboundOf({ balancers = [], others = [], router }: Facts, node: OverlayNode): DatabaseRows {
  const rows = balancers.map(
    ({ name, protocol, vips, options = {} }): DatabaseRow => ({
      _uuid: name,
      name,
      protocol: protocol === undefined ? [] : [protocol],
      vips,
      options,
      ...(router !== undefined && { lr_datapath_group: router.includes(name) ? ['of-routers'] : [] }),
    }),
  );
  const chassis = [node.systemId, ...others].map(
    (name): DatabaseRow => ({ _uuid: name, name, encaps: [`at ${name}`] }),
  );
  const encaps = [...node.encap.addresses, ...others];
  const reported = router === undefined ? {} : { lr_datapath_group: { kind: 'set', isReference: true } as const };
  return {
    database: 'OVN_Southbound',
    shape: { Load_Balancer: { vips: { kind: 'map', isReference: false }, ...reported } },
    tables: {
      Load_Balancer: rows,
      Logical_DP_Group: [{ _uuid: 'of-routers', datapaths: ['gateway'] }],
      Datapath_Binding: [{ _uuid: 'gateway', external_ids: { name: 'GR_n1' } }],
      Chassis: chassis,
      Encap: encaps.map((ip, index) => ({ _uuid: `at ${chassis[index]?._uuid}`, ip })),
    },
  };
}

/**
 * Returns the rows of br-ex with its internal interface, the NIC as port 1, the gateway's port as port 2, and further
 * ports.
 */
function switchRows(more: readonly Partial<DatabaseRow>[] = [], cluster: Partial<DatabaseRow> = {}): DatabaseRows {
  const interfaces = [
    { name: 'br-ex', type: 'internal', ofport: [65_534] },
    { name: 'eth0', type: '', ofport: [1], mac_in_use: ['52:54:00:00:00:01'] },
    { name: 'patch-br-ex_n1-to-br-int', type: 'patch', ofport: [2], ...cluster },
    ...more,
  ];
  return {
    database: 'Open_vSwitch',
    shape: {},
    tables: {
      Bridge: [{ _uuid: 'bridge', name: 'br-ex', ports: interfaces.map((_, index) => `port ${index}`) }],
      Port: interfaces.map((_, index) => ({
        _uuid: `port ${index}`,
        interfaces: [`interface ${index}`],
      })),
      Interface: interfaces.map((row, index) => ({ ...row, _uuid: `interface ${index}` })),
    },
  };
}

t.test('ports of the bridge', (t) => {
  const ports = (rows: DatabaseRows): SharedPorts | string => sharedPorts(modern, 'n1', gatewayOf(1), rows);
  t.strictSame(ports(switchRows()), { nic: 1, cluster: 2, isAlone: true });
  const tap = { name: 'tap0', type: '', ofport: [9], mac_in_use: ['52:54:00:00:00:99'] };
  t.strictSame(
    ports(switchRows([tap])),
    { nic: 1, cluster: 2, isAlone: false },
    'beside another port, the NIC is recognized by the MAC of the bridge',
  );
  t.match(
    ports(switchRows([{ name: 'eth1', type: '', ofport: [9], mac_in_use: ['52:54:00:00:00:01'] }])),
    /eth0, eth1/,
  );
  t.match(ports(switchRows([], { ofport: [] })), /has not made eth0 and patch-br-ex_n1-to-br-int yet/);
  t.match(ports(switchRows([], { name: 'another' })), /br-ex has no port patch-br-ex_n1-to-br-int/);
  t.match(sharedPorts(modern, 'n1', gatewayOf(1, { bridge: 'br9' }), switchRows()), /the bridge br9 does not exist/);
  t.equal(
    clusterPort(seed, 'n1', gatewayOf(1)),
    'k8s-patch-br-ex-br-int',
    'the patch port of ovn-kubernetes of 2017 is recognized',
  );
  t.end();
});

t.test('without a gateway a node has flows only for services of its own in the cluster', (t) => {
  const node = nodeOf(1);
  const vips = {
    '10.43.0.1:443': '192.0.2.11:6443',
    '10.43.0.80:80': '10.42.1.9:8080',
    '192.0.2.11:30080': '10.42.1.9:8080',
  };
  const services = inboundServices(modern, node, null, southboundOf({ balancers: [{ name: 'all', vips }] }, node));
  const target = { address: '192.0.2.11', port: 6443 };
  t.strictSame(services, [{ protocol: 'tcp', address: '10.43.0.1', port: 443, target, isServedHere: true }]);
  t.end();
});

t.test('a member that claims the address of this node takes no service from it', (t) => {
  const node = nodeOf(1, { gateway: gatewayOf(1) });
  const vips = { '192.0.2.11:30080': '10.42.1.9:8080' };
  const rows = southboundOf({ balancers: [{ name: 'all', vips }], others: ['192.0.2.99'] }, node);
  const [own, liar] = rows.tables.Encap ?? [];
  const arriving = (encaps: readonly unknown[], more: readonly DatabaseRow[] = []): number => {
    const [first, second] = rows.tables.Chassis ?? [];
    const Chassis = [first, { ...second, encaps }] as DatabaseRow[];
    const tables = { ...rows.tables, Chassis, Encap: [own, liar, ...more] as DatabaseRow[] };
    return inboundServices(modern, node, node.gateway, { ...rows, tables }).length;
  };
  t.equal(arriving([liar?._uuid]), 1, 'the service stays beside an honest member');
  t.equal(arriving([own?._uuid]), 1, 'the service stays beside a member that names the Encap row of this node');
  const forged = { _uuid: 'forged', ip: '192.0.2.11', type: 'vxlan', chassis_name: '192.0.2.99' };
  t.equal(arriving(['forged'], [forged]), 1, 'the service stays beside a member with a forged Encap row');
  t.end();
});
