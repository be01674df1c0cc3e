// `overlay gateway` over br-ex: addresses of the cluster reach hosts outside of it, with the address of their gateway
// as the source.
import t from 'tap';
import { withheldCookie, withheldFlows } from '../../agent/overlay/services/withheld-answers.ts';
import { writesDuring } from './database-writes.ts';
import { form } from './form.ts';
import { type Host, killProcess, missingForHosts, startLan } from './hosts.ts';
import { answerTo, connected, databases, outside, seenAs, startOutside, startPod, state, take } from './outside.ts';

const skip = missingForHosts() ?? false;

/**
 * Adds flows to br-ex of a node that shares an address with its gateway. The flows mark each connection, so that an
 * answer reaches the sender of the request: the node or the gateway.
 */
function tellApart(host: Host): void {
  const ofport = (name: string): string => host.must('ovs-vsctl', 'get', 'Interface', name, 'ofport').trim();
  const [nic, way] = [ofport('eth0'), ofport(`patch-br-ex_${host.name}-to-br-int`)];
  const mac = host.must('cat', '/sys/class/net/br-ex/address').trim();
  const flows = [
    `priority=110,in_port=${way},ip,actions=ct(commit,zone=64000,exec(load:1->NXM_NX_CT_MARK[])),output:${nic}`,
    `priority=110,in_port=${nic},ip,ip_dst=${host.address},udp,udp_dst=6081,actions=LOCAL`,
    `priority=100,in_port=${nic},ip,ip_dst=${host.address},actions=ct(zone=64000,table=1)`,
    `priority=100,in_port=${nic},arp,dl_dst=${mac},actions=LOCAL,output:${way}`,
    `table=1,priority=100,ct_mark=1,ip,actions=output:${way}`,
    'table=1,priority=10,actions=LOCAL',
  ];
  for (const flow of flows) host.must('ovs-ofctl', 'add-flow', 'br-ex', flow);
}

const portOf = (host: Host, name: string): number =>
  Number(host.must('ovs-vsctl', 'get', 'Interface', name, 'ofport').trim());

/** Returns flows of a node's br-ex by which its gateway does not answer for addresses that other gateways announce. */
const withheldBy = (host: Host): string =>
  host.must('ovs-ofctl', '-O', 'OpenFlow14', 'dump-flows', 'br-ex', `cookie=${withheldCookie}/-1`);

t.test('gateways over br-ex', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13, ['eth1'])];
  await startOutside(lan);
  form(t, [n1, n2, n3]);
  const before = state(n2);
  const ports = ['br-ex', 'br-int'].map((bridge) => n2.must('ovs-vsctl', 'get', 'Bridge', bridge, 'ports').trim());

  const made = n2.agent('overlay', 'gateway', '--address', '192.0.2.112/24');
  t.match(made, {
    status: 0,
    stdout:
      /^Done, 3 changes: packets leave n2 by br-ex to 192\.0\.2\.254, as 192\.0\.2\.112\.\nLeft to do: the central node .*run there microshift-net overlay pki grant n2 --gateway 192\.0\.2\.112, or, where that was done, microshift-net overlay apply/,
  });
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /has not made n2 a gateway yet/ });
  t.match(
    n1.agent('overlay', 'apply'),
    { status: 0, stdout: /^Nothing to do/ },
    'the central node makes n2 no gateway without a grant',
  );
  t.match(n1.agent('overlay', 'verify'), { status: 3, stdout: /pki grant n2 --gateway\s+192\.0\.2\.112/ });
  t.match(n1.agent('overlay', 'pki', 'grant', 'n2', '--gateway', '10.42.7.7'), {
    status: 2,
    stderr: /cannot be granted/,
  });
  t.match(n1.agent('overlay', 'pki', 'grant', 'n7'), { status: 2, stderr: /n7 is not in the cluster/ });
  t.match(n1.agent('overlay', 'pki', 'grant', 'n2', '--gateway', '192.0.2.112'), { status: 0 });
  connected(n2, 'br-ex_n2');
  t.match(n2.agent('overlay', 'verify'), { status: 0 });
  t.equal(seenAs(n2, '10.42.1.2'), '192.0.2.112');
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.112', 'packets of n3, which has no gateway, leave by n2');
  const pod = startPod(n1, n3, '10.42.2.9');
  t.equal(answerTo(n3, '10.42.2.9', ...pod), '192.0.2.112', 'a process on n3 uses the address of the gateway');

  t.match(n1.agent('overlay', 'gateway', '--address', '192.0.2.111/24'), {
    status: 0,
    stdout: /^Done, \d+ changes: packets leave n1 by br-ex to 192\.0\.2\.254, as 192\.0\.2\.111\.$/m,
  });
  t.equal(seenAs(n1, '10.42.0.2'), '192.0.2.111', 'packets of n1 leave by its own gateway');
  t.equal(seenAs(n2, '10.42.1.2'), '192.0.2.112');
  t.match(seenAs(n3, '10.42.2.2'), /^192\.0\.2\.11[12]$/, 'packets of n3 leave by either gateway');
  t.match(
    n1.agent('overlay', 'nodes').stdout,
    /n1 .* 192\.0\.2\.111 on br-ex .*\nn2 .* 192\.0\.2\.112 on br-ex .*\nn3 .* - /,
  );

  const again = await writesDuring(n1, databases, () => {
    t.match(n1.agent('overlay', 'gateway', '--address', '192.0.2.111/24'), { status: 0, stdout: /^Nothing to do/ });
    t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(again, [], 'a second run writes nothing on the central node');
  const onNode = await writesDuring(n2, ['Open_vSwitch'], () => {
    t.match(n2.agent('overlay', 'gateway', '--address', '192.0.2.112/24'), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(onNode, [], 'a second run writes nothing on the other node');

  const asked = ['--address', '192.0.2.111/24', '--subnets', '10.42.1.0/24,10.42.2.0/24'];
  t.match(n1.agent('overlay', 'gateway', ...asked), { status: 0 });
  t.equal(
    seenAs(n2, '10.42.1.2'),
    '192.0.2.111',
    'packets of the subnets that n1 serves leave by n1, also those of n2',
  );
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.111');
  t.match(n1.agent('overlay', 'gateway', '--remove'), { status: 0, stdout: /n1 is not a gateway/ });
  t.equal(seenAs(n2, '10.42.1.2'), '192.0.2.112', 'without the gateway of n1, packets of n2 leave by n2 again');
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.112');

  n2.must(
    'ovs-vsctl',
    'set',
    'Open_vSwitch',
    '.',
    'external_ids:ovn-cms-options="enable-chassis-as-gw,microshift-net:kind=dedicated"',
  );
  const reported = 'other_config:ovn-cms-options="enable-chassis-as-gw,microshift-net:kind=dedicated"';
  n1.must('ovn-sbctl', '--timeout=60', 'wait-until', 'Chassis', 'n2-of-the-test', reported);
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.match(n1.agent('overlay', 'verify'), {
    status: 3,
    stdout: /certificate n2-of-the-test \(n2\) announces a gateway that is not taken:\s+its network "" has/,
  });
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  take(n1, n2, 'br-ex_n2');
  t.match(
    n2.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids:ovn-cms-options'),
    /^"enable-chassis-as-gw,microshift-net:kind=dedicated,microshift-net:network=physnet,/,
    'entries of other programs stay',
  );
  n2.must('ovs-vsctl', 'set', 'Open_vSwitch', '.', 'external_ids:ovn-cms-options=enable-chassis-as-gw');
  t.match(n2.agent('overlay', 'gateway', '--remove'), { status: 0 });
  // Value of ovn-cms-options on a node without a gateway and without entries of other programs.
  const announced = 'external_ids:ovn-cms-options="microshift-net-cidr:192.0.2.12/24"';
  n2.must('ovs-vsctl', 'set', 'Open_vSwitch', '.', announced);
  // The test waits until ovn-controller has removed its patch ports.
  for (const [index, bridge] of ['br-ex', 'br-int'].entries())
    n2.must('ovs-vsctl', '--timeout=60', 'wait-until', 'Bridge', bridge, `ports=${ports[index]}`);
  t.equal(state(n2), before, 'n2 has the same state as before the gateway');
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.notMatch(n1.must('ovn-nbctl', 'show'), /GR_/, 'the central node has no gateway router');

  t.match(n2.agent('overlay', 'gateway', '--address', '192.0.2.112/24'), { status: 0 });
  take(n1, n2, 'br-ex_n2');
  t.match(n1.agent('overlay', 'pki', 'grant', 'n2', '--revoke'), {
    status: 0,
    stdout: /nothing but its tunnel address/,
  });
  t.match(
    n1.agent('overlay', 'verify'),
    { status: 3, stdout: /pki grant n2 --gateway\s+192\.0\.2\.112/ },
    'verify reports the revoked grant',
  );
  // Flows as a killed daemon would leave them.
  for (const { flow } of withheldFlows(portOf(n2, 'eth0'), ['192.0.2.200', '2001:db8::200']))
    n2.must('ovs-ofctl', '-O', 'OpenFlow14', 'add-flow', 'br-ex', `cookie=${withheldCookie},${flow}`);
  t.match(withheldBy(n2), /arp_spa=192\.0\.2\.200.*nd_target=2001:db8::200/s, 'n2 has flows that withhold answers');
  t.match(n2.agent('overlay', 'leave'), { status: 0 });
  t.equal(n2.must('ovs-vsctl', 'list-ports', 'br-ex'), 'eth0\n', 'after leave, br-ex has only the NIC');
  t.notMatch(withheldBy(n2), /cookie=/, 'n2 has no flow that withholds answers');

  t.match(n1.agent('overlay', 'gateway'), { status: 0, stdout: /by br-ex to 192\.0\.2\.254, as 192\.0\.2\.11\./ });
  tellApart(n1);
  t.equal(seenAs(n1, '10.42.0.2'), '192.0.2.11', "packets of n1 leave with the node's own address");
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.11');
  n1.must('ip', 'route', 'delete', outside);
  t.equal(answerTo(n1, '192.0.2.11'), '192.0.2.11', 'the node itself also uses its address');

  n3.must('ip', 'address', 'add', '203.0.113.9/24', 'dev', 'eth1');
  t.match(n3.agent('overlay', 'apply'), { status: 0 }, 'the address is announced, as the daemon does');
  const untouched = state(n3);
  killProcess(n1, '/run/ovn/ovnsb_db.pid');
  t.match(n3.agent('overlay', 'gateway', '--interface', 'eth1', '--next-hop', '203.0.113.1'), {
    status: 5,
    stderr: /rolling back/,
  });
  t.equal(state(n3), untouched, 'a gateway that cannot be proved is rolled back');
});
