// `overlay nodes` on real nodes: a node that does not answer or is unreachable is shown with the reason.
import t from 'tap';
import { openCentralDatabase } from '../../agent/drivers/ovn/database.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startController, startLan } from './hosts.ts';
import { installPing } from './ping.ts';

const skip = missingForHosts() ?? false;

/** Returns a node in the JSON document of `overlay nodes`. */
function shown(central: Host, name: string): Record<string, unknown> {
  const { stdout, stderr } = central.agent('--output', 'json', 'overlay', 'nodes');
  if (stdout === '') throw new Error(stderr);
  const { nodes } = JSON.parse(stdout) as { nodes: Record<string, unknown>[] };
  return nodes.find((one) => one.name === name) ?? {};
}

function signal({ must }: Host, name: string): void {
  must('sh', '-c', 'kill -"$1" "$(cat /run/ovn/ovn-controller.pid)"', 'sh', name);
}

t.test('the nodes of a cluster, and causes why a node cannot be reached', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  form(t, [n1, n2, n3]);
  t.match(
    shown(n1, 'n2'),
    { tunnel: { state: 'unproven', reason: 'ping is missing' } },
    'the tunnel is unproven without ping(8)',
  );
  installPing(n1);
  const up = (port: string) => ({ tunnel: { port, state: 'up', reason: null }, echo: { isCurrent: true } });
  t.match(
    shown(n1, 'n1'),
    { tunnel: null, echo: { isCurrent: true }, gateway: null },
    'a node without a gateway is shown',
  );
  t.match(shown(n1, 'n2'), up('ovn-n2-of--0'));
  t.match(shown(n1, 'n3'), up('ovn-n3-of--0'));

  signal(n2, 'STOP');
  t.match(
    shown(n1, 'n2'),
    { ...up('ovn-n2-of--0'), echo: { isCurrent: false } },
    'the tunnel of a node with a paused ovn-controller is up',
  );
  t.match(n1.agent('overlay', 'nodes').stdout, /^n2 .* ovn-n2-of--0 up +tunnel +\d+ s ago /m);
  t.match(shown(n1, 'n3'), { echo: { isCurrent: true } }, 'the other node is not affected');
  signal(n2, 'CONT');
  t.match(shown(n1, 'n2'), up('ovn-n2-of--0'), 'the tunnel to n2 answers again');

  n2.must('ip', 'link', 'set', 'eth0', 'down');
  const cutOff = { state: 'joined', tunnel: { state: 'down', reason: '10.42.1.2 does not answer through it' } };
  t.match(shown(n1, 'n2'), { ...cutOff, echo: { isCurrent: false } }, 'a node without its NIC has no tunnel');
  n2.must('ip', 'link', 'set', 'eth0', 'up');

  // Effect of a firewall between the nodes; a running ovn-controller would revert it.
  signal(n3, 'STOP');
  n3.must('ovs-vsctl', 'set', 'Interface', 'ovn-n1-of--0', 'options:remote_ip=192.0.2.99');
  t.match(shown(n1, 'n3'), { tunnel: { state: 'down', reason: '10.42.2.2 does not answer through it' } });
  signal(n3, 'CONT');

  n3.must('ovs-vsctl', 'set', 'Open_vSwitch', '.', 'external_ids:ovn-encap-type=vxlan');
  const southbound = await openCentralDatabase('OVN_Southbound', [n1.path('/run/ovn')]);
  const isVxlan = await southbound?.appears(
    {
      table: 'Encap',
      where: [
        ['chassis_name', '==', 'n3-of-the-test'],
        ['type', '==', 'vxlan'],
      ],
    },
    60_000,
  );
  t.equal(isVxlan, true);
  t.match(shown(n1, 'n3'), {
    tunnel: { port: null, state: 'down', reason: 'no type in common: geneve here, vxlan there' },
  });
  t.match(
    n1.agent('overlay', 'nodes').stdout,
    /^n3 .* down: no type in common: geneve here, vxlan there +tunnel +now /m,
  );

  n3.must('sh', '-c', 'ovn-appctl -t ovn-controller exit; ovs-vsctl remove Open_vSwitch . external_ids ovn-encap-type');
  await southbound?.transact('wait until it has unregistered', [
    {
      op: 'wait',
      table: 'Chassis',
      where: [['name', '==', 'n3-of-the-test']],
      columns: ['name'],
      until: '==',
      rows: [],
      timeout: 60_000,
    },
  ]);
  southbound?.close();
  t.match(shown(n1, 'n3'), {
    state: 'not joined',
    echo: null,
    tunnel: { port: null, state: 'down', reason: 'it has not registered' },
  });
  t.match(n3.agent('overlay', 'apply').status, /[^0]/, 'the apply fails, because this machine cannot start the unit');
  startController(n3);
  t.match(n3.agent('overlay', 'apply'), { status: 0 });
  t.match(shown(n1, 'n3'), up('ovn-n3-of--0'), 'the tunnel to n3 answers again');

  n1.must('sh', '-c', 'kill -STOP "$(pgrep -x ovn-northd)"');
  t.match(n1.agent('overlay', 'nodes').stdout, /No node has answered, not even this one: systemctl status ovn-northd/);
  n1.must('sh', '-c', 'kill -CONT "$(pgrep -x ovn-northd)"');
});
