// `overlay gateway --interface`: a NIC that only the gateway uses is removed from the machine, inserted again, and
// returned to the node.
import t from 'tap';
import { writesDuring } from './database-writes.ts';
import { form } from './form.ts';
import { missingForHosts, startLan } from './hosts.ts';
import { record, seenAs, startOutside, state } from './outside.ts';

const skip = missingForHosts() ?? false;

t.test('a gateway by a NIC of its own, in a VLAN', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12, ['eth1'])];
  const far = await startOutside(lan);
  far.must('ovs-vsctl', 'add-br', 'br-far', '--', 'set', 'bridge', 'br-far', 'datapath_type=netdev');
  far.must('ovs-vsctl', 'add-port', 'br-far', 'eth1');
  far.must('ovs-vsctl', 'add-port', 'br-far', 'vlan7', 'tag=7', '--', 'set', 'interface', 'vlan7', 'type=internal');
  far.must('ip', 'address', 'add', '203.0.113.1/24', 'dev', 'vlan7');
  far.must('ip', 'link', 'set', 'vlan7', 'up');
  form(t, [n1, n2], { n2: ['--gateway', '203.0.113.9'] });
  n2.must('ip', 'address', 'add', '203.0.113.9/24', 'dev', 'eth1');
  t.match(n2.agent('overlay', 'apply'), { status: 0 }, 'the address is announced, as the daemon does');
  const before = state(n2);

  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['--interface', 'eth9'], /eth9 does not exist; write one of: (?!.*(?:br-|ovs-|ovn-)).*eth1/],
    [['--interface', 'eth0'], /eth0 cannot be the gateway's own: it is a port of br-ex; choose an unused NIC, or omit/],
    [['--interface', 'br-ex'], /a default route of this node leads over it/],
    [
      ['--interface', 'eth0', '--address', '203.0.113.9/24', '--next-hop', '203.0.113.1'],
      /it is a port of br-ex; choose an unused/,
    ],
    [['--interface', 'eth1'], /nothing leads further from eth1/],
    [
      ['--interface', 'eth1', '--address', '203.0.113.8/24'],
      /eth1 has 203\.0\.113\.9\/24, which would not be answered any more/,
    ],
    [['--bridge', 'br-none'], /the bridge br-none of the gateway does not exist/],
    [['--vlan', '7'], /192\.0\.2\.12\/24 of br-ex is not in VLAN 7/],
    [['--address', '10.42.7.7/24'], /within 10\.42\.0\.0\/16 of the cluster/],
    [
      ['--subnets', '10.99.0.0/24'],
      /10\.99\.0\.0\/24 is not in 10\.42\.0\.0\/16; write with --subnets subnets of pods/,
    ],
    [['--interface', 'eth1', '--bridge', 'br-ex'], /two gateways/],
  ];
  for (const [words, message] of refusals)
    t.match(n2.agent('overlay', 'gateway', ...words), { status: 2, stderr: message }, words.join(' '));
  t.equal(state(n2), before, 'a node that was refused is as before');

  const own = ['--interface', 'eth1', '--next-hop', '203.0.113.1', '--vlan', '7'];
  t.match(n2.agent('overlay', 'gateway', ...own), {
    status: 0,
    stdout: /packets leave n2 by br-gweth1 in VLAN 7 to 203\.0\.113\.1, as 203\.0\.113\.9\./,
  });
  t.notMatch(
    n2.must('ip', '-o', 'address', 'show', 'dev', 'eth1'),
    /203\.0\.113/,
    'the NIC has given its address to the gateway',
  );
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  for (const [host, address] of [
    [n1, '10.42.0.2'],
    [n2, '10.42.1.2'],
  ] as const)
    t.equal(seenAs(host, address), '203.0.113.9', `packets of ${host.name} leave by the gateway`);
  n2.must('ip', 'address', 'add', '203.0.113.9/24', 'dev', 'eth1');
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /ip address delete 203\.0\.113\.9\/24 dev eth1/ });
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  const again = await writesDuring(n2, ['Open_vSwitch'], () => {
    t.match(n2.agent('overlay', 'gateway', ...own), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(again, [], 'a second run writes nothing');

  n2.must('cp', record, '/tmp/wanted.json');
  const made = state(n2);
  t.match(n2.agent('overlay', 'gateway', '--remove'), { status: 0 });
  t.equal(state(n2), before, 'the NIC has its address again, and nothing of the gateway is left');
  // The record exists without ports and flows of the gateway, as after a crash of the command right after it wrote the
  // record.
  n2.must('cp', '/tmp/wanted.json', record);
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  t.equal(state(n2), made, 'the interrupted change is completed');
  n2.must('ip', 'link', 'delete', 'eth1');
  t.match(n2.agent('overlay', 'apply'), { status: 0 }, 'apply succeeds without the NIC');
  t.match(n2.agent('overlay', 'verify'), {
    status: 3,
    stdout: /eth1 does not exist, and packets cannot leave the cluster by it/,
  });
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.notMatch(n1.must('ovn-nbctl', 'show'), /GR_n2/, 'the central node has no gateway router without the NIC');
  lan.plug(n2, 'eth1');
  t.match(n2.agent('overlay', 'apply'), { status: 0 }, 'the NIC returns to the bridge');
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.equal(seenAs(n1, '10.42.0.2'), '203.0.113.9');
  t.match(n2.agent('overlay', 'leave'), { status: 0 });
  t.match(n2.must('ip', '-o', 'address', 'show', 'dev', 'eth1'), /203\.0\.113\.9/, 'leave also returns the NIC');
  t.notMatch(n2.must('ovs-vsctl', 'list-br'), /br-gw/);
  t.notMatch(
    n2.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids'),
    /ovn-(bridge-mappings|cms-options)|owner/,
  );
});
