// Names of the two ends of a traced packet, and the errors for unknown names.
import t from 'tap';
import type { TraceQuestion } from '../../../agent/model/overlay-trace.ts';
import { type Departure, departureOf } from '../../../agent/trace/ends.ts';
import { networkOf } from '../../../agent/trace/logical-network.ts';
import { failure } from '../failure.ts';
import { recordedRows } from './recorded.ts';

const { southbound } = recordedRows('23.03', 'n1');
const network = networkOf(southbound);

function ask(source: string, destination: string, special: Partial<TraceQuestion> = {}): Departure {
  const question = { source, destination, protocol: 'icmp', port: null, fromNode: null, ...special } as const;
  return departureOf(question, network, southbound);
}

function hinted(hint: RegExp, message = /./): Error {
  return { ...failure('bad-usage', { message }), hint } as unknown as Error;
}

t.test('a port is found by each of its names', (t) => {
  for (const [name, port] of [
    ['n1', 'k8s-n1'],
    ['k8s-n1', 'k8s-n1'],
    ['10.42.0.2', 'k8s-n1'],
    ['default/a', 'default_a'],
    ['default_a', 'default_a'],
    ['fd01:0::3', 'default_a'],
  ] as const) {
    const to = name.includes('fd01') ? 'fd01:0:0:1::3' : '10.42.1.3';
    t.match(ask(name, to), { inPort: { name: port }, packet: { destination: to, ttl: 64 } }, name);
  }
  t.end();
});

t.test('a packet is sent to a neighbour directly, and otherwise to the router', (t) => {
  t.equal(ask('default/a', 'n1').packet.ethDestination, '0a:58:0a:2a:00:02');
  t.equal(ask('default/a', 'n2').packet.ethDestination, '0a:58:0a:2a:00:01');
  t.equal(
    ask('default/a', '10.42.0.1').packet.ethDestination,
    '0a:58:0a:2a:00:01',
    'a packet to another subnet goes to the router',
  );
  t.end();
});

t.test('an address determines the family, and names with both families mean IPv4', (t) => {
  t.match(ask('default/a', 'default/b').packet, { source: '10.42.0.3', destination: '10.42.1.3' });
  t.match(ask('default/a', 'fd01:0:0:1::3').packet, { source: 'fd01::3', destination: 'fd01:0:0:1::3' });
  t.match(ask('fd01::3', 'default/b').packet, { source: 'fd01::3', destination: 'fd01:0:0:1::3' });
  t.throws(() => ask('n1', 'fd01:0:0:1::3'), failure('bad-usage', { message: /have no address of one family/ }));
  t.end();
});

t.test('the port of a service is known, unless it has several', (t) => {
  t.match(
    ask('n1', '192.0.2.21').packet,
    { protocol: 'icmp', destinationPort: null },
    'the address of a router is not traced as a service',
  );
  const one = { ...southbound.tables, Load_Balancer: [{ _uuid: 'x', protocol: 'udp', vips: { '10.43.0.53:53': '' } }] };
  const question = { source: 'n1', destination: '10.43.0.53', protocol: 'icmp', port: null, fromNode: null } as const;
  t.match(departureOf(question, network, { ...southbound, tables: one }).packet, {
    protocol: 'udp',
    destinationPort: 53,
    sourcePort: 49_152,
  });
  t.throws(() => ask('n1', '10.43.0.10'), hinted(/^say which: --tcp 80, --tcp 81$/));
  t.match(ask('n1', '10.43.0.10', { protocol: 'tcp', port: 81 }).packet, { protocol: 'tcp', destinationPort: 81 });
  t.end();
});

t.test('packets from outside enter by a gateway', (t) => {
  const gateway = { inPort: { name: 'br-ex_n1' }, packet: { ethDestination: '52:54:00:00:00:01' } };
  t.match(ask('203.0.113.9', '192.0.2.21'), gateway);
  t.match(ask('203.0.113.9', '10.42.1.3', { fromNode: 'n1' }), gateway);
  t.throws(
    () => ask('203.0.113.9', '10.42.1.3', { fromNode: 'n2' }),
    hinted(/gateways are on n1/, /no gateway of n2 lets it in/),
  );
  t.end();
});

t.test('unknown names', (t) => {
  t.throws(
    () => ask('n1', 'web/nginx'),
    hinted(/there are default_a, default_b, n1, n2$/, /nothing in the cluster is called web\/nginx/),
  );
  t.throws(() => ask('n1', '10.42.0.2'), failure('bad-usage', { message: /are one port, k8s-n1/ }));
  t.throws(() => ask('stor-n1', 'n1'), failure('bad-usage', { message: /called stor-n1/ }));
  t.throws(() => ask('10.42.0.1', 'n1'), failure('bad-usage', { message: /rtos-n1 on ovn_cluster_router/ }));
  t.end();
});
