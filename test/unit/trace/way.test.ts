// Places at which a packet's path ends although ovn-trace continues.
import t from 'tap';
import type { TraceWay } from '../../../agent/model/overlay-trace.ts';
import type { DatabaseRow, DatabaseRows } from '../../../agent/model/rows.ts';
import { departureOf } from '../../../agent/trace/ends.ts';
import { localQuestions, withoutDevice } from '../../../agent/trace/local-part.ts';
import { networkOf } from '../../../agent/trace/logical-network.ts';
import { ruleBook } from '../../../agent/trace/rules.ts';
import { beginWay, continueWay, nextStart, wayOf } from '../../../agent/trace/way.ts';
import { recordedOutput, recordedRows } from './recorded.ts';

const { southbound, northbound } = recordedRows('23.03', 'n1');

/** Returns the path of a recorded trace as if the ports in `unbound` were on no node. */
function wayThrough(name: string, destination: string, unbound: readonly string[]): TraceWay {
  const bindings = (southbound.tables.Port_Binding ?? []).map(
    (row): DatabaseRow => (unbound.includes(String(row.logical_port)) ? { ...row, chassis: [] } : row),
  );
  const rows: DatabaseRows = { ...southbound, tables: { ...southbound.tables, Port_Binding: bindings } };
  const network = networkOf(rows);
  const question = { source: 'n2', destination, protocol: 'icmp', port: null, fromNode: null } as const;
  const { inPort, packet } = departureOf(question, network, rows);
  const way = beginWay(
    { network, rules: ruleBook(rows, northbound), undo: [] },
    inPort,
    network.carrier(inPort),
    packet,
  );
  const start = nextStart(way);
  if (start === null) throw new Error('a way begins somewhere');
  return wayOf(continueWay(way, start, recordedOutput(name, 'there-1.txt').text));
}

t.test('a gateway on no chassis', (t) => {
  t.match(wayThrough('outside', '203.0.113.9', []).end, { how: 'outside', port: 'br-ex_n1', node: 'n1' });
  t.strictSame(wayThrough('outside', '203.0.113.9', ['jtor-GR_n1']).end, { how: 'unbound', port: 'jtor-GR_n1' });
  t.end();
});

t.test("missing parts of a node's Open vSwitch", (t) => {
  const way = wayThrough('outside', '203.0.113.9', []);
  const network = networkOf(southbound);
  const asked = (node: string, lacking: string) => {
    const { switchRows } = recordedRows('23.03', node);
    const interfaces = (switchRows.tables.Interface ?? []).map(
      (row): DatabaseRow => (row.name === lacking ? { ...row, ofport: [-1] } : row),
    );
    const tables = { ...switchRows.tables, Interface: interfaces };
    return localQuestions(way, node, network, { ...switchRows, tables });
  };
  t.match(asked('n2', ''), [{ device: 'ovn-k8s-mp0', flow: /^icmp,in_port=\d+,dl_src/ }]);
  t.strictSame(asked('n2', 'ovn-k8s-mp0'), [{ device: null, flow: 'br-int has no port for k8s-n2' }]);
  t.strictSame(asked('n1', 'ovn-n2-of--0'), [{ device: null, flow: 'br-int has no tunnel to n2' }]);
  const here = asked('n1', 'ovn-n2-of--0').map(withoutDevice);
  t.match(here, [{ drop: {} }], 'the packet is dropped');
  t.end();
});

t.test('results that ovn-trace lacks', (t) => {
  const { network, rules } = { network: networkOf(southbound), rules: ruleBook(southbound, northbound) };
  const port = network.port('k8s-n2');
  if (port === null) throw new Error('n2 has a port');
  const question = { source: 'n2', destination: 'n1', protocol: 'icmp', port: null, fromNode: null } as const;
  const { packet } = departureOf(question, network, southbound);
  const start = { inPort: port, packet, chassis: port.chassis, seen: [], forcedBy: null, reportedUpTo: -1 };
  const endOf = (text: string) =>
    wayOf(continueWay(beginWay({ network, rules, undo: [] }, port, port.chassis, packet), start, text)).end;
  t.match(endOf(''), { how: 'dropped', flow: null }, 'an empty result is a drop without a flow');
  const head = 'ingress(dp="n2", inport="k8s-n2")\n-----\n';
  t.match(endOf(`${head} 0. ls_in_check_port_sec: no match (implicit drop)\n`), {
    how: 'dropped',
    flow: null,
    where: 'n2',
  });
  const missing = ' 3. ls_in_new_stage (northd.c:1): ip.ttl == 1, priority 7, uuid 00000000\n    drop;\n';
  t.match(
    endOf(head + missing),
    { how: 'dropped', flow: { stage: 'ls_in_new_stage', match: 'ip.ttl == 1', rule: null } },
    'a flow that was removed meanwhile has no rule',
  );
  t.end();
});

t.test('a packet that reaches another node over the LAN', (t) => {
  const { network, rules } = { network: networkOf(southbound), rules: ruleBook(southbound, northbound) };
  const [port, router] = [network.port('k8s-n2'), network.port('rtoe-GR_n1')];
  if (port === null || router === null) throw new Error('n2 has a port, and n1 a gateway');
  const question = { source: 'n2', destination: 'default/a', protocol: 'icmp', port: null, fromNode: null } as const;
  const { packet } = departureOf(question, network, southbound);
  const text = `egress(dp="ext_n2", inport="etor-GR_n2", outport="br-ex_n2")\n-----\n 9. ls_out_apply_port_sec (northd.c:1): 1, priority 0, uuid 00000000\n    output;\n    /* output to "br-ex_n2", type "localnet" */\n`;
  const wayWith = (ethDestination: string) => {
    const sent = { ...packet, ethDestination };
    const start = { inPort: port, packet: sent, chassis: port.chassis, seen: [], forcedBy: null, reportedUpTo: -1 };
    return continueWay(beginWay({ network, rules, undo: [] }, port, port.chassis, sent), start, text);
  };
  const direct = wayWith(router.mac ?? '');
  t.match(nextStart(direct), { inPort: { name: 'br-ex_n1' }, chassis: { node: 'n1' } });
  const { stations } = wayOf(direct);
  t.match(stations.at(-1), { do: 'direct', from: 'n2', to: 'n1', outPort: 'br-ex_n2', inPort: 'br-ex_n1' });
  const { switchRows } = recordedRows('23.03', 'n1');
  t.match(
    localQuestions(wayOf(direct), 'n1', network, switchRows),
    [{ device: 'patch-br-int-to-br-ex_n1' }],
    'the packet enters br-int by the patch port of the LAN',
  );
  const other = wayWith('02:00:00:00:00:09');
  t.match(wayOf(other).end, { how: 'outside', port: 'br-ex_n2' }, 'another MAC is that of a router of the LAN');
  t.end();
});
