// Parsing of network policies, pods and namespaces.
import t from 'tap';
import { readNamespace } from '../../../../agent/workload/policies/read-namespace.ts';
import { readPolicy } from '../../../../agent/workload/policies/read-policy.ts';

const metadata = { namespace: 'web', name: 'one', uid: '1', resourceVersion: '7' };

t.test('a missing field has the documented default', (t) => {
  const rules = { ingress: [{ from: [], ports: [{}] }], egress: [] };
  t.strictSame(readPolicy({ metadata, spec: { podSelector: {}, ...rules } }), {
    namespace: 'web',
    name: 'one',
    uid: '1',
    podSelector: {},
    policyTypes: ['Ingress'],
    ingress: [{ peers: [], ports: [{ protocol: 'TCP', port: null, endPort: null }] }],
    egress: [],
  });
  t.strictSame(readPolicy({ metadata, spec: { egress: [{}] } }).policyTypes, ['Ingress', 'Egress']);
  t.strictSame(readPolicy({ metadata, spec: { policyTypes: ['Egress'], egress: [{}] } }), {
    namespace: 'web',
    name: 'one',
    uid: '1',
    podSelector: {},
    policyTypes: ['Egress'],
    ingress: [],
    egress: [{ peers: [], ports: [] }],
  });
  t.end();
});

t.test('an empty selector differs from a missing selector', (t) => {
  const from = [{ podSelector: {} }, { namespaceSelector: {} }, { ipBlock: { cidr: '192.0.2.0/24' } }];
  t.strictSame(readPolicy({ metadata, spec: { ingress: [{ from }] } }).ingress[0]?.peers, [
    { podSelector: {} },
    { namespaceSelector: {} },
    { ipBlock: { cidr: '192.0.2.0/24', except: [] } },
  ]);
  t.end();
});

t.test('null in place of an object counts as an empty object', (t) => {
  for (const object of [
    {},
    { metadata: null },
    { metadata: {}, spec: null },
    { spec: { ingress: null, podSelector: null } },
  ]) {
    t.match(readPolicy(object), { name: '', ingress: [], egress: [] });
    t.strictSame(readNamespace(object), { name: '', uid: '', labels: {} });
  }
  t.end();
});

t.test('a namespace without labels', (t) => {
  t.strictSame(readNamespace({ metadata: { name: 'web', uid: '2' } }), { name: 'web', uid: '2', labels: {} });
  t.end();
});
