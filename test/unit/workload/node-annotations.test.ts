// Annotations by which the central node publishes the addresses of nodes, in the form of ovn-kubernetes, and their
// writer.
import { mock } from 'node:test';
import t from 'tap';
import { AgentError } from '../../../agent/errors.ts';
import type { ClusterNode } from '../../../agent/model/workload.ts';
import { createNodeAnnotations, differingAnnotations } from '../../../agent/run/overlay/watcher/node-annotations.ts';
import { readNode } from '../../../agent/workload/cluster-nodes.ts';
import { publishedAnnotations } from '../../../agent/workload/published-addresses.ts';
import { managedFields } from '../../overlay/stored-api.ts';
import { gatewayOf, nodeOf } from '../overlay/cluster.ts';

const [ofSubnets, ofPrimary, ofHost] = [
  'k8s.ovn.org/node-subnets',
  'k8s.ovn.org/node-primary-ifaddr',
  'k8s.ovn.org/host-cidrs',
] as const;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('the annotations have the form of ovn-kubernetes, with one family and with two', (t) => {
  const gateway = { ...gatewayOf(1), addresses: ['192.0.2.11/24'] };
  t.strictSame(publishedAnnotations(nodeOf(1, { subnets: ['10.42.1.0/24'], gateway, hostCidrs: ['192.0.2.11/24'] })), {
    [ofSubnets]: '{"default":["10.42.1.0/24"]}',
    [ofPrimary]: '{"ipv4":"192.0.2.11/24"}',
    [ofHost]: '["192.0.2.11/24"]',
  });
  const two = { ...gateway, addresses: ['192.0.2.11/24', '2001:db8::11/64'] };
  const node = nodeOf(1, {
    subnets: ['10.42.1.0/24', 'fd01:0:0:1::/64'],
    gateway: two,
    hostCidrs: ['2001:db8::11/64', '198.51.100.7/25'],
  });
  t.strictSame(publishedAnnotations(node), {
    [ofSubnets]: '{"default":["10.42.1.0/24","fd01:0:0:1::/64"]}',
    [ofPrimary]: '{"ipv4":"192.0.2.11/24","ipv6":"2001:db8::11/64"}',
    [ofHost]: '["192.0.2.11/24","198.51.100.7/25","2001:db8::11/64"]',
  });
  t.strictSame(
    publishedAnnotations({ ...node, gateway: { ...two, addresses: ['2001:db8::11/64'] } })[ofPrimary],
    '{"ipv6":"2001:db8::11/64"}',
  );
  t.end();
});

t.test('a node without subnets or a gateway of its own lacks their annotations', (t) => {
  t.strictSame(publishedAnnotations(nodeOf(1, { subnets: ['10.42.1.0/24'], gateway: null })), {
    [ofSubnets]: '{"default":["10.42.1.0/24"]}',
  });
  const shared = nodeOf(1, { subnets: [], gateway: { ...gatewayOf(1), isVip: true } });
  t.strictSame(
    publishedAnnotations(shared),
    {},
    'a gateway without pods, at an address of several nodes, has no annotation',
  );
  t.end();
});

t.test('the published annotations of a Node and their last writer', (t) => {
  const metadata = {
    name: 'n1',
    uid: 'a',
    annotations: { [ofSubnets]: 'x', [ofHost]: 'y'.repeat(9_000), other: 'z' },
    managedFields: [
      ...managedFields([ofSubnets, 'other']),
      { manager: 'kubelet', fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${ofHost}`]: {} } } } },
      { manager: 'microshift-net' },
      null,
    ],
  };
  const node = readNode({ metadata });
  t.strictSame(node.publishedHere, [ofSubnets]);
  t.equal(node.published?.[ofSubnets], 'x');
  t.equal(node.published?.[ofHost]?.length, 4_000, 'only the first 4,000 characters of an annotation are read');
  t.equal(node.refusal, undefined, 'the object is still read as a Node');
  t.strictSame(readNode({ metadata: { name: 'n1', uid: 'a' } }), { name: 'n1', uid: 'a' });
  t.end();
});

t.test('only differences are written, and only annotations of the agent are removed', (t) => {
  const member = nodeOf(1, { gateway: null });
  const wanted = publishedAnnotations(member);
  const node = (published: Record<string, string>, publishedHere: readonly string[] = []): ClusterNode => ({
    name: 'n1',
    uid: 'a',
    published,
    publishedHere,
  });
  t.strictSame(differingAnnotations(node(wanted, [ofSubnets]), [member]), {}, 'a second run writes nothing');
  t.strictSame(differingAnnotations(node({ [ofSubnets]: 'of another' }), [member]), wanted);
  t.strictSame(differingAnnotations(node({ ...wanted, [ofPrimary]: 'old' }, [ofSubnets, ofPrimary]), [member]), {
    [ofPrimary]: null,
  });
  t.strictSame(differingAnnotations(node({ ...wanted, [ofPrimary]: 'of another' }, [ofSubnets]), [member]), {});
  t.strictSame(differingAnnotations(node({ ...wanted, [ofHost]: 'of another' }, [ofSubnets]), []), {
    [ofSubnets]: null,
  });
  t.end();
});

t.test(
  'a Node is written once, again after a pause if another program changes it, and not after the end',
  async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.teardown(() => mock.timers.reset());
    const nodes = new Map<string, ClusterNode>([['n1', { name: 'n1', uid: 'a' }]]);
    const calls: unknown[] = [];
    const writer = createNodeAnnotations(
      {
        annotateNode: async (...words) => {
          calls.push(words.slice(0, 2));
          return 'written';
        },
      },
      nodes,
      (error) => t.equal(error, null),
    );
    const member = nodeOf(1, { gateway: null });
    const wanted = publishedAnnotations(member);
    writer.settle([member]);
    writer.settle([member]);
    await turn();
    t.strictSame(calls, [['n1', wanted]], 'the Node is not written again before the event about the first write');
    nodes.set('n1', { name: 'n1', uid: 'a', published: { ...wanted, [ofSubnets]: 'of another' } });
    writer.settle([member]);
    await turn();
    t.equal(calls.length, 1);
    mock.timers.tick(5_000);
    await turn();
    t.equal(calls.length, 2);
    nodes.set('n1', { name: 'n1', uid: 'a', published: wanted, publishedHere: [ofSubnets] });
    mock.timers.tick(60_000);
    await turn();
    t.equal(calls.length, 2);
    writer.close();
    writer.settle([]);
  },
);

t.test('a missing right is reported with its remedy until the Node is deleted', async (t) => {
  const nodes = new Map<string, ClusterNode>([['n1', { name: 'n1', uid: 'a' }]]);
  const reports: (string | undefined)[] = [];
  const refused = new AgentError('cluster-refused', 'it may not annotate node n1', { facts: { httpStatus: 403 } });
  const writer = createNodeAnnotations({ annotateNode: () => Promise.reject(refused) }, nodes, (error) => {
    reports.push(error === null ? 'fine' : error.hint);
  });
  t.teardown(writer.close);
  writer.settle([nodeOf(1)]);
  await turn();
  t.match(reports, [/kubectl apply -f .*overlay-access\.yaml/]);
  nodes.clear();
  writer.settle([nodeOf(1)]);
  t.equal(reports.at(-1), 'fine');
});
