// Objects of the tests' clusters, and programs in the clusters' pods.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Host } from '../overlay/hosts.ts';
import { programs } from './control-plane.ts';
import { testImage } from './images.ts';
import type { Cluster } from './kubelet-cluster.ts';

const container = { name: 'one', image: testImage, imagePullPolicy: 'Never' } as const;

/**
 * Returns a deployment of pods that answer requests with their RELEASE, spread over the nodes; if a node fails,
 * Kubernetes replaces its pods after some seconds.
 */
export function deployment(name: string, replicas: number, release = '') {
  const gone = ['not-ready', 'unreachable'].map((state) => ({
    key: `node.kubernetes.io/${state}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 2,
  }));
  const spec = {
    tolerations: gone,
    terminationGracePeriodSeconds: 8,
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { app: name } },
      },
    ],
    containers: [
      {
        ...container,
        env: [{ name: 'RELEASE', value: release }],
        readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1, timeoutSeconds: 5 },
        // The limits are long, so that the kubelet does not restart a pod that starts slowly on a busy machine.
        livenessProbe: { tcpSocket: { port: 8081 }, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 10 },
        // The pod continues for some time after it was removed from its services, to answer clients that connected
        // before.
        lifecycle: { preStop: { sleep: { seconds: 4 } } },
      },
    ],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
    },
  };
}

/** Returns a pod on a given node that sends requests to other pods. */
export function client(name: string, node: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: { nodeName: node, terminationGracePeriodSeconds: 1, containers: [container] },
  };
}

/** Returns a service of a deployment, with a cluster address and, on every node, a port of TCP and one of UDP. */
export function nodePorts(name: string, tcp: number, udp: number) {
  const ports = [
    { name: 'tcp', protocol: 'TCP', port: 80, targetPort: 8080, nodePort: tcp },
    { name: 'udp', protocol: 'UDP', port: 53, targetPort: 8053, nodePort: udp },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { type: 'NodePort', selector: { app: name }, ports },
  };
}

/** Returns a policy by which only pods of one app reach the pods of another app, and only by TCP. */
export function onlyFrom(app: string, to: string) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `only-${app}`, namespace: 'default' },
    spec: {
      podSelector: { matchLabels: { app: to } },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: { matchLabels: { app } } }], ports: [{ protocol: 'TCP', port: 8080 }] }],
    },
  };
}

/** Runs the program of the tests' image in a pod; returns its output, or the reason why it failed. */
export function inPod({ kubectl }: Pick<Cluster, 'kubectl'>, pod: string, ...words: readonly string[]): string {
  try {
    return kubectl('exec', pod, '--', '/in-pod', ...words).trim();
  } catch (error) {
    return `failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Pod from whose network namespace requests are sent, and its host. */
export interface Asker {
  readonly host: Pick<Host, 'run' | 'must'>;
  /** Address of the pod. */
  readonly address: string;
}

/**
 * Shell text that runs a command with the path of the network namespace of the pod with the address $1 in `$place`;
 * fails if no pod has the address.
 */
const inNamespaceOf = (command: string): string => `
for place in /run/netns/*; do
  ip -n "\${place##*/}" -o address | grep -qF " $1/" || continue
  ${command}
done
echo "no pod has the address $1" >&2
exit 1`;

/**
 * Returns the answer of an address to a request from a pod, or the reason of the failure. The request starts no process
 * in the pod, which would take ten times as long.
 */
export function ask({ host, address }: Asker, network: 'tcp' | 'udp', to: string): string {
  const command = inNamespaceOf(`exec nsenter --net="$place" ${programs}/in-pod ask "$2" "$3"`);
  const { status, stdout, stderr } = host.run(['sh', '-c', command, 'sh', address, network, to]);
  return status === 0 ? stdout.trim() : `failed: ${stderr}`;
}

/** Command that sends requests until enough pods have answered. */
const askUntilAll = `
  while nsenter --net="$place" ${programs}/in-pod ask "$2" "$3"; do :; done |
    awk -v pods="$4" '!($1 in seen) { seen[$1] = 1; count += 1; print $1 } count == pods || NR == 60 { exit }'
  exit 0`;

/**
 * Returns the names of the pods that answer requests from a pod to an address. Ends when as many pods as `pods` have
 * answered, or after 60 requests: each of four pods has almost certainly answered then.
 */
export function whoAnswers({ host, address }: Asker, network: 'tcp' | 'udp', to: string, pods: number): string[] {
  const said = host.must('sh', '-c', inNamespaceOf(askUntilAll), 'sh', address, network, to, String(pods));
  return said.trim().split('\n').toSorted();
}

/** A program that runs in a pod in the background. */
export interface Running {
  /** Sends a line to the program, and returns its next line. */
  say(line: string): Promise<string>;
  /** Ends the program; returns its output since the last read. */
  end(): Promise<string>;
}

/** Starts a program, and waits for its first line, except for `follow`, which prints nothing without input. */
export async function startInPod(cluster: Cluster, pod: string, ...words: readonly string[]): Promise<Running> {
  const child = cluster.startKubectl('exec', '-i', pod, '--', '/in-pod', ...words);
  const exited = once(child, 'exit');
  child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(`# ${pod}: ${words.join(' ')}: ${chunk}`));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  if (words[0] !== 'follow') await next();
  return {
    say: (line) => {
      child.stdin?.write(`${line}\n`);
      return next();
    },
    end: async () => {
      child.stdin?.end();
      await exited;
      const rest: string[] = [];
      for await (const line of { [Symbol.asyncIterator]: () => lines }) rest.push(line);
      return rest.join('\n');
    },
  };
}

/** Returns the pods of an app from the API. */
export function podsOf({ kubectl }: Pick<Cluster, 'kubectl'>, app: string) {
  const { items } = JSON.parse(kubectl('get', 'pods', '-l', `app=${app}`, '-o', 'json')) as {
    items: {
      metadata: { name: string; deletionTimestamp?: string; annotations?: Record<string, string> };
      spec: { nodeName: string };
      status: { podIP?: string; containerStatuses?: { restartCount: number }[] };
    }[];
  };
  return items.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    node: spec.nodeName,
    address: status.podIP ?? '',
    annotations: metadata.annotations ?? {},
    isLeaving: metadata.deletionTimestamp !== undefined,
    restarts: status.containerStatuses?.[0]?.restartCount ?? 0,
  }));
}
