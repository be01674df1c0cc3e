// Cluster policies on real nodes: packets between pods whose ports, groups and ACLs the program's own planner has
// written, connections that exist when a policy begins to deny them, and the words of `overlay trace`.
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { isolationName } from '../../agent/model/namespace-isolation.ts';
import { readClusterPolicy } from '../../agent/workload/cluster-policies/read-cluster-policy.ts';
import { isolationPolicy } from '../../agent/workload/isolation/isolation-policy.ts';
import { namespaceOf } from '../unit/workload/policies/world.ts';
import { form } from './form.ts';
import { missingForHosts, startLan } from './hosts.ts';
import { ask, attempt, silenceMs } from './one-request.ts';
import { oneOvn, ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { podsOf, setPolicy } from './planned-pods.ts';
import { balance, datagramsAt } from './services.ts';
import { talk } from './talk.ts';

const house = (name: string): object => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

const reason = missingForHosts();
if (reason !== null) t.plan(0, reason);
else for (const which of ovnsHere()) t.test(`packet by packet, OVN: ${which}`, (t) => packetByPacket(t, which));

async function packetByPacket(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  form(t, [n1, n2]);
  const pods = await podsOf(t, n1);
  const { world } = pods;
  const put = (name: string, tier: string, spec: object): void => {
    const all = { tier, priority: 10, subject: { namespaces: house('x') }, ...spec };
    world.clusterPolicies.set(name, readClusterPolicy({ metadata: { name, uid: `uid-${name}` }, spec: all }));
  };
  pods.add('y/client', 'n1', '10.42.0.10');
  pods.add('z/other', 'n2', '10.42.1.20');
  pods.add('x/server', 'n2', '10.42.1.10');
  await pods.plan();
  const client = await pods.plug('y/client', n1);
  const other = await pods.plug('z/other', n2);
  const server = await pods.plug('x/server', n2);
  const from = (name: string) => [{ namespaces: house(name) }];

  const conversation = await talk(client, server, server.address);
  for (const tier of ['Admin', 'Baseline'])
    await t.test(`a connection that exists when the ${tier} tier begins to deny it`, async (t) => {
      t.equal(await conversation.say('before'), 'before');
      put('deny-y', tier, { ingress: [{ action: 'Deny', from: from('y') }] });
      await pods.plan();
      const held = conversation.say('held');
      t.equal(await Promise.race([held, pause(silenceMs, 'silent')]), 'silent', 'its packets are dropped');
      t.equal(attempt(client, server.address), '', 'new connections are dropped');
      t.equal(ask(other, 'tcp', server.address, 8080), other.address, 'other pods reach the server');
      t.equal(ask(server, 'tcp', client.address, 8080), server.address, 'the opposite direction is open');
      t.equal(ask(n2, 'tcp', server.address, 8080), '10.42.1.2', "the pod's own node reaches the server");
      if (which === oneOvn()) {
        const { status, stdout } = n1.agent('overlay', 'trace', 'y/client', 'x/server', '--tcp', '8080');
        t.equal(status, 3);
        t.match(stdout, new RegExp(`[Dd]ropped by ClusterNetworkPolicy deny-y of the ${tier} tier`));
      }
      world.clusterPolicies.clear();
      await pods.plan();
      t.equal(await held, 'held', 'without the policy, the same connection continues');
    });

  await t.test('the tiers in their order', async (t) => {
    setPolicy(world, 'x/from-y', { podSelector: {}, ingress: [{ from: [{ namespaceSelector: house('y') }] }] });
    put('base', 'Baseline', { ingress: [{ action: 'Deny', from: from('y') }] });
    await pods.plan();
    t.equal(ask(client, 'tcp', server.address, 8080), client.address, 'a network policy precedes the Baseline tier');
    t.equal(attempt(other, server.address), '', 'a network policy isolates the pod');
    put('first', 'Admin', {
      ingress: [
        { action: 'Accept', from: from('z') },
        { action: 'Deny', from: from('y') },
      ],
    });
    await pods.plan();
    t.equal(attempt(client, server.address), '', 'the Admin tier denies what the network policy allows');
    t.equal(ask(other, 'tcp', server.address, 8080), other.address, 'the Admin tier accepts what it does not allow');
    const passAt = (number: number): void =>
      put('first', 'Admin', {
        ingress: [
          { action: 'Pass', from: from('y'), protocols: [{ tcp: { destinationPort: { number } } }] },
          { action: 'Deny', from: from('y') },
        ],
      });
    passAt(8081);
    await pods.plan();
    t.equal(attempt(client, server.address), '', 'the port is not the one that is passed');
    passAt(8080);
    await pods.plan();
    t.equal(
      ask(client, 'tcp', server.address, 8080),
      client.address,
      'a passed packet is judged by the network policy',
    );
    t.equal(attempt(other, server.address), '', 'other peers are judged by the network policy');
    world.policies.clear();
    await pods.plan();
    t.equal(attempt(client, server.address), '', 'without a network policy, the Baseline tier decides');
    world.clusterPolicies.clear();
    await pods.plan();
    t.equal(ask(client, 'tcp', server.address, 8080), client.address);
  });

  await t.test('ranges without the pods that an earlier rule passes, and services', async (t) => {
    balance(n1, 'of-z', 'tcp', { '10.43.0.30:80': `${other.address}:8080` });
    balance(n1, 'of-y', 'tcp', { '10.43.0.40:80': `${client.address}:8080` });
    put('only-z', 'Admin', {
      egress: [
        { action: 'Pass', to: from('z') },
        { action: 'Deny', to: [{ networks: ['0.0.0.0/0'] }] },
      ],
    });
    await pods.plan();
    t.equal(ask(server, 'tcp', other.address, 8080), server.address, 'a passed pod is reached');
    t.equal(ask(server, 'tcp', '10.43.0.30', 80), server.address, 'a passed pod is reached by its service');
    t.equal(attempt(server, client.address), '', 'another pod is not reached');
    t.equal(attempt(server, '10.43.0.40', 80), '', 'another pod is not reached by its service either');
    t.equal(attempt(server, '10.42.1.2'), '', 'the node is not reached');
    t.equal(ask(client, 'tcp', server.address, 8080), client.address, 'answers to accepted connections pass');
    world.clusterPolicies.clear();
    await pods.plan();
  });

  await t.test('separated namespaces, a group and a global namespace', async (t) => {
    t.equal(await conversation.say('before'), 'before');
    const policy = isolationPolicy({ globalNamespaces: ['z'], groupLabel: 'group' });
    world.clusterPolicies.set(isolationName, readClusterPolicy(policy));
    await pods.plan();
    t.equal(attempt(client, server.address), '', 'another namespace is not reached');
    const held = conversation.say('held');
    t.equal(await Promise.race([held, pause(silenceMs, 'silent')]), 'silent', 'an existing connection is dropped');
    t.equal(ask(other, 'tcp', server.address, 8080), other.address, 'a global namespace reaches every namespace');
    t.equal(ask(client, 'tcp', other.address, 8080), client.address, 'every namespace reaches a global namespace');
    t.equal(ask(n2, 'tcp', server.address, 8080), '10.42.1.2', "the pod's own node reaches the server");
    for (const name of ['x', 'y']) world.namespaces.set(name, namespaceOf(name, { group: 'one' }));
    await pods.plan();
    t.equal(ask(client, 'tcp', server.address, 8080), client.address, 'namespaces of a group reach each other');
    t.equal(await held, 'held', 'the connection continues in the group');
    for (const name of ['x', 'y']) world.namespaces.set(name, namespaceOf(name));
    world.clusterPolicies.clear();
    await pods.plan();
    t.equal(ask(client, 'tcp', server.address, 8080), client.address);
  });

  await t.test('a policy applies to a new pod before its first packet', async (t) => {
    put('deny-y', 'Baseline', { ingress: [{ action: 'Deny', from: from('y') }] });
    await pods.plan();
    pods.add('x/late', 'n2', '10.42.1.30');
    await pods.plan();
    const late = await pods.plug('x/late', n2);
    n2.must('ovs-vsctl', '--timeout=60', 'wait-until', 'Interface', 'x_late', 'external_ids:ovn-installed=true');
    n1.must('ovn-nbctl', '--wait=hv', 'sync');
    t.equal(attempt(client, late.address), '');
    t.equal(datagramsAt(late), 0);
    t.equal(ask(other, 'tcp', late.address, 8080), other.address);
    world.clusterPolicies.clear();
    await pods.plan();
    const rows = n1.must(
      'ovn-nbctl',
      '--bare',
      '--columns=_uuid',
      'find',
      'ACL',
      'external_ids:owner=microshift-net-workload',
    );
    t.equal(rows.trim(), '', 'no row of the policies is left');
  });
}
