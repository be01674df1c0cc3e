// Requests of objects that this network does not serve: an Event reports each of them once, with an alternative.
import t from 'tap';
import { kinds } from '../../../agent/run/overlay/watcher/followed-kinds.ts';
import { noticesOfAsks } from '../../../agent/run/overlay/watcher/notices.ts';

function read(kind: string, metadata: object, spec: object = {}) {
  const found = kinds.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  const object = found.read({ metadata: { name: 'one', uid: 'uid', ...metadata }, spec });
  return { object, notices: (before?: typeof object) => noticesOfAsks(found, object, before) };
}

const limited = { annotations: { 'kubernetes.io/egress-bandwidth': '1M' } };

t.test('each unserved request causes an Event of its object', (t) => {
  for (const [kind, metadata, note] of [
    ['Pod', { ...limited, namespace: 'default' }, /limit nothing here/],
    ['Namespace', { annotations: { 'k8s.ovn.org/multicast-enabled': 'true' } }, /by multicast between nodes/],
    ['Node', { labels: { 'k8s.ovn.org/egress-assignable': '' } }, /EgressIP .* overlay gateway --subnets/],
  ] as const) {
    const { notices, object } = read(kind, metadata);
    t.match(notices(), [{ type: 'Warning', reason: 'NotServed', regarding: { kind, name: 'one', uid: 'uid' }, note }]);
    t.strictSame(notices(object), [], 'a change of the object causes no second Event');
    t.equal(
      notices(read(kind, { ...metadata, uid: 'before' }).object).length,
      1,
      'another object of the same name is reported',
    );
    t.ok(notices().every((notice) => notice.note.length <= 1024));
  }
  t.end();
});

t.test('an object without such a request causes no Event', (t) => {
  t.strictSame(read('Pod', {}).notices(), []);
  t.strictSame(
    read('Pod', limited, { hostNetwork: true }).notices(),
    [],
    'a pod in the network of its node causes no Event',
  );
  t.strictSame(read('Namespace', { annotations: { 'k8s.ovn.org/multicast-enabled': 'false' } }).notices(), []);
  t.strictSame(read('Node', { labels: { 'kubernetes.io/hostname': 'one' } }).notices(), []);
  t.end();
});
