// Network policies and namespaces as a real API server returns them: the agent assumes the same defaults, and refuses
// objects that it cannot read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import t from 'tap';
import { readNamespace } from '../../agent/workload/policies/read-namespace.ts';
import { readPolicy } from '../../agent/workload/policies/read-policy.ts';
import { sharedApiServer } from './session.ts';

const cases = join(import.meta.dirname, '../../../test/cases/workload/policies');

interface ApiObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

function policiesOf(name: string): readonly ApiObject[] {
  const { objects } = load(readFileSync(join(cases, name, 'facts.yaml'), 'utf8')) as { objects: readonly ApiObject[] };
  return objects.filter(({ kind }) => kind === 'NetworkPolicy');
}

const server = await sharedApiServer();
if (server !== null) {
  const path = '/apis/networking.k8s.io/v1/namespaces/web/networkpolicies';
  const policy = (spec: object, name = 'one') => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { namespace: 'web', name },
    spec,
  });

  t.test('the fields of an object are read as they were written', async (t) => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web', labels: { team: 'a' } } };
    await server.call('POST', '/api/v1/namespaces', namespace);
    const made = await server.call('GET', '/api/v1/namespaces/web');
    const labels = { team: 'a', 'kubernetes.io/metadata.name': 'web' };
    t.match(readNamespace(made.body), { name: 'web', uid: /^[0-9a-f-]{36}$/, labels });
    const specs = [
      {},
      { podSelector: {}, egress: [{}] },
      { podSelector: {}, ingress: [{ ports: [{}] }] },
      { podSelector: {}, ingress: [{ from: [], ports: [] }], policyTypes: ['Ingress'] },
    ].map((spec, place) => policy(spec, `own-${place}`));
    const written = ['deny-all', 'rules', 'named-ports'].flatMap(policiesOf);
    for (const object of [...specs, ...written]) {
      const { name } = object.metadata;
      const { status, body: answer } = await server.call('POST', path, {
        apiVersion: 'networking.k8s.io/v1',
        ...object,
      });
      t.equal(status, 201, `${name} ${answer.message ?? ''}`);
      const { body } = await server.call('GET', `${path}/${name}`);
      const { uid, ...said } = readPolicy(body);
      const { uid: _, ...meant } = readPolicy(object);
      t.match(uid, /^[0-9a-f-]{36}$/);
      t.strictSame(said, meant, name);
    }
  });

  t.test('the API server refuses policies with contradictory fields', async (t) => {
    const port = (value: object) => ({ podSelector: {}, egress: [{ ports: [value] }] });
    for (const [what, spec] of Object.entries({
      'an endPort without a port': port({ endPort: 80 }),
      'an endPort with a port name': port({ port: 'http', endPort: 80 }),
      'an endPort below the port': port({ port: 81, endPort: 80 }),
      'a peer of two kinds': { ingress: [{ from: [{ podSelector: {}, ipBlock: { cidr: '192.0.2.0/24' } }] }] },
      'an invalid range of addresses': { ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.300/24' } }] }] },
      'an exception outside of the range': {
        ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['198.51.100.0/24'] } }] }],
      },
      'an unknown operator': {
        podSelector: { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] },
      },
    }))
      t.match(await server.call('POST', path, policy(spec)), { status: 422 }, what);
    for (const end of [80, 90]) {
      const { status } = await server.call('POST', path, policy(port({ port: 80, endPort: end }), `to-${end}`));
      t.equal(status, 201, `endPort ${end}`);
    }
  });
}
