// Services with endpoints, and policies, which the benchmark creates in the cluster.
import { namespace, type Place } from './place.ts';

/** Returns the endpoints of a service: unused addresses, because the benchmark sends no packets to them. */
function backends(service: number, count: number, generation: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `10.42.${generation}.${((service * count + index) % 250) + 3}`);
}

export interface Wanted {
  /** Virtual address with port. */
  readonly vip: string;
  readonly backends: readonly string[];
}

/**
 * Creates services with consecutive numbers, of which `first` is the first. Each service has endpoints in both forms
 * that the API has had, because a contestant reads only one of them.
 */
export async function makeServices(place: Place, first: number, count: number, endpoints: number) {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  await Promise.all(
    numbers.map(async (number) => {
      const name = `service-${number}`;
      const spec = { clusterIP: clusterIp(number), ports: [{ name: 'http', port: 80, targetPort: 8080 }] };
      await place.api.send('POST', `/api/v1/namespaces/${namespace}/services`, { metadata: { name }, spec });
      await putEndpoints(place, number, endpoints, 0);
    }),
  );
}

/** Writes other endpoints for all services, one service after the other in each client. */
export async function replaceEndpoints(place: Place, first: number, count: number, endpoints: number) {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  await Promise.all(numbers.map((number) => putEndpoints(place, number, endpoints, 1)));
}

/** Returns the virtual addresses and endpoints that the load balancers must have. */
export function wantedVips(first: number, count: number, endpoints: number, generation: number): readonly Wanted[] {
  return Array.from({ length: count }, (_, index) => ({
    vip: `${clusterIp(first + index)}:80`,
    backends: backends(first + index, endpoints, generation)
      .map((address) => `${address}:8080`)
      .toSorted(),
  }));
}

/** Resolves when each virtual address has had exactly its wanted endpoints in a load balancer; rejects at the limit. */
export async function balanced({ northbound }: Place, wanted: readonly Wanted[], limitMs: number): Promise<void> {
  const left = new Map(wanted.map(({ vip, backends }) => [vip, backends.join()]));
  const take = (row: { readonly vips?: unknown } | undefined): void => {
    const [, pairs = []] = (row?.vips ?? []) as readonly [string?, (readonly [string, string])[]?];
    for (const [vip, to] of pairs) if (left.get(vip) === to.split(',').toSorted().join()) left.delete(vip);
  };
  for (const row of northbound.table('Load_Balancer').rows()) take(row);
  const stop = northbound.onChange((changes) => {
    for (const { table, now } of changes) if (table === 'Load_Balancer') take(now);
  });
  try {
    await northbound.until(() => left.size === 0, limitMs);
  } catch (error) {
    throw new Error(`${left.size} of ${wanted.length} services are not balanced`, { cause: error });
  } finally {
    stop();
  }
}

export async function makePolicies({ api }: Place, count: number): Promise<void> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
  await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const podSelector = { matchLabels: { app: `app-${index % 10}` } };
      const from = [{ podSelector: { matchLabels: { app: `app-${(index + 1) % 10}` } } }];
      const ingress = [{ from, ports: [{ protocol: 'TCP', port: 8000 + index }] }];
      return api.send('POST', path, {
        metadata: { name: `policy-${index}` },
        spec: { podSelector, policyTypes: ['Ingress'], ingress },
      });
    }),
  );
}

async function putEndpoints({ api }: Place, number: number, count: number, generation: number): Promise<void> {
  const name = `service-${number}`;
  const addresses = backends(number, count, generation);
  const [method, suffix] = generation === 0 ? ['POST', ''] : ['PUT', `/${name}`];
  const ports = [{ name: 'http', protocol: 'TCP', port: 8080 }];
  await api.send(method, `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices${suffix}`, {
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports,
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  });
  await api.send(method, `/api/v1/namespaces/${namespace}/endpoints${suffix}`, {
    metadata: { name },
    subsets: [{ ports, addresses: addresses.map((ip) => ({ ip })) }],
  });
}

/** Returns the cluster IP of the service with a number, in the service network of the tests' API server. */
function clusterIp(number: number): string {
  return `10.43.${1 + Math.floor(number / 250)}.${(number % 250) + 1}`;
}
