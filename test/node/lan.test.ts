// The test node itself: the properties on which the other tests rely.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { fineGrained } from './lan.ts';
import { bootNode } from './node.ts';
import { stayedReachable } from './reachability.ts';
import { compiledDir } from './source.ts';

const goneLimitMs = 10_000;

t.test('a node in a DHCP LAN', { skip: nodeSkip }, async (t) => {
  const files = { '/etc/microshift/ovn.yaml': 'mtu: 1400\n', '/usr/local/bin/hello': '#!/bin/sh\necho hello\n' };
  const mounts = fs.readFileSync('/proc/self/mounts', 'utf8');
  const node = await bootNode({ lan: 'dhcp', lanAppend: fineGrained, files });
  t.teardown(() => node.halt());
  const before = await node.state('whole');

  await t.test('has its address, route, profile and files', async (t) => {
    t.strictSame(before.addressesOf('eth0'), ['192.0.2.50/24']);
    t.match(before.defaultRoutes(4), [{ gateway: '192.0.2.1', dev: 'eth0' }]);
    t.strictSame(before.nameservers(), ['192.0.2.1', '192.0.2.2']);
    t.match(before.profile('eth0'), { device: 'eth0', active: true });
    t.equal(before.data.settings.eth0?.['ipv4.method'], 'auto');
    t.equal(before.file('/etc/microshift/ovn.yaml'), 'mtu: 1400\n');
    t.strictSame(before.bridges(), []);
    t.equal(await node.text('hello'), 'hello');
    t.equal(await node.text('systemctl is-active openvswitch NetworkManager'), 'active\nactive');
  });

  await t.test('carries large and odd data through the command channel', async (t) => {
    const text = `${'0123456789abcdef'.repeat(65_536)}\u2028ÄÖ "\\ \n`;
    await node.write('/tmp/odd', text);
    t.equal(await node.read('/tmp/odd'), text);
    t.equal(await node.read('/tmp/none'), null);
    t.equal((await node.run('cat /tmp/odd')).stdout, text);
  });

  await t.test('reports how a command ended', async (t) => {
    t.match(await node.run('echo out; echo err >&2; exit 3'), { exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
    const killed = await node.run('echo go; sleep 30; echo never', { kill: { onText: 'go', afterMs: 50 } });
    t.match(killed, { exitCode: null, signal: 'SIGKILL', killed: true, stdout: 'go\n' });
    const command = node.start('trap "echo bye; exit 7" TERM; echo up; while :; do sleep 0.05; done');
    await command.saw('up');
    await command.signal('SIGTERM');
    t.match(await command.ended, { exitCode: 7, stdout: 'up\nbye\n' });
    await t.rejects(node.run('sleep 30', { timeoutMs: 200 }), /waited 0.2 s for "sleep 30" to end/);
  });

  await t.test('measures memory, time and silence', async (t) => {
    const idle = await node.measure('node -e "globalThis.x = Buffer.alloc(5e7, 1); setTimeout(() => {}, 300)"', {
      sampleMemory: true,
    });
    t.equal(idle.exitCode, 0);
    stayedReachable(t, idle, ['192.0.2.50']);
    t.ok(idle.peakAnonBytes > 5e7 && idle.peakAnonBytes < 1e8, `anonymous ${idle.peakAnonBytes}`);
    t.ok(idle.peakRssBytes > idle.peakAnonBytes && idle.peakRssBytes < 2e8, `resident ${idle.peakRssBytes}`);
    t.ok(idle.cpuMs > 0);
    const cable = 'ip netns exec lan ip link set peth0';
    const cut = await node.measure(`${cable} nomaster; date +%s%3N; sleep 0.3; date +%s%3N; ${cable} master lan0`);
    const [gone = 0, still = 0] = cut.stdout.trim().split('\n').map(Number);
    t.equal((await node.outages(gone, still))['192.0.2.50']?.replies, 0, 'without its cable the node is silent');
    const { silences = [], stoppedMs = 0 } = cut.outages['192.0.2.50'] ?? {};
    const isSeen = silences.some(({ fromMs }) => fromMs < still);
    t.ok(isSeen || stoppedMs > 0, `silences ${JSON.stringify(silences)}, and ${stoppedMs} ms without a request`);
    t.not(cut.recoveredAfterMs, null);
  });

  await t.test('forwards through the kernel data path of Open vSwitch', async (t) => {
    await node.text(`set -e
      ovs-vsctl --timeout=10 add-br br0
      for i in 1 2; do
        ip netns add n$i; ip link add v$i type veth peer name eth0 netns n$i; ip link set v$i up
        ip -n n$i addr add 198.51.100.$i/24 dev eth0; ip -n n$i link set eth0 up
        ovs-vsctl --timeout=10 add-port br0 v$i
      done`);
    t.match(await node.text('ip netns exec n1 ping -c 3 -i 0.2 -W 2 198.51.100.2'), '0% packet loss');
    t.match(await node.text('ovs-appctl dpif/show'), 'system@ovs-system');
    t.match(await node.text('ovs-dpctl dump-flows'), 'in_port');
    t.strictSame((await node.state()).interfacesOf('br0'), ['br0', 'v1', 'v2']);
    await node.text('ovs-vsctl --timeout=10 del-br br0; ip netns del n1; ip netns del n2');
  });

  await t.test('keeps its disk over a power cut and a reboot', async (t) => {
    await node.text('echo kept > /var/lib/kept; sync; echo lost > /run/lost');
    await node.powerCut();
    t.equal(await node.read('/var/lib/kept'), 'kept\n');
    t.equal(await node.read('/run/lost'), null);
    t.strictSame((await node.state()).addressesOf('eth0'), ['192.0.2.50/24']);
    await node.reboot();
    t.match(await node.journal('NetworkManager'), 'NetworkManager');
  });

  await node.halt();
  t.equal(fs.readFileSync('/proc/self/mounts', 'utf8'), mounts, 'no mount is left');
});

t.test('a test that is killed leaves nothing behind', { skip: nodeSkip }, async (t) => {
  const script = `import { bootNode } from ${JSON.stringify(path.join(compiledDir, 'node.js'))};
    await bootNode({ lan: 'dhcp' }); console.log('up'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await firstLine(child);
  const started = descendantsOf(child.pid ?? 0);
  t.ok(started.length > 3, `${started.length} processes`);
  child.kill('SIGKILL');
  const deadline = performance.now() + goneLimitMs;
  let left = started;
  while (left.length > 0 && performance.now() < deadline) {
    // No event reports the end of a process that is not a child of the test.
    await new Promise((resolve) => setTimeout(resolve, 20));
    left = left.filter(isAlive);
  }
  t.strictSame(left, [], 'no process is left');
  t.notMatch(fs.readFileSync('/proc/self/mounts', 'utf8'), '/mnt/upper');
});

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of readline.createInterface({ input: child.stdout as NodeJS.ReadableStream })) return line;
  throw new Error('the child process ended without output');
}

interface Process {
  pid: number;
  parent: number;
  startTime: string;
}

/** Reads a process from /proc/PID/stat; undefined if it has ended. A zombie counts as ended. */
function readProcess(pid: number): Process | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : { pid, parent: Number(fields[1]), startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

const isAlive = (one: Process): boolean => readProcess(one.pid)?.startTime === one.startTime;

function descendantsOf(pid: number): Process[] {
  const all = fs.readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
  const children = (parent: number): Process[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...children(one.pid)]);
  return children(pid);
}
