// A shared gateway address of which the central node is one of the nodes: another node has it while one works.
import t from 'tap';
import { crash, crashCentral, startAgain, startCentralAgain } from './crash.ts';
import { startDaemon } from './daemon.ts';
import { writesDuring } from './database-writes.ts';
import { askOften } from './datagrams.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { outside, seenAs, startOutside, startPod, take } from './outside.ts';
import { oneOvn } from './ovn-of-nodes.ts';
import { talk } from './talk.ts';

const skip = missingForHosts() ?? false;

t.test('the central node is the last of an address', { skip }, async (t) => {
  const lan = await startLan(t, oneOvn());
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  const far = await startOutside(lan);
  form(t, [n1, n2, n3], { n2: ['--gateway', '192.0.2.100/24'] });
  const overlay = { bfdIntervalMs: 500 };
  n1.write('/etc/microshift/ovn.yaml', JSON.stringify({ ovs: { datapathType: 'netdev' }, overlay }));
  const vip = ['--address', '192.0.2.100/24', '--high-availability', 'vip'];
  for (const host of [n1, n2]) t.match(host.agent('overlay', 'gateway', ...vip), { status: 0 });
  take(n1, n2, 'physnet_ext_vip_192.0.2.100');

  const port = 'cr-rtoe-vip_192.0.2.100';
  const chassisOf = ({ name }: Host): string =>
    n1.must('ovn-sbctl', '--bare', '--columns=_uuid', 'find', 'Chassis', `name=${name}-of-the-test`).trim();
  /** Waits until a node has claimed the address. */
  const holder = (host: Host): string =>
    n1.must('ovn-sbctl', '--timeout=60', 'wait-until', 'Port_Binding', port, `chassis=${chassisOf(host)}`);
  const rowOf = ({ name }: Host): string =>
    n1
      .must(
        'ovn-nbctl',
        '--bare',
        '--columns=_uuid',
        'find',
        'Gateway_Chassis',
        `name=rtoe-vip_192.0.2.100-${name}-of-the-test`,
      )
      .trim();
  const isFirst = (host: Host): string =>
    n1.must('ovn-nbctl', '--timeout=60', 'wait-until', 'Gateway_Chassis', rowOf(host), 'priority=32767');
  const priorities = (): readonly string[] =>
    [n1, n2].map((host) => n1.must('ovn-nbctl', 'get', 'Gateway_Chassis', rowOf(host), 'priority').trim());
  /** Waits for the state of the BFD session from one node to another. */
  const session = (from: Host, to: Host, state: 'up' | 'down'): void => {
    const find = ['--bare', '--columns=name', 'find', 'Interface', `options:remote_ip=${to.address}`];
    const tunnel = from.must('ovs-vsctl', ...find).trim();
    const isSo = state === 'up' ? 'bfd_status:state=up' : 'bfd_status:state!=up';
    from.must('ovs-vsctl', '--timeout=60', 'wait-until', 'Interface', tunnel, isSo);
  };
  const pairs = [
    [n1, n2],
    [n2, n1],
    [n1, n3],
    [n3, n1],
    [n2, n3],
    [n3, n2],
  ] as const;
  const allUp = (): void => {
    for (const [from, to] of pairs) session(from, to, 'up');
    n1.must('ovn-nbctl', '--timeout=120', '--wait=hv', 'sync');
  };
  const nothingToWrite = async (): Promise<void> => {
    const writes = await writesDuring(n1, ['OVN_Northbound'], () => {
      t.match(n1.agent('overlay', 'verify'), { status: 0 });
      t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
    });
    t.strictSame(writes, []);
  };

  t.strictSame(priorities(), ['0', '32767'], 'n2 is first, and the central node is last');
  holder(n2);
  allUp();
  await nothingToWrite();
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.100');
  const inside = startPod(n1, n3, '10.42.2.9');
  const pod: Pick<Host, 'start'> = { start: (...words) => n3.start(...inside, ...words) };
  const connections = {
    TCP: await talk(pod, far, outside),
    UDP: await talk(pod, far, outside, { protocol: 'udp' }),
  };
  const continues = async (word: string): Promise<void> => {
    for (const [protocol, connection] of Object.entries(connections))
      t.equal(await connection.say(word), word, `a connection over ${protocol} continues ${word}`);
  };
  await continues('by n2');
  const often = await askOften(far, pod);
  const count = async (during: string): Promise<number> => {
    const { sent, unanswered, longestMs } = await often.end();
    t.comment(`${during}: ${unanswered} of ${sent} unanswered, longest silence ${longestMs} ms`);
    t.ok(sent > 0);
    return unanswered;
  };

  // The central node fails with its databases, and works again.
  const first = await startDaemon(n1);
  often.begin();
  n1.must('kill', '-9', String(first.pid));
  crashCentral(n1);
  for (const host of [n2, n3]) session(host, n1, 'down');
  await continues('without the central node');
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.100', 'new connections succeed without the central node');
  t.equal(await count('the central node failed'), 0);
  often.begin();
  startCentralAgain(n1);
  const daemon = await startDaemon(n1);
  allUp();
  holder(n2);
  await continues('with the central node again');
  await count('the central node started');
  t.strictSame(priorities(), ['0', '32767']);

  // A member claims the port in the name of another node.
  const uuid = n1.must('ovn-sbctl', '--bare', '--columns=_uuid', 'find', 'Port_Binding', `logical_port=${port}`).trim();
  const claimed = await writesDuring(n1, ['OVN_Northbound'], () => {
    n1.must('ovn-sbctl', 'set', 'Port_Binding', uuid, `chassis=${chassisOf(n1)}`);
    holder(n2);
    n1.must('ovn-nbctl', '--timeout=120', '--wait=hv', 'sync');
  });
  t.strictSame(claimed, [], 'a false claim changes no order');
  await continues('after a false claim');

  // Every other node fails, and one of them works again.
  often.begin();
  crash(n2);
  holder(n1);
  await continues('by the central node');
  await count('the central node took over');
  isFirst(n1);
  await nothingToWrite();
  often.begin();
  startAgain(n2);
  isFirst(n2);
  allUp();
  holder(n2);
  await continues('by n2 again');
  await count('n2 got the address again');
  t.strictSame(priorities(), ['0', '32767']);

  // The central node and n2 do not reach each other, and n3 reaches both. Each of the two claims the port again and
  // again. The daemon may see the claim of the central node once.
  const tunnels = `udp,nw_src=${n2.address},tp_dst=6081`;
  n1.must('ovs-ofctl', 'add-flow', 'br-ex', `priority=60000,${tunnels},actions=drop`);
  session(n1, n2, 'down');
  const apart = await writesDuring(n1, ['OVN_Northbound'], () => {
    n1.must('sleep', '6');
  });
  t.ok(apart.length <= 1, 'the order changes at most once', { apart });
  n1.must('ovs-ofctl', 'del-flows', 'br-ex', tunnels);
  allUp();
  isFirst(n2);
  holder(n2);
  await continues('after the partition');

  // n2 works again before the next request.
  crash(n2);
  isFirst(n1);
  startAgain(n2);
  isFirst(n2);
  allUp();
  holder(n2);
  await continues('after a short failure');
  await nothingToWrite();
  t.equal(await daemon.stop(), 0);
});
