// `overlay trace` on real nodes: its result for a packet matches the actions of OVN and Open vSwitch.

import t from 'tap';
import type { TraceCrossing, TracedWay, TraceResult } from '../../agent/model/overlay-trace.ts';
import { type Host, missingForHosts } from './hosts.ts';
import { denySsh, learn, outside, twoNodes } from './traced-cluster.ts';

t.test(
  'traces of packets that arrive, and of packets that are dropped',
  { skip: missingForHosts() ?? false },
  async (t) => {
    const [n1, n2] = await twoNodes(t);

    await t.test('a packet from node to node, and its reply', async (t) => {
      const { status, stdout } = n1.agent('overlay', 'trace', 'n1', 'n2', '--back');
      t.equal(status, 0);
      t.match(
        stdout,
        /switch n1, .*\n[\s\S]*router ovn_cluster_router, .*\n[\s\S]*Delivered to k8s-n2 on n2, from 10\.42\.0\.2\./,
      );
      t.match(stdout, /Reply:\n[\s\S]*Delivered to k8s-n1 on n1, from 10\.42\.1\.2\./);
      const [fromFirst, fromSecond] = [traced(n1, 'n1', 'n2', '--back'), traced(n2, 'n1', 'n2', '--back')];
      t.strictSame(
        withoutNames(fromFirst.there),
        withoutNames(fromSecond.there),
        'the traces of both nodes agree about OVN',
      );
      for (const [sender, receiver] of [
        [fromFirst.there, fromSecond.there],
        [fromSecond.back, fromFirst.back],
      ]) {
        const [sent] = sender?.here ?? [];
        const [crossing] = crossingsOf(sender);
        const { tunId, metadata, address } = crossing ?? {};
        t.match(
          sent?.outputs[0],
          { kind: 'tunnel', tunId, metadata, address },
          'the tunnel keys of the trace are those that Open vSwitch writes',
        );
        t.match(
          receiver?.here,
          [{ device: /^ovn-n\d-/, outputs: [{ device: 'ovn-k8s-mp0' }], drop: null }],
          'the receiver delivers a packet with these keys to its port',
        );
      }
    });

    await t.test('a packet that leaves by the gateway of the other node', async (t) => {
      t.match(n2.agent('overlay', 'trace', 'n2', outside), {
        status: 3,
        stdout: /GR_n1 does not know the MAC of 192\.0\.2\.254/,
      });
      learn(n1);
      const { status, stdout } = n1.agent('overlay', 'trace', 'n2', outside, '--back');
      t.equal(status, 0);
      t.match(
        stdout,
        /by route 0\.0\.0\.0\/0 via 192\.0\.2\.254\n {4}source 10\.42\.1\.2 becomes 192\.0\.2\.21 by NAT \w+ \(snat/,
      );
      t.match(stdout, /Leaves the cluster by br-ex_n1 on n1, from 192\.0\.2\.21 to 203\.0\.113\.9\./);
      t.match(
        stdout,
        /destination 192\.0\.2\.21 becomes 10\.42\.1\.2 by connection tracking[\s\S]*Delivered to k8s-n2 on n2, from 203/,
      );
      const [arrived] = traced(n1, 'n2', outside).there.here;
      t.match(arrived, { device: /^ovn-n2-/, outputs: [{ kind: 'patch' }], learning: ['br-ex'], drop: null });
    });

    await t.test('a service', (t) => {
      const web = ['10.43.0.10:80', '10.42.1.2:8080,10.42.0.2:8080'];
      const owner = ['external_ids:k8s.ovn.org/kind=Service', 'external_ids:k8s.ovn.org/owner=default/web'];
      n1.must('ovn-nbctl', 'lb-add', 'web', ...web, 'tcp', '--', 'set', 'Load_Balancer', 'web', ...owner);
      n1.must('ovn-nbctl', '--wait=hv', 'ls-lb-add', 'n1', 'web');
      const { status, stdout } = n1.agent('overlay', 'trace', 'n1', '10.43.0.10', '--back');
      t.equal(status, 0);
      t.match(
        stdout,
        /tcp port 80:\n[\s\S]*10\.43\.0\.10:80 becomes 10\.42\.1\.2:8080 by Service default\/web .*one of 2/,
      );
      t.match(stdout, /source 10\.42\.1\.2:8080 becomes 10\.43\.0\.10:80 by connection tracking/);
      n1.must(
        'ovn-nbctl',
        '--wait=hv',
        'set',
        'Load_Balancer',
        'web',
        'vips={"10.43.0.10:80"=""}',
        'options:reject=true',
      );
      t.match(n1.agent('overlay', 'trace', 'n1', '10.43.0.10', '--tcp', '80'), {
        status: 3,
        stdout: /Rejected by Service default\/web .*no backend/,
      });
      t.end();
    });

    await t.test('a packet to a NodePort of the gateway', (t) => {
      const owner = ['external_ids:k8s.ovn.org/kind=Service', 'external_ids:k8s.ovn.org/owner=default/node-port'];
      n1.must(
        'ovn-nbctl',
        'lb-add',
        'port',
        '192.0.2.21:30080',
        '10.42.1.2:8080',
        'tcp',
        '--',
        'set',
        'Load_Balancer',
        'port',
        ...owner,
      );
      n1.must('ovn-nbctl', '--wait=hv', 'lr-lb-add', 'GR_n1', 'port');
      const words = [outside, '192.0.2.21', '--tcp', '30080', '--back'];
      const { status, stdout } = n1.agent('overlay', 'trace', ...words);
      t.equal(status, 0);
      t.match(stdout, /192\.0\.2\.21:30080 becomes 10\.42\.1\.2:8080 by Service default\/node-port/);
      t.match(
        stdout,
        /source 203\.0\.113\.9 becomes 100\.64\.0\.2 by Service[\s\S]*Delivered to k8s-n2 on n2, from 100\.64\.0\.2\./,
      );
      t.match(stdout, /Leaves the cluster by br-ex_n1 on n1, from 192\.0\.2\.21 to 203\.0\.113\.9\./);
      t.match(traced(n2, ...words).there.here, [{ outputs: [{ device: 'ovn-k8s-mp0' }], drop: null }]);
      t.end();
    });

    await t.test('a packet that a policy drops', (t) => {
      denySsh(n1, 'no-ssh', '\\"k8s-n2\\"', 'Logical_Switch', 'n2');
      const words = ['overlay', 'trace', '10.42.0.2', 'n2', '--tcp', '22'];
      t.match(n1.agent(...words), { status: 3, stdout: /Dropped by NetworkPolicy default\/no-ssh \(ACL \w+, drop/ });
      const there = n2.agent(...words);
      t.match(there, {
        status: 3,
        stdout: /Dropped by ACL (\w+) [\s\S]*Open vSwitch of n2: .*\n {4}dropped by ACL \1/,
      });
      t.match(
        n1.agent('overlay', 'trace', 'n1', 'n2', '--udp', '22'),
        { status: 0 },
        'a packet of another protocol is not dropped',
      );
      const elsewhere = ['overlay', 'trace', 'n1', '10.42.1.77'];
      t.match(n1.agent(...elsewhere), {
        status: 3,
        stdout: /does not know the MAC of 10\.42\.1\.77 and asks for it by rtos-n2/,
      });
      t.end();
    });

    await t.test('through VXLAN', (t) => {
      for (const { must } of [n1, n2])
        must('ovs-vsctl', 'set', 'Open_vSwitch', '.', 'external_ids:ovn-encap-type=vxlan');
      n1.must('ovn-nbctl', '--wait=hv', 'sync');
      const { there } = traced(n1, 'n1', 'n2');
      const [{ tunId, encap } = {}] = crossingsOf(there);
      t.equal(encap, 'vxlan');
      t.match(there.here, [{ outputs: [{ kind: 'tunnel', tunId, metadata: null, outPort: 'cr-rtos-n2' }] }]);
      t.match(traced(n2, 'n1', 'n2').there.here, [{ outputs: [{ device: 'ovn-k8s-mp0' }], drop: null }]);
      t.end();
    });

    t.match(n1.agent('overlay', 'trace', 'n1', 'n3'), {
      status: 2,
      stderr: /nothing in the cluster is called n3; .* there are n1, n2$/m,
    });
    t.match(n1.agent('overlay', 'trace', 'n1', 'n2', '--tcp', '80', '--udp', '80'), {
      status: 2,
      stderr: /is one of --tcp/,
    });
    t.match(n1.agent('overlay', 'trace', outside, 'n1', '--from-node', 'n2'), {
      status: 2,
      stderr: /gateways are on n1/,
    });
    const place = ['lsp-set-addresses', 'nowhere', '0a:58:0a:2a:00:63 10.42.0.99'];
    n1.must('ovn-nbctl', '--wait=sb', 'lsp-add', 'n1', 'nowhere', '--', ...place);
    t.match(n1.agent('overlay', 'trace', 'nowhere', 'n2'), { status: 3, stderr: /nowhere is not on any node/ });
  },
);

function traced(host: Host, ...words: readonly string[]): TraceResult {
  const { status, stdout, stderr } = host.agent('overlay', 'trace', ...words, '--output', 'json');
  if (stdout === '') throw new Error(`${host.name}: ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as TraceResult;
}

function crossingsOf(way: TracedWay | null | undefined): readonly TraceCrossing[] {
  return (way?.stations ?? []).flatMap((station) => (station.do === 'cross' ? station.crossing : []));
}

/**
 * Returns a traced path without the stations that contain names of rows, because only the central node knows the names.
 */
function withoutNames({ stations, end, last }: TracedWay) {
  return { stations: stations.filter((station) => station.do !== 'pass'), end, last };
}
