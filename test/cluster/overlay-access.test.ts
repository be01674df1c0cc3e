// Rights that config/overlay-access.yaml grants, on a real API server: the daemons' requests are allowed and all others
// are refused, and only the daemons write the addresses of pods and nodes.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { mayDoAnything } from '../../agent/drivers/kubernetes/access-review.ts';
import { fieldAt } from '../../agent/model/kubernetes/object.ts';
import { kinds } from '../../agent/run/overlay/watcher/followed-kinds.ts';
import { readNode } from '../../agent/workload/cluster-nodes.ts';
import { publishedNames } from '../../agent/workload/published-addresses.ts';
import type { ApiServer } from './api-server.ts';
import { hear, openTestApi } from './following.ts';
import { grant, revoke, sharedApiServer } from './session.ts';

const file = 'config/overlay-access.yaml';
const mergePatch = 'application/merge-patch+json';
const pods = '/api/v1/namespaces/default/pods';
const names = publishedNames;

const server = await sharedApiServer();
if (server !== null) {
  let [central, member] = ['', ''];
  const weak = tokenIn(server);

  t.test('the accounts have tokens', async (t) => {
    server.kubectl('apply', '-f', file);
    [central, member] = [await tokenOf(server, 'central'), await tokenOf(server, 'member')];
    t.not(central, member);
    // The user `weak` has the rights of an ordinary user, and the rights to schedule pods and to report their status.
    await grant(server, 'everyday', { verbs: ['create', 'get', 'patch'], resources: ['pods'] });
    await grant(server, 'schedules', { verbs: ['create'], resources: ['pods/binding'] });
    await grant(server, 'reports', { verbs: ['patch', 'update'], resources: ['pods/status'] });
    await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default' },
    });
  });

  t.test('the account of the central node has the rights that it uses', async (t) => {
    const said: string[] = [];
    const api = openTestApi(server.kubeconfig('central', { token: central }), {}, (line) => said.push(line));
    t.teardown(api.close);
    const all = kinds.map(({ kind, collection }) => [kind, hear(api, collection)] as const);
    for (const [kind, heard] of all)
      await heard.until(({ log }) => log.some((line) => line.startsWith('whole')), `${kind} are listed`);
    const pod = await makePod(server, 'web');
    t.equal(await api.annotate(pod, { ovn: '{}', 'k8s.ovn.org/pod-networks': '{}' }), 'written');
    t.equal(
      await api.annotate({ ...pod, uid: 'of-another' }, { ovn: '{}' }),
      'gone',
      'a pod with another uid is not annotated',
    );
    const regarding = { apiVersion: 'v1', kind: 'Pod', ...pod };
    api.report({ regarding, type: 'Warning', reason: 'AddressTaken', action: 'AssignAddress', note: 'it is taken' });
    const events = hear(openAdmin(server), { apiVersion: 'events.k8s.io/v1', plural: 'events', namespace: 'default' });
    await events.until(({ names }) => [...names].some((name) => name.startsWith('web.')), 'the Event exists');
    events.stop();
    t.strictSame(said, [], 'no request was refused');
    const refused = [
      ['GET', '/api/v1/secrets'],
      ['GET', '/api/v1/configmaps'],
      ['DELETE', `${pods}/web`],
      ['POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } }],
      ['PATCH', '/api/v1/nodes/n1', { metadata: { annotations: { a: 'b' } } }],
      ['PATCH', `${pods}/web/status`, { status: {} }],
      ['POST', '/api/v1/namespaces/default/services', {}],
      ['GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
    ] as const;
    await allRefused(t, server, central, refused);
  });

  t.test('the central node writes three annotations of a Node, and nothing else of it', async (t) => {
    const said: string[] = [];
    const api = openTestApi(server.kubeconfig('central', { token: central }), {}, (line) => said.push(line));
    t.teardown(api.close);
    t.equal(await api.annotateNode('n1', { [names[0]]: 'x' }), 'gone');
    const { status } = await server.call('POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1', labels: { zone: 'a' }, annotations: { other: 'kept' } },
      spec: { unschedulable: true },
    });
    t.equal(status, 201);
    const values = { [names[0]]: '{"default":["10.42.1.0/24"]}', [names[1]]: '{"ipv4":"192.0.2.11/24"}' };
    t.equal(await api.annotateNode('n1', { ...values, [names[2]]: '[]' }), 'written');
    const versionOf = async (): Promise<unknown> =>
      fieldAt((await server.call('GET', '/api/v1/nodes/n1')).body, 'metadata', 'resourceVersion');
    const before = await versionOf();
    t.equal(await api.annotateNode('n1', { ...values, [names[2]]: '[]' }), 'written');
    t.equal(await versionOf(), before, 'a write of the same values changes nothing');
    t.equal(await api.annotateNode('n1', { [names[2]]: null }), 'written');
    const node = readNode((await server.call('GET', '/api/v1/nodes/n1')).body);
    t.strictSame(
      [node.published, node.publishedHere],
      [values, [names[0], names[1]]],
      'the server has recorded the writer of the annotations',
    );
    t.strictSame(said, []);

    const nodePath = '/api/v1/nodes/n1';
    const patch = (body: object) => server.callAs(central, 'PATCH', `${nodePath}/status`, body, mergePatch);
    const label = { metadata: { labels: { zone: 'b' } } };
    await policyApplies(() => server.callAs(central, 'PATCH', `${nodePath}/status?dryRun=All`, label, mergePatch));
    for (const [what, body] of [
      ['another annotation', { metadata: { annotations: { other: 'x' } } }],
      ['a further annotation', { metadata: { annotations: { more: 'x' } } }],
      ['the removal of an annotation', { metadata: { annotations: { other: null } } }],
      ['a label', label],
      ['the phase', { status: { phase: 'Terminated' } }],
    ] as const) {
      const { status, body: answer } = await patch(body);
      t.equal(status, 422, `${what}: ${JSON.stringify(answer)}`);
      t.match(fieldAt(answer, 'message'), /central node of microshift-net changes no/, what);
    }
    const spec = await patch({ spec: { unschedulable: false } });
    t.equal(spec.status, 200);
    t.equal(
      fieldAt(spec.body, 'spec', 'unschedulable'),
      true,
      'a request for the status does not change the specification',
    );
    await allRefused(t, server, central, [
      ['PATCH', nodePath, { metadata: { annotations: { [names[0]]: 'x' } } }],
      ['GET', nodePath],
      ['DELETE', nodePath],
    ]);
  });

  t.test('a kubelet does not change these annotations of its own Node', async (t) => {
    const kubelets = { kind: 'Group', name: 'system:nodes' } as const;
    const rights = { verbs: ['get', 'patch', 'create'], resources: ['nodes', 'nodes/status'] };
    await grant(server, 'kubelets', rights, kubelets);
    const asKubelet = ['--as', 'system:node:n1', '--as-group', 'system:nodes'];
    const annotate = (annotation: string) =>
      server.kubectl('annotate', '--overwrite', 'node', 'n1', annotation, ...asKubelet);
    t.match(annotate('kubelet=says'), /annotated/, 'a kubelet changes other annotations');
    for (const name of names) {
      t.throws(() => annotate(`${name}=forged`), { message: /written by the central node/ }, name);
      if (name !== names[2]) t.throws(() => annotate(`${name}-`), { message: /written by the central node/ });
    }
  });

  t.test('credentials of an administrator are recognized', async (t) => {
    const asked = [
      server.kubeconfig('admin'),
      server.kubeconfig('central', { token: central }),
      server.kubeconfig('weak'),
    ];
    t.strictSame(await Promise.all([...asked, '/nowhere'].map(mayDoAnything)), [true, false, false, null]);
  });

  t.test('a member reads its pods, and has no other right', async (t) => {
    const said: string[] = [];
    const api = openTestApi(server.kubeconfig('member', { token: member }), {}, (line) => said.push(line));
    t.teardown(api.close);
    const own = { apiVersion: 'v1', plural: 'pods', namespace: null, fieldSelector: 'spec.nodeName=n1' };
    await hear(api, own).until(
      ({ log }) => log.some((line) => line.startsWith('whole')),
      'the pods of the member are listed',
    );
    t.strictSame(said, []);
    await allRefused(t, server, member, [
      ['GET', '/api/v1/nodes'],
      ['GET', '/api/v1/services'],
      ['PATCH', `${pods}/web`, { metadata: { annotations: { ovn: '{}' } } }],
      ['POST', '/apis/events.k8s.io/v1/namespaces/default/events', {}],
    ]);
  });

  t.test('no other account writes the addresses of pods', async (t) => {
    t.teardown(() => revoke(server, 'everyday', 'schedules', 'reports', 'kubelets'));
    t.teardown(() => void server.kubectl('delete', '--wait=false', '-f', file));
    const forged = { 'k8s.ovn.org/pod-networks': '{"default":{"ip_addresses":["10.42.1.9/24"]}}' };
    const denied = async (what: string, ...words: Parameters<ApiServer['call']>): Promise<void> => {
      const { status, body } = await server.callAs(weak, ...words);
      t.equal(status, 422, `${what}: ${JSON.stringify(body)}`);
      t.match(fieldAt(body, 'message'), /written by microshift-net alone/, what);
    };
    await policyApplies(() => server.callAs(weak, 'POST', `${pods}?dryRun=All`, podNamed('forged', { ovn: '{}' })));
    await denied('with a new pod', 'POST', pods, podNamed('forged', { ovn: '{}' }));
    for (const name of ['ovn', 'k8s.ovn.org/pod-networks', 'microshift-net/address-of'])
      await denied(
        `${name} of an existing pod`,
        'PATCH',
        `${pods}/web`,
        { metadata: { annotations: { [name]: 'x' } } },
        mergePatch,
      );
    await denied(
      'removal of an annotation',
      'PATCH',
      `${pods}/web`,
      { metadata: { annotations: { ovn: null } } },
      mergePatch,
    );
    await denied('with its status', 'PATCH', `${pods}/web/status`, { metadata: { annotations: forged } }, mergePatch);
    const target = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'web', annotations: forged }, target };
    await denied('with its binding', 'POST', `${pods}/web/binding`, binding);

    const asks = await server.callAs(
      weak,
      'POST',
      pods,
      podNamed('asks', { 'microshift-net/ip-address': '10.42.1.7' }),
    );
    t.equal(asks.status, 201, 'a new pod may request an address');
    const labels = { metadata: { labels: { a: 'b' } } };
    t.equal(
      (await server.callAs(weak, 'PATCH', `${pods}/web`, labels, mergePatch)).status,
      200,
      'other metadata may be changed',
    );
  });
}

type Call = readonly [method: string, path: string, body?: unknown];

async function allRefused(
  t: { equal(a: unknown, b: unknown, message: string): void },
  { callAs }: ApiServer,
  token: string,
  calls: readonly Call[],
) {
  for (const [method, path, body] of calls) {
    const { status } = await callAs(token, method, path, body, method === 'PATCH' ? mergePatch : undefined);
    t.equal(status, 403, `${method} ${path}`);
  }
}

/**
 * Waits until the API server applies the policy, which the server compiles some time after the creation. Without a
 * controller manager, no object reports the end of the compilation. The function therefore repeats a request without
 * effect (dryRun), as Kubernetes' own tests do.
 */
async function policyApplies(attempt: () => Promise<{ readonly status: number }>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await attempt()).status === 422) return;
    await setTimeout(200);
  }
  throw new Error('the API server does not apply the policy');
}

function openAdmin(server: ApiServer) {
  const api = openTestApi(server.kubeconfig('admin'));
  t.teardown(api.close);
  return api;
}

async function tokenOf(server: ApiServer, account: string): Promise<string> {
  const path = `/api/v1/namespaces/microshift-net/serviceaccounts/${account}/token`;
  const { body } = await server.call('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  });
  return String(fieldAt(body, 'status', 'token'));
}

/** Returns the token of the user `weak`, whose groups have no rights. */
function tokenIn(server: ApiServer): string {
  const { users } = JSON.parse(readFileSync(server.kubeconfig('weak'), 'utf8')) as {
    users: { user: { token: string } }[];
  };
  return users[0]?.user.token ?? '';
}

function podNamed(name: string, annotations: Readonly<Record<string, string>> = {}) {
  const spec = { containers: [{ name: 'a', image: 'registry.example/a:1' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, annotations }, spec };
}

async function makePod(server: ApiServer, name: string) {
  const { body } = await server.call('POST', pods, podNamed(name));
  return { namespace: 'default', name, uid: String(fieldAt(body, 'metadata', 'uid')) };
}
