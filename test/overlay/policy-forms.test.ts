// Forms of network policies without a case in the Kubernetes project: ranges of ports and addresses, IPv6, port names,
// services, and the node itself.
import t, { type Test } from 'tap';
import type { NetworkPolicy, Pod } from '../../agent/model/workload.ts';
import { readPolicy } from '../../agent/workload/policies/read-policy.ts';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { dual, dualNode, modern, nodeOf, seed } from '../unit/overlay/cluster.ts';
import { emptyWorld, namespaceOf, type PolicyWorld, podOf, portOf } from '../unit/workload/policies/world.ts';
import { type PolicyCluster, startPolicyCluster } from './policy-cluster.ts';
import { type Release, releasesHere } from './releases.ts';

function worldOf(pods: Readonly<Record<string, readonly [place: string, special?: Partial<Pod>]>>): PolicyWorld {
  const world = emptyWorld();
  for (const [key, [place, special]] of Object.entries(pods)) {
    const [name = ''] = key.split('/');
    const [node = '', host = 0] = place.split('.');
    world.namespaces.set(name, namespaceOf(name));
    world.pods.set(key, podOf(key, { nodeName: `n${node}`, ...special }));
    const six = Number(host).toString(16);
    world.addresses.set(key, [`10.42.${node}.${host}/24`, `fd01:0:0:${node}::${six}/64`]);
  }
  return world;
}

function onlyFour(world: PolicyWorld): PolicyWorld {
  for (const [key, [four = '']] of world.addresses) world.addresses.set(key, [four]);
  return world;
}

function set(world: PolicyWorld, key: string, spec: object): void {
  const [namespace, name] = key.split('/');
  world.policies.set(key, readPolicy({ metadata: { namespace, name }, spec }) satisfies NetworkPolicy);
}

async function onRelease(t: Test, release: Release): Promise<void> {
  await t.test('both families', async (t) => {
    const world = worldOf({ 'x/a': ['1.10'], 'x/b': ['2.10'], 'y/a': ['1.20'], 'y/b': ['2.20'] });
    const cluster = await startPolicyCluster(t, release, dual, [dualNode(1), dualNode(2)], world);
    const [xa, xb, ya, yb] = ['x/a', 'x/b', 'y/a', 'y/b'].map((key) => cluster.pod(world, key)) as Ends;
    const six = (end: typeof xa): string => end.addresses[1] ?? '';

    await t.test('a range of ports, in both families', async (t) => {
      set(world, 'x/range', {
        podSelector: {},
        ingress: [
          {
            from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'y' } } }],
            ports: [{ port: 8000, endPort: 8100 }, { port: 80 }],
          },
        ],
      });
      await cluster.plan(world);
      for (const [port, isOpen] of [
        [7999, false],
        [8000, true],
        [8050, true],
        [8100, true],
        [8101, false],
        [80, true],
      ] as const) {
        t.equal(await cluster.send(ya, xb, 'TCP', port), isOpen ? 'x_b' : null, `port ${port}`);
        t.equal(await cluster.send(ya, six(xb), 'TCP', port), isOpen ? 'x_b' : null, `port ${port} by IPv6`);
      }
      t.equal(await cluster.send(ya, xb, 'UDP', 8050), null, 'a port of another protocol is closed');
      t.equal(await cluster.send(xa, six(xb), 'TCP', 80), null, 'a pod that is not selected is blocked');
    });

    await t.test('ranges of addresses, also with bits after the prefix', async (t) => {
      set(world, 'x/range', {
        podSelector: {},
        policyTypes: ['Egress'],
        egress: [
          { to: [{ ipBlock: { cidr: 'fd01:0:0:2::77/64', except: ['fd01:0:0:2::14/128'] } }] },
          {
            to: [{ ipBlock: { cidr: '10.42.7.7/16', except: ['10.42.1.0/27', '10.42.2.16/28'] } }],
            ports: [{ port: 80 }],
          },
        ],
      });
      await cluster.plan(world);
      t.equal(await cluster.send(xa, six(xb), 'SCTP', 9), 'x_b', 'every port of an address in the range is open');
      t.equal(await cluster.send(xa, six(yb), 'TCP', 80), null, 'an exception of the IPv6 range is closed');
      t.equal(await cluster.send(xa, six(ya), 'TCP', 80), null, 'an IPv6 address outside of the range is closed');
      t.equal(await cluster.send(xa, xb, 'TCP', 80), 'x_b');
      t.equal(await cluster.send(xa, xb, 'TCP', 81), null);
      t.equal(await cluster.send(xa, yb, 'TCP', 80), null, 'an address in the second exception is closed');
      t.equal(await cluster.send(xb, xa, 'TCP', 80), null, 'an address in the first exception is closed');
    });
    world.policies.clear();
    await cluster.plan(world);
    t.equal(await cluster.send(xa, six(ya), 'TCP', 80), 'y_a', 'without policies everything is open');
    const left = ['Port_Group', 'ACL'].map((table) =>
      cluster.central
        .run('ovn-nbctl', '--bare', '--columns=_uuid', 'find', table, 'external_ids:owner=microshift-net-workload')
        .trim(),
    );
    t.strictSame(left, ['', ''], 'no row of the policies is left');
  });

  await t.test('named ports, services and the node', async (t) => {
    const http = (port: number) => ({ ports: [portOf('http', port)] });
    const world = onlyFour(
      worldOf({
        'x/a': ['1.10', http(8080)],
        'x/b': ['2.10', http(8081)],
        'x/host': ['1.2', { isHostNetwork: true }],
        'y/a': ['1.20', http(9090)],
      }),
    );
    world.addresses.delete('x/host');
    const cluster = await startPolicyCluster(t, release, modern, [nodeOf(1), nodeOf(2)], world);
    const [xa, xb, ya] = ['x/a', 'x/b', 'y/a'].map((key) => cluster.pod(world, key)) as Ends;

    await t.test('a port name with a different number in each pod', async (t) => {
      set(world, 'x/named', { podSelector: {}, ingress: [{ ports: [{ port: 'http' }] }] });
      await cluster.plan(world);
      t.equal(await cluster.send(ya, xa, 'TCP', 8080), 'x_a');
      t.equal(await cluster.send(ya, xb, 'TCP', 8081), 'x_b');
      t.equal(await cluster.send(ya, xa, 'TCP', 8081), null, 'the number of the other pod is closed');
      t.equal(await cluster.send(ya, xb, 'TCP', 8080), null, 'the number of the other pod is closed');
      const before = world.pods.get('x/b');
      const now = podOf('x/b', { nodeName: 'n2', ports: [portOf('http', 8080)] });
      world.pods.set('x/b', now);
      await cluster.plan(world, [{ kind: 'Pod', ...(before && { before }), now }]);
      t.equal(await cluster.send(ya, xb, 'TCP', 8080), 'x_b', 'the new number of the pod is open');
      t.equal(await cluster.send(ya, xb, 'TCP', 8081), null);
    });

    await t.test('a policy applies to the endpoints of a service', async (t) => {
      const add = (address: string, ...backends: readonly string[]): void => {
        cluster.central.run('ovn-nbctl', 'lb-add', address, `${address}:80`, backends.join(','), 'tcp');
        for (const node of ['n1', 'n2']) cluster.central.run('ovn-nbctl', 'ls-lb-add', node, address);
      };
      add('10.43.0.10', `${ya.addresses[0]}:9090`);
      add('10.43.0.11', `${xb.addresses[0]}:8080`);
      world.policies.clear();
      set(world, 'x/to-y', {
        podSelector: {},
        policyTypes: ['Egress'],
        egress: [
          {
            to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'y' } } }],
            ports: [{ port: 9090 }],
          },
          { to: [{ ipBlock: { cidr: '10.43.0.11/32' } }] },
        ],
      });
      await cluster.plan(world);
      t.equal(await cluster.send(xa, '10.43.0.10', 'TCP', 80), 'y_a', 'the port of the endpoint is permitted');
      t.equal(
        await cluster.send(xa, '10.43.0.11', 'TCP', 80),
        null,
        'permission for the address of the service does not suffice',
      );
    });

    await t.test('the node itself', async (t) => {
      world.policies.clear();
      set(world, 'x/deny-all', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
      await cluster.plan(world);
      t.equal(await cluster.send(cluster.node(1), xa, 'TCP', 8080), 'x_a', 'the kubelet of a pod probes it');
      t.equal(await cluster.send(cluster.node(2), xa, 'TCP', 8080), null, 'the policy also applies to another node');
      t.equal(await cluster.send(ya, xa, 'TCP', 8080), null);
      set(world, 'x/from-x', { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] });
      await cluster.plan(world);
      t.equal(
        await cluster.send(cluster.node(2), xa, 'TCP', 8080),
        null,
        'a selected pod in the network of its node permits no packets of the node',
      );
    });
  });

  await t.test('a policy in the layout seed', async (t) => {
    const world = onlyFour(worldOf({ 'x/a': ['1.10'], 'y/a': ['2.20'] }));
    const layout = { ...seed, clusterSubnets: ['10.42.0.0/16'] };
    const cluster = await startPolicyCluster(t, release, layout, [nodeOf(1), nodeOf(2)], world);
    set(world, 'x/deny-all', { podSelector: {}, policyTypes: ['Ingress'] });
    await cluster.plan(world);
    const [xa, ya] = ['x/a', 'y/a'].map((key) => cluster.pod(world, key)) as Ends;
    t.equal(await cluster.send(ya, xa, 'TCP', 80), null);
    t.equal(await cluster.send(xa, ya, 'TCP', 80), 'y_a');
    t.equal(await cluster.send(cluster.node(1), xa, 'TCP', 80), 'x_a', 'the kubelet of a pod probes it');
    t.equal(await cluster.send(cluster.node(2), xa, 'TCP', 80), null, 'the policy also applies to another node');
  });
}

type End = ReturnType<PolicyCluster['pod']>;
type Ends = [End, End, End, End];

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else for (const release of releasesHere()) t.test(release.name, (t) => onRelease(t, release));
