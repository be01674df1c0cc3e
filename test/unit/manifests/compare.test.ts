import t from 'tap';
import { applyOutcome, compareObjects } from '../../../agent/manifests/compare.ts';
import { inventoryObject, inventoryReferences, staleReferences } from '../../../agent/manifests/inventory.ts';
import type { KubernetesObject } from '../../../agent/model/kubernetes/object.ts';
import { diffText } from '../../../agent/view/manifests-view.ts';
import { plain } from '../../../agent/view/style.ts';

const base: KubernetesObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'here' } };
const pod = (env: unknown): KubernetesObject => ({ ...base, kind: 'Pod', spec: { containers: [{ name: 'a', env }] } });

t.test('fields that the server sets are not a difference', async (t) => {
  const live = {
    ...base,
    status: { x: 1 },
    metadata: { ...base.metadata, resourceVersion: '1', uid: 'u', managedFields: [1] },
  };
  t.same(compareObjects(live, { ...base, status: { x: 2 } }), []);
  t.same(compareObjects({ ...base, data: { a: '1', b: '2' } }, { ...base, data: { b: '2', a: '1' } }), []);
});

t.test('a changed field is named by its path', async (t) => {
  const before = pod([{ name: 'LEVEL', value: '4' }]);
  t.same(compareObjects(before, pod([{ name: 'LEVEL', value: '5' }])), [
    { path: 'spec.containers[a].env[LEVEL].value', before: '4', after: '5' },
  ]);
  t.same(compareObjects(base, { ...base, data: { 'ovnkube.conf': 'x' } }), [
    { path: 'data', before: undefined, after: { 'ovnkube.conf': 'x' } },
  ]);
});

t.test('the change of a secret is shown, and its content is not', async (t) => {
  const secret = (value: string): KubernetesObject => ({ ...base, kind: 'Secret', data: { key: value } });
  t.same(compareObjects(secret('b2xk'), secret('bmV3')), [{ path: 'data.key', before: '(masked)', after: '(masked)' }]);
  const variable = (value: string): KubernetesObject => pod([{ name: 'DB_PASSWORD', value }]);
  t.same(compareObjects(variable('old'), variable('new')), [
    { path: 'spec.containers[a].env[DB_PASSWORD].value', before: '(masked)', after: '(masked)' },
  ]);
  t.same(compareObjects(base, { ...base, data: { conf: 'psk=new' } }), [
    { path: 'data', before: undefined, after: { conf: 'psk=(masked)' } },
  ]);
  const added = compareObjects(pod([]), variable('new'));
  t.notMatch(JSON.stringify(added), 'new');
  t.match(JSON.stringify(added), 'DB_PASSWORD');
  for (const name of ['token', 'wifi-psk', 'passphrase', 'bearer', 'tls-key-data', 'pin'])
    t.notMatch(JSON.stringify(compareObjects(base, { ...base, data: { [name]: 'new' } })), 'new', name);
});

t.test('a changed text is shown by its changed lines', async (t) => {
  const fields = compareObjects({ ...base, data: { conf: 'a\nb\nc\n' } }, { ...base, data: { conf: 'a\nx\nc\nd\n' } });
  const text = diffText([{ object: 'ConfigMap one', change: 'change', fields, conflict: null }], plain);
  t.equal(text, '~ ConfigMap one\n    data.conf\n      - b\n      + x\n      + d');
});

t.test('the dry run shows the effect of an apply', async (t) => {
  const live = (more: object = {}): KubernetesObject => ({
    ...base,
    metadata: { ...base.metadata, resourceVersion: '1', ...more },
  });
  t.equal(applyOutcome(null, null, false), 'created');
  t.equal(applyOutcome(base, null, true), 'created', 'a deleted object is reported as created');
  t.equal(applyOutcome(live(), null, false), 'taken-over');
  t.equal(applyOutcome(live(), null, true), 'changed', 'a label that was removed by hand is reported as changed');
  t.equal(applyOutcome(live(), live(), true), 'unchanged');
  t.equal(
    applyOutcome(live({ managedFields: [{}] }), live(), true),
    'changed',
    'a change of the owners of fields is reported as changed',
  );
});

t.test('the inventory can be read again, and skips foreign objects', async (t) => {
  const references = [
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'here', name: 'one' },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', namespace: null, name: 'two' },
  ];
  const inventory = inventoryObject('classic', references);
  t.same(
    inventoryReferences(inventory).toSorted((a, b) => a.name.localeCompare(b.name)),
    references,
  );
  const text = 'v1 Secret here stolen\nnonsense\nv1 ConfigMap here one\n\n';
  t.same(inventoryReferences({ ...inventory, data: { objects: text } }), references.slice(0, 1));
  t.same(inventoryReferences(null), []);
  t.same(staleReferences([...references, ...references], references.slice(0, 1)), references.slice(1));
});
