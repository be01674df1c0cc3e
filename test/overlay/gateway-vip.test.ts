// `overlay gateway --high-availability vip`: an address moves to another node when its node fails.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import t from 'tap';
import { startDaemon } from './daemon.ts';
import { writesDuring } from './database-writes.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startController, startLan, startVswitchd } from './hosts.ts';
import { databases, outside, seenAs, startOutside, startPod, take } from './outside.ts';
import { oneOvn } from './ovn-of-nodes.ts';
import { talk } from './talk.ts';

const skip = missingForHosts() ?? false;
const dropIn = 'systemd/ovs-vswitchd.service.d/microshift-net-flow-restore-wait.conf';

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

/** Counts of the requests of a pod since the last call. */
interface Answered {
  readonly sent: number;
  readonly unanswered: number;
  /** Longest time in ms between two answers. */
  readonly longestMs: number;
}

/**
 * Starts a pod that sends a numbered datagram to the distant host every 20 ms, and a server there that returns each of
 * them. The returned functions begin a count, and end it when every request has been answered or is ten seconds old.
 */
async function askOften(far: Host, pod: Pick<Host, 'start'>): Promise<{ begin(): void; end(): Promise<Answered> }> {
  const server = `
    const socket = require('dgram').createSocket('udp4');
    socket.on('message', (bytes, { address, port }) => socket.send(bytes, port, address));
    socket.bind(4006, '${outside}', () => console.log('ready'));`;
  await once(far.start(process.execPath, '-e', server).stdout as Readable, 'data');
  const client = `
    const socket = require('dgram').createSocket('udp4');
    const [open, said] = [new Set(), { sent: 0, longestMs: 0 }];
    let [number, timer, last] = [0, undefined, 0];
    socket.on('message', (bytes) => {
      open.delete(Number(bytes));
      said.longestMs = Math.max(said.longestMs, Date.now() - last);
      last = Date.now();
    });
    const ask = () => {
      open.add(++number);
      said.sent += 1;
      socket.send(String(number), 4006, '${outside}', () => {});
    };
    process.stdin.on('data', (word) => {
      if (String(word) === 'begin') {
        open.clear();
        Object.assign(said, { sent: 0, longestMs: 0 });
        last = Date.now();
        timer = setInterval(ask, 20);
        return;
      }
      clearInterval(timer);
      const until = Date.now() + 10000;
      const look = setInterval(() => {
        if (open.size > 0 && Date.now() < until) return;
        clearInterval(look);
        console.log(JSON.stringify({ ...said, unanswered: open.size }));
      }, 50);
    });
    socket.bind(0, () => console.log('ready'));`;
  const child = pod.start(process.execPath, '-e', client);
  const next = async (): Promise<string> => String(await once(child.stdout as Readable, 'data')).trim();
  await next();
  return {
    begin: () => void child.stdin?.write('begin'),
    end: async () => {
      child.stdin?.write('end');
      return JSON.parse(await next()) as Answered;
    },
  };
}

/** Ends Open vSwitch and ovn-controller of a node without a chance to clean up. */
function crash(host: Host): void {
  host.must(
    'sh',
    '-c',
    'kill -9 $(cat /run/openvswitch/ovs-vswitchd.pid /run/ovn/ovn-controller.pid /run/openvswitch/ovn-controller.pid 2>/dev/null)',
  );
}

/** Starts Open vSwitch and ovn-controller after a crash, as their units do. */
function startAgain(host: Host): void {
  // The drop-in runs before ovs-vswitchd starts (systemd.service(5), ExecStartPre; `$$` is `$`).
  const [, before = ''] = /^ExecStartPre=-\/bin\/sh -c '(.*)'$/m.exec(readFileSync(dropIn, 'utf8')) ?? [];
  host.must('sh', '-c', before.replaceAll('$$', '$'));
  startVswitchd(host);
  startController(host);
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
