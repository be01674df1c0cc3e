// A workload like that of deployments with services and policies: pods on both nodes that are connected by the plug-in,
// and services and policies that select them.
import { type CniCluster, sandboxId } from '../cni-cluster.ts';
import type { Host } from '../hosts.ts';
import { cni, makeSandbox, removeNamespace, type Sandbox, type TestPod } from '../pods.ts';

/** Number of pods that a kubelet starts at the same time. */
const atOnce = 4;
const services = 5;
const policies = 3;
/** Error code after which a call may be repeated (CNI 1.1, "Error"). A kubelet repeats it with another sandbox. */
const tryAgainLater = 11;
const mostTries = 5;

export interface Deployed {
  /** Number of times that ADD requested a later attempt. */
  readonly triedAgain: number;
  /** Writes other endpoints for every service, and other ports for every policy. */
  churn(): Promise<void>;
  /** Checks that every pod has its interface and addresses. */
  check(): Promise<void>;
  remove(): Promise<void>;
}

interface Made {
  readonly host: Host;
  readonly pod: TestPod;
  readonly sandbox: Sandbox;
}

interface Plugged extends Made {
  readonly result: { readonly ips: readonly { readonly address: string }[] };
  readonly tries: number;
}

/** Creates the workload; resolves when all pods have their interfaces and all services and policies exist. */
export async function deploy({ hosts, server, pod }: CniCluster, cycle: number, perNode: number): Promise<Deployed> {
  const call = async (method: string, path: string, body?: unknown): Promise<void> => {
    const { status, body: answer } = await server.call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  };
  const names = hosts.flatMap((host) =>
    Array.from({ length: perNode }, (_, index) => ({ host, name: `c${cycle}-${host.name}-${index}` })),
  );
  const made = await inTurns(names, async ({ host, name }) => ({ host, ...(await pod(host, name)) }));
  for (let index = 0; index < services; index += 1) await call('POST', path('services'), serviceOf(index));
  const plugged = await inTurns(made, (one) => plug(one));
  const addresses = plugged.map(({ result }) => String(result.ips[0]?.address).replace(/\/.*/, ''));
  if (new Set(addresses).size !== addresses.length) throw new Error(`an address twice: ${addresses.join(' ')}`);
  for (let index = 0; index < services; index += 1)
    await call('POST', path('endpointslices'), sliceOf(index, addresses));
  for (let index = 0; index < policies; index += 1) await call('POST', path('networkpolicies'), policyOf(index, 8080));
  return {
    triedAgain: plugged.reduce((sum, { tries }) => sum + tries - 1, 0),
    churn: async () => {
      for (let index = 0; index < services; index += 1)
        await call('PUT', `${path('endpointslices')}/soak-${index}`, sliceOf(index, addresses.slice(index)));
      for (let index = 0; index < policies; index += 1)
        await call('PUT', `${path('networkpolicies')}/soak-${index}`, policyOf(index, 9090));
    },
    check: async () => {
      await inTurns(plugged, async ({ host, sandbox, result }) => {
        const { status, result: said } = await cni(host, 'CHECK', sandbox, { prevResult: result });
        if (status !== 0) throw new Error(`CHECK: ${JSON.stringify(said)}`);
      });
    },
    remove: async () => {
      await inTurns(plugged, async ({ host, sandbox, pod: { name } }) => {
        await removeSandbox(host, sandbox);
        await call('DELETE', `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`);
      });
      for (let index = 0; index < services; index += 1)
        for (const kind of ['services', 'endpointslices'] as const) await call('DELETE', `${path(kind)}/soak-${index}`);
      for (let index = 0; index < policies; index += 1)
        await call('DELETE', `${path('networkpolicies')}/soak-${index}`);
    },
  };
}

async function plug(made: Made, tries = 1): Promise<Plugged> {
  const { host, pod, sandbox } = made;
  const { status, result } = await cni(host, 'ADD', sandbox);
  if (status === 0) return { ...made, result, tries };
  if (result?.code !== tryAgainLater || tries === mostTries) throw new Error(`ADD: ${JSON.stringify(result)}`);
  await removeSandbox(host, sandbox);
  return await plug({ ...made, sandbox: makeSandbox(host, sandboxId(), pod) }, tries + 1);
}

async function removeSandbox(host: Host, sandbox: Sandbox): Promise<void> {
  await cni(host, 'DEL', sandbox);
  removeNamespace(host, sandbox);
}

const groups = {
  services: '/api/v1',
  endpointslices: '/apis/discovery.k8s.io/v1',
  networkpolicies: '/apis/networking.k8s.io/v1',
} as const;

function path(kind: keyof typeof groups): string {
  return `${groups[kind]}/namespaces/default/${kind}`;
}

function serviceOf(index: number): unknown {
  return { metadata: { name: `soak-${index}` }, spec: { ports: [{ name: 'http', port: 80, targetPort: 8080 }] } };
}

function sliceOf(index: number, addresses: readonly string[]): unknown {
  const labels = { 'kubernetes.io/service-name': `soak-${index}` };
  return {
    metadata: { name: `soak-${index}`, labels },
    addressType: 'IPv4',
    ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  };
}

function policyOf(index: number, port: number): unknown {
  const ingress = [{ from: [{ podSelector: {} }], ports: [{ protocol: 'TCP', port: port + index }] }];
  return { metadata: { name: `soak-${index}` }, spec: { podSelector: {}, policyTypes: ['Ingress'], ingress } };
}

/** Runs the work for all items, some at a time; returns the results in the order of the items. */
async function inTurns<One, Result>(all: readonly One[], work: (one: One) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...all.entries()];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
