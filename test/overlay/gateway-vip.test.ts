// `overlay gateway --high-availability vip`: an address moves to another node when its node fails.
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import t from 'tap';
import { crash, startAgain } from './crash.ts';
import { startDaemon } from './daemon.ts';
import { writesDuring } from './database-writes.ts';
import { askOften } from './datagrams.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { databases, outside, seenAs, startOutside, startPod, take } from './outside.ts';
import { oneOvn } from './ovn-of-nodes.ts';
import { talk } from './talk.ts';

const skip = missingForHosts() ?? false;

/**
 * Connects from a pod to the distant host, which sends a byte every 50 ms. The returned function asks the pod: `count`
 * returns the number of bytes since the last call, and `send` sends a byte and waits for the next one from the host.
 */
async function listenTo(far: Host, pod: Pick<Host, 'start'>): Promise<(word: 'count' | 'send') => Promise<string>> {
  const server = `
    require('net').createServer((socket) => {
      socket.on('error', () => {});
      setInterval(() => socket.write('.'), 50);
    }).listen(4005, '${outside}', () => console.log('ready'));`;
  await once(far.start(process.execPath, '-e', server).stdout as Readable, 'data');
  const client = `
    let count = 0;
    const socket = require('net').connect(4005, '${outside}');
    socket.on('data', (bytes) => { count += bytes.length; });
    socket.once('data', () => console.log('ready'));
    process.stdin.on('data', (word) => {
      if (String(word) === 'count') { console.log(count); count = 0; return; }
      socket.write('?');
      socket.once('data', () => console.log('heard'));
    });`;
  const child = pod.start(process.execPath, '-e', client);
  const next = async (): Promise<string> => String(await once(child.stdout as Readable, 'data')).trim();
  await next();
  return (word) => {
    child.stdin?.write(word);
    return next();
  };
}

t.test('an address that moves between two nodes', { skip }, async (t) => {
  const lan = await startLan(t, oneOvn());
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  const far = await startOutside(lan);
  const granted = ['--gateway', '192.0.2.100/24'];
  form(t, [n1, n2, n3], { n2: granted, n3: granted });
  const vip = ['--address', '192.0.2.100/24', '--high-availability', 'vip'];
  t.match(n2.agent('overlay', 'gateway', '--high-availability', 'vip'), { status: 2, stderr: /say it with --address/ });
  t.match(n2.agent('overlay', 'gateway', '--address', '192.0.2.12/24', '--high-availability', 'vip'), {
    status: 2,
    stderr: /is this node's own and cannot move/,
  });
  for (const host of [n2, n3]) {
    t.match(host.agent('overlay', 'gateway', ...vip), { status: 0, stdout: /as 192\.0\.2\.100/ });
    take(n1, host, 'physnet_ext_vip_192.0.2.100');
    t.match(host.agent('overlay', 'verify'), { status: 0 });
  }
  const holder = (host: Host): string => {
    const chassis = n1.must(
      'ovn-sbctl',
      '--bare',
      '--columns=_uuid',
      'find',
      'Chassis',
      `name=${host.name}-of-the-test`,
    );
    return n1.must(
      'ovn-sbctl',
      '--timeout=60',
      'wait-until',
      'Port_Binding',
      'cr-rtoe-vip_192.0.2.100',
      `chassis=${chassis.trim()}`,
    );
  };
  holder(n2);
  for (const [host, own] of [
    [n1, '10.42.0.2'],
    [n2, '10.42.1.2'],
    [n3, '10.42.2.2'],
  ] as const)
    t.equal(seenAs(host, own), '192.0.2.100', `packets of ${host.name} leave with the virtual address`);
  const again = await writesDuring(n1, databases, () => {
    t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(again, []);

  const overlay = { bfdIntervalMs: 500 };
  n1.write('/etc/microshift/ovn.yaml', JSON.stringify({ ovs: { datapathType: 'netdev' }, overlay }));
  t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Done, 1 change/ });
  const tunnels = n2.must(
    'ovs-vsctl',
    '--bare',
    '--columns=name',
    'find',
    'Interface',
    'type=geneve',
    'bfd:enable=true',
  );
  t.ok(tunnels.trim() !== '', 'n2 monitors its tunnels');
  for (const tunnel of tunnels.trim().split(/\s+/))
    n2.must('ovs-vsctl', '--timeout=30', 'wait-until', 'Interface', tunnel, 'bfd:min_rx="500"', 'bfd:min_tx="500"');
  const unchanged = await writesDuring(n1, databases, () => {
    t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(unchanged, []);
  holder(n2);

  const inside = startPod(n1, n1, '10.42.0.9');
  const pod: Pick<Host, 'start'> = { start: (...words) => n1.start(...inside, ...words) };
  const connections = {
    TCP: await talk(pod, far, outside),
    UDP: await talk(pod, far, outside, { protocol: 'udp' }),
  };
  for (const connection of Object.values(connections)) t.equal(await connection.say('by n2'), 'by n2');
  const silent = await listenTo(far, pod);
  const often = await askOften(far, pod);
  const daemon = await startDaemon(n1);

  /** Waits until the daemon has made a node the first one, and the other nodes that work have applied it. */
  const isFirst = (host: Host): void => {
    const name = `name=rtoe-vip_192.0.2.100-${host.name}-of-the-test`;
    const row = n1.must('ovn-nbctl', '--bare', '--columns=_uuid', 'find', 'Gateway_Chassis', name).trim();
    n1.must('ovn-nbctl', '--timeout=60', 'wait-until', 'Gateway_Chassis', row, 'priority=32767');
    n1.must('ovn-nbctl', '--timeout=60', '--wait=sb', 'sync');
    const number = n1.must('ovn-nbctl', 'get', 'NB_Global', '.', 'nb_cfg').trim();
    for (const one of [n1, host])
      n1.must(
        'ovn-sbctl',
        '--timeout=60',
        'wait-until',
        'Chassis_Private',
        `${one.name}-of-the-test`,
        `nb_cfg>=${number}`,
      );
  };
  /** Starts a crashed node, and waits until it could have the address again. */
  const returnOf = async (host: Host, other: Host): Promise<void> => {
    often.begin();
    startAgain(host);
    n1.must('ovn-nbctl', '--timeout=120', '--wait=hv', 'sync');
    for (const [one, to] of [
      [n1, host],
      [other, host],
      [host, n1],
      [host, other],
    ] as const) {
      const tunnel = one
        .must('ovs-vsctl', '--bare', '--columns=name', 'find', 'Interface', `options:remote_ip=${to.address}`)
        .trim();
      one.must('ovs-vsctl', '--timeout=60', 'wait-until', 'Interface', tunnel, 'bfd_status:state=up');
    }
    n1.must('ovn-nbctl', '--timeout=120', '--wait=hv', 'sync');
    const { sent, unanswered, longestMs } = await often.end();
    t.comment(`${host.name} returned: ${unanswered} of ${sent} unanswered, longest silence ${longestMs} ms`);
    t.ok(sent > 0);
    t.equal(unanswered, 0, `no request is lost when ${host.name} returns`);
    holder(other);
  };

  const killedAt = Date.now();
  crash(n2);
  holder(n3);
  t.comment(`n3 has the address ${Date.now() - killedAt} ms after n2 has crashed`);
  for (const [protocol, connection] of Object.entries(connections))
    t.equal(await connection.say('by n3'), 'by n3', `a connection of a pod over ${protocol} continues by n3`);
  await silent('count');
  n1.must('sleep', '1');
  t.equal(await silent('count'), '0', 'nothing arrives on a connection on which the pod sends nothing');
  t.equal(await silent('send'), 'heard', 'it continues when the pod sends');
  t.equal(seenAs(n1, '10.42.0.2'), '192.0.2.100', 'n2 has crashed, and n3 has its address');
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.100');
  isFirst(n3);
  await returnOf(n2, n3);

  crash(n3);
  holder(n2);
  for (const [protocol, connection] of Object.entries(connections))
    t.equal(await connection.say('again'), 'again', `n2 has the address again, with the connections over ${protocol}`);
  isFirst(n2);
  await returnOf(n3, n2);
  const settled = await writesDuring(n1, ['OVN_Northbound'], () => {
    t.match(n1.agent('overlay', 'verify'), { status: 0 });
    t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(settled, []);
  t.equal(await daemon.stop(), 0);

  t.match(n1.agent('overlay', 'leave', '--node', 'n2'), { status: 0 });
  t.equal(seenAs(n1, '10.42.0.2'), '192.0.2.100', 'n2 has left the cluster');
  t.match(n3.agent('overlay', 'gateway', '--remove'), { status: 0 });
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.notMatch(n1.must('ovn-nbctl', 'show'), /vip/, 'no row of the address is left');
  t.equal(n1.must('ovn-nbctl', 'lr-nat-list', 'ovn_cluster_router'), '');
});
