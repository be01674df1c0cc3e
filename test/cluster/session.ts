import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { ClusterOptions } from '../../agent/commands/manifests-command.ts';
import { type ApplyOptions, apply, diff, remove, status } from '../../agent/commands/manifests-command.ts';
import { defaultConfig } from '../../agent/config/defaults.ts';
import { type AgentError, asAgentError } from '../../agent/errors.ts';
import { plain } from '../../agent/view/style.ts';
import { withChanges } from '../unit/manifests/changed-config.ts';
import { type ApiServer, startApiServer } from './api-server.ts';
import { missingParts } from './binaries.ts';

export const namespace = 'openshift-ovn-kubernetes';
export const image = 'registry.example/ovn:1';

/** Configuration with the defaults, on a node whose MicroShift leaves ovn-kubernetes to the agent. */
export const ours = withChanges(defaultConfig, { cluster: { cniPlugin: 'none' } });

/** Output and exit code of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly error: AgentError | null;
  readonly text: string;
  readonly notes: readonly string[];
}

/**
 * Starts an API server, waits until it is ready, and stops it when the test ends. If this machine cannot run one, adds
 * a skipped assertion with the reason, and returns null. `options` are the last flags of kube-apiserver, and override
 * the others.
 */
export async function apiServerFor(t: Test, options: readonly string[] = []): Promise<ApiServer | null> {
  const missing = missingParts();
  if (missing !== null) {
    t.pass('an API server', { skip: missing });
    return null;
  }
  const server = await startApiServer(undefined, options);
  t.teardown(server.stop);
  await server.untilReady();
  return server;
}

/** Path of the roles and bindings in the API. */
const rolesPath = '/apis/rbac.authorization.k8s.io/v1';

let shared: Promise<ApiServer | null> | null = null;

/**
 * Returns the API server of this process, which the files of test/cluster share, because a start takes longer than most
 * of their cases. Starts it at the first call, and stops it when the process has run all tests. Returns null if this
 * machine cannot run one.
 */
export function sharedApiServer(): Promise<ApiServer | null> {
  shared ??= apiServerFor(t);
  return shared;
}

/** Adds a test that removes manifests that an earlier file has left, so that the next tests start without them. */
export function testWithoutManifests(server: ApiServer): void {
  t.test('manifests of earlier files are removed', async (t) => {
    const { status } = await server.call('DELETE', `/api/v1/namespaces/${namespace}`);
    // The namespace is absent, is being deleted from now on, or was being deleted before.
    if (![404, 200, 202, 409].includes(status)) throw new Error(`the deletion of ${namespace}: ${status}`);
    if (status !== 404) {
      await emptyNamespace(server);
      await finishNamespace(server);
    }
    for (const plural of ['clusterroles', 'clusterrolebindings']) {
      const path = `${rolesPath}/${plural}`;
      const { items } = (await server.call('GET', path)).body as { items: { metadata: { name: string } }[] };
      for (const { metadata } of items)
        if (metadata.name.startsWith(namespace)) await server.call('DELETE', `${path}/${metadata.name}`);
    }
    t.same(await versions(server), {});
  });
}

/** Rights of a role (rbac.authorization.k8s.io/v1, PolicyRule). */
interface Rights {
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
  /** Groups of the API; the core group if absent. */
  readonly apiGroups?: readonly string[];
}

/** Gives a user, by default the user `weak`, or a group the rights of a new ClusterRole. */
export async function grant(
  server: ApiServer,
  name: string,
  { apiGroups = [''], ...rights }: Rights,
  subject: { readonly kind: 'User' | 'Group'; readonly name: string } = { kind: 'User', name: 'weak' },
): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const [apiVersion, metadata] = [`${apiGroup}/v1`, { name }];
  for (const [plural, object] of [
    ['clusterroles', { kind: 'ClusterRole', rules: [{ apiGroups, ...rights }] }],
    [
      'clusterrolebindings',
      {
        kind: 'ClusterRoleBinding',
        roleRef: { apiGroup, kind: 'ClusterRole', name },
        subjects: [{ apiGroup, ...subject }],
      },
    ],
  ] as const) {
    const { status, body } = await server.call('POST', `${rolesPath}/${plural}`, { apiVersion, metadata, ...object });
    if (status !== 201) throw new Error(`${plural} ${name}: ${status} ${JSON.stringify(body)}`);
  }
}

/** Deletes the bindings of grants with these names. The ClusterRoles remain, so a name cannot be granted again. */
export async function revoke(server: ApiServer, ...names: readonly string[]): Promise<void> {
  for (const name of names) await server.call('DELETE', `${rolesPath}/clusterrolebindings/${name}`);
}

const commands = { apply, diff, status, remove };
type Command = keyof typeof commands;

/** Options of a command; `kubeconfig: null` leaves out the kubeconfig on the command line. */
type SessionOptions = Partial<Omit<ApplyOptions, 'kubeconfig' | 'output'>> & {
  readonly kubeconfig?: string | null;
  readonly note?: (line: string) => void;
};

/**
 * Runs a command against a server as the administrator, with the defaults of ovn.yaml unless the options name others.
 */
export async function run(
  server: ApiServer,
  command: Command,
  { kubeconfig = server.kubeconfig('admin'), note, ...options }: SessionOptions = {},
): Promise<Outcome> {
  let text = '';
  const notes: string[] = [];
  const result = (more: string): void => {
    text += `${more}\n`;
  };
  const complete: ClusterOptions = {
    config: ours,
    hasMicroshift: true,
    image,
    controlPlane: '192.0.2.10',
    output: { format: 'text', style: plain, result, say: note ?? ((line) => notes.push(line)) },
    signal: new AbortController().signal,
    ...(kubeconfig === null ? {} : { kubeconfig }),
    ...options,
  };
  try {
    const code = await commands[command](complete);
    return { code, error: null, text, notes };
  } catch (error) {
    return { code: null, error: asAgentError(error), text, notes };
  }
}

/** Returns the resourceVersion of each object of the agent by "kind name", including the inventory. */
export async function versions(server: ApiServer): Promise<Record<string, string>> {
  const selector = 'labelSelector=app.kubernetes.io%2Fmanaged-by%3Dmicroshift-net';
  const paths = [
    '/api/v1/namespaces',
    `/api/v1/namespaces/${namespace}/serviceaccounts`,
    `/api/v1/namespaces/${namespace}/configmaps`,
    `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`,
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  ];
  const lists = await Promise.all(paths.map((path) => server.call('GET', `${path}?${selector}`)));
  const found = lists.flatMap(({ body }) =>
    (body.items as { metadata: { name: string; resourceVersion: string } }[]).map((item) => {
      return [`${body.kind.replace('List', '')} ${item.metadata.name}`, item.metadata.resourceVersion] as const;
    }),
  );
  return Object.fromEntries(found);
}

/** Returns the names of objects whose versions differ, or that exist in only one of the two lists. */
export function changed(before: Record<string, string>, after: Record<string, string>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).sort();
}

/** Removes all objects in a deleted namespace in the place of the namespace controller. */
export async function emptyNamespace(server: ApiServer): Promise<void> {
  for (const collection of [
    ...['configmaps', 'serviceaccounts', 'pods', 'events'].map((plural) => `/api/v1/namespaces/${namespace}/${plural}`),
    `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
    ...['roles', 'rolebindings'].map((plural) => `${rolesPath}/namespaces/${namespace}/${plural}`),
  ])
    await server.call('DELETE', collection, { gracePeriodSeconds: 0 });
}

/** Removes a deleted namespace in the place of the namespace controller, which is not running in the tests. */
export async function finishNamespace(server: ApiServer): Promise<void> {
  const read = () => server.call('GET', `/api/v1/namespaces/${namespace}`);
  let { status, body } = await read();
  while (status !== 404 && body.metadata.deletionTimestamp === undefined) {
    await pause(100);
    ({ status, body } = await read());
  }
  if (status === 404) return;
  await server.call('PUT', `/api/v1/namespaces/${namespace}/finalize`, { ...body, spec: { finalizers: [] } });
}

/** Reports the status that the daemonset controller and the kubelets of a real cluster would report. */
export async function reportRollout(server: ApiServer, ready: 0 | 1): Promise<void> {
  for (const name of ['ovnkube-master', 'ovnkube-node']) {
    const path = `/apis/apps/v1/namespaces/${namespace}/daemonsets/${name}`;
    const { generation } = (await server.call('GET', path)).body.metadata;
    const numbers = {
      desiredNumberScheduled: 1,
      currentNumberScheduled: 1,
      updatedNumberScheduled: 1,
      numberMisscheduled: 0,
    };
    const status = { ...numbers, observedGeneration: generation, numberReady: ready, numberAvailable: ready };
    await server.call('PATCH', `${path}/status`, { status }, 'application/merge-patch+json');
  }
}
