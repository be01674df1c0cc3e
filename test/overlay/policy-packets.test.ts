// Network policies on real nodes: pods whose ports and groups the program's own planner has written, and packets
// between them.
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { readPod } from '../../agent/workload/pods/read-pod.ts';
import { podOf } from '../unit/workload/policies/world.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { ask, attempt, attempts, silenceMs } from './one-request.ts';
import { oneOvn, ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { podsOf, setPolicy } from './planned-pods.ts';
import { balance, datagramsAt } from './services.ts';
import { talk } from './talk.ts';

/**
 * Sends a datagram every few milliseconds until the test ends. `sent` returns the number of datagrams so far.
 */
function bombard(from: Pick<Host, 'start'>, address: string): { sent(): Promise<number> } {
  const script = `
    const socket = require('dgram').createSocket('udp4');
    let sent = 0;
    setInterval(() => socket.send('?', 8053, '${address}', () => { sent += 1; }), 2);
    process.stdin.on('data', () => console.log(sent));`;
  const child = from.start(process.execPath, '-e', script);
  return {
    sent: () =>
      new Promise((resolve) => {
        child.stdout?.once('data', (text) => resolve(Number(text)));
        child.stdin?.write('\n');
      }),
  };
}

const reason = missingForHosts();
if (reason !== null) t.plan(0, reason);
else for (const which of ovnsHere()) t.test(`packet by packet, OVN: ${which}`, (t) => packetByPacket(t, which));

async function packetByPacket(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  form(t, [n1, n2]);
  const pods = await podsOf(t, n1);
  const { world } = pods;
  pods.add('y/client', 'n1', '10.42.0.10');
  pods.add('y/other', 'n2', '10.42.1.20');
  pods.add('x/server', 'n2', '10.42.1.10');
  await pods.plan();
  const client = await pods.plug('y/client', n1);
  const other = await pods.plug('y/other', n2);
  const server = await pods.plug('x/server', n2);

  await t.test(
    'a connection continues after the policy that allowed it, and passes again when no policy forbids it',
    async (t) => {
      t.equal(
        ask(client, 'tcp', server.address, 8080),
        client.address,
        'the client reaches the server without a policy',
      );
      t.equal(
        ask(other, 'tcp', server.address, 8080),
        other.address,
        'another pod reaches the server without a policy',
      );
      const conversation = await talk(client, server, server.address);
      t.equal(await conversation.say('before'), 'before');
      const outwards = await talk(server, other, other.address);
      t.equal(await outwards.say('before'), 'before');
      const from = [{ namespaceSelector: {}, podSelector: { matchLabels: { pod: 'client' } } }];
      setPolicy(world, 'x/from-client', {
        podSelector: {},
        ingress: [{ from, ports: [{ port: 4000 }, { port: 8080 }] }],
      });
      await pods.plan();
      t.equal(await conversation.say('allowed'), 'allowed', 'the permitted connection continues');
      t.equal(ask(client, 'tcp', server.address, 8080), client.address, 'new connections pass');
      t.equal(attempt(other, server.address), '', 'new connections of another pod are blocked');
      t.equal(ask(server, 'tcp', other.address, 8080), server.address, 'outbound connections are permitted');
      world.policies.clear();
      setPolicy(world, 'x/deny-all', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
      await pods.plan();
      if (which === 'newer') {
        // ACLs as an earlier version planned them, in a later tier.
        const later =
          'for one in $(ovn-nbctl --bare --columns=_uuid find ACL action=drop); do ovn-nbctl set ACL $one tier=2; done';
        n1.must('sh', '-c', later);
        await pods.plan();
        t.equal(
          n1.must('ovn-nbctl', '--bare', '--columns=name', 'find', 'ACL', 'tier>0').trim(),
          '',
          'every ACL is in the first tier again',
        );
      }
      const late = [conversation.say('held'), outwards.say('held')];
      const blocked = attempts([client, server.address], [server, other.address], [n1, server.address]);
      t.strictSame(
        await Promise.all(late.map((one) => Promise.race([one, pause(silenceMs, 'silent')]))),
        ['silent', 'silent'],
        'a policy that forbids the connections holds them',
      );
      t.strictSame(await blocked, ['', '', ''], 'new connections inwards, outwards and of another node are blocked');
      if (which === oneOvn()) {
        const { status, stdout } = n1.agent('overlay', 'trace', 'y/client', 'x/server', '--tcp', '8080');
        t.equal(status, 3);
        t.match(stdout, /[Dd]ropped by NetworkPolicy x\/deny-all/);
      }
      t.equal(ask(n2, 'tcp', server.address, 8080), '10.42.1.2', "the pod's own node still reaches the server");
      world.policies.clear();
      await pods.plan();
      t.strictSame(await Promise.all(late), ['held', 'held'], 'without the policy, the same connections continue');
      t.equal(ask(other, 'tcp', server.address, 8080), other.address, 'every pod reaches the server again');
    },
  );

  await t.test('a port name that only an ended init container has', async (t) => {
    const main = server.start(
      process.execPath,
      '-e',
      `require('net').createServer((socket) => socket.on('error', () => {}).end('main')).listen(8081, () => console.log('ready'))`,
    );
    await once(main.stdout as NodeJS.ReadableStream, 'data');
    const { ports } = readPod({
      spec: {
        initContainers: [{ name: 'setup', ports: [{ name: 'admin', containerPort: 8080 }] }],
        containers: [{ name: 'main', ports: [{ name: 'web', containerPort: 8081 }] }],
      },
    });
    const before = world.pods.get('x/server');
    world.pods.set('x/server', podOf('x/server', { ...before, ports }));
    setPolicy(world, 'x/web', { podSelector: {}, ingress: [{ ports: [{ port: 'web' }, { port: 'admin' }] }] });
    await pods.plan();
    t.equal(ask(client, 'tcp', server.address, 8081), 'main', 'the number of the running container is open');
    t.equal(attempt(client, server.address), '', 'the number of the init container is closed');
    world.policies.clear();
    await pods.plan();
    t.equal(ask(client, 'tcp', server.address, 8080), client.address, 'without the policy it is open');
  });

  await t.test('services', async (t) => {
    balance(n1, 'own', 'tcp', { '10.43.0.10:80': `${server.address}:8080` });
    balance(n1, 'other', 'tcp', { '10.43.0.20:80': `${other.address}:8080` });
    n1.must('ovn-nbctl', '--wait=hv', 'set', 'Load_Balancer', 'own', 'options:hairpin_snat_ip="169.254.169.5 fd69::5"');
    setPolicy(world, 'x/deny-all', { podSelector: {}, policyTypes: ['Ingress'] });
    setPolicy(world, 'y/to-x', {
      podSelector: { matchLabels: { pod: 'client' } },
      policyTypes: ['Egress'],
      egress: [{ to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'x' } } }] }],
    });
    await pods.plan();
    t.equal(
      ask(server, 'tcp', '10.43.0.10', 80),
      '169.254.169.5',
      'a pod whose ingress is denied reaches itself by its service',
    );
    t.equal(attempt(client, '10.43.0.10', 80), '', 'no other pod reaches it by the service');
    world.policies.delete('x/deny-all');
    await pods.plan();
    t.equal(
      ask(client, 'tcp', '10.43.0.10', 80),
      client.address,
      'a rule for the endpoints of a service also permits the service',
    );
    t.equal(attempt(client, '10.43.0.20', 80), '', 'a service with other endpoints is not permitted');
    world.policies.clear();
    await pods.plan();
  });

  await t.test('a policy applies to a new pod before its first packet', async (t) => {
    setPolicy(world, 'x/deny-all', { podSelector: {}, policyTypes: ['Ingress'] });
    await pods.plan();
    const rain = bombard(client, '10.42.1.30');
    pods.add('x/late', 'n2', '10.42.1.30');
    await pods.plan();
    const late = await pods.plug('x/late', n2);
    n2.must('ovs-vsctl', '--timeout=60', 'wait-until', 'Interface', 'x_late', 'external_ids:ovn-installed=true');
    n1.must('ovn-nbctl', '--wait=hv', 'sync');
    const before = await rain.sent();
    await pause(silenceMs);
    t.ok((await rain.sent()) > before, 'packets were sent to the new pod all the time');
    t.equal(datagramsAt(late), 0, 'no datagram has arrived');
    world.policies.clear();
    await pods.plan();
    t.equal(ask(client, 'udp', late.address, 8053), client.address, 'the client reaches the server without the policy');
    t.ok(datagramsAt(late) > 0, 'the datagrams arrive');
  });
}
