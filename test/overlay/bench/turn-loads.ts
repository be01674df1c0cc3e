// Objects with which `npm run bench:turns` measures the watcher: many objects, the largest objects that budgets allow,
// and objects of a hostile user.
import { seededRandom } from '../../unit/ovsdb/random.ts';
import { hostileObject } from '../hostile-objects.ts';
import { podOn, type StoredApi, type StoredObject } from '../stored-api.ts';

/** Objects in the order of their creation, each with its collection. */
export type Load = readonly (readonly [plural: Parameters<StoredApi['put']>[0], object: StoredObject])[];

function many<One>(count: number, one: (index: number) => One): One[] {
  return Array.from({ length: count }, (_, index) => one(index));
}

const metadataOf = (name: string, labels = {}) => ({ namespace: 'web', name, uid: `uid-of-${name}`, labels });

/** Loads of the bench by name. */
export const loads: Readonly<Record<string, () => Load>> = {
  '10,000 services with 5 endpoints': () =>
    many(10_000, (index) => [
      [
        'services',
        {
          metadata: metadataOf(`s${index}`),
          spec: { clusterIPs: [`10.43.${index >> 8}.${index & 255}`], ports: [{ port: 80, protocol: 'TCP' }] },
        },
      ] as const,
      [
        'endpointslices',
        {
          metadata: metadataOf(`s${index}-a`, { 'kubernetes.io/service-name': `s${index}` }),
          addressType: 'IPv4',
          ports: [{ name: '', port: 8080, protocol: 'TCP' }],
          endpoints: many(5, (place) => ({
            addresses: [`10.42.16.${place + 3}`],
            nodeName: 'n1',
            conditions: { ready: true },
          })),
        },
      ] as const,
    ]).flat(),
  '2,000 pods, 200 policies': () => [
    ...many(
      200,
      (index) =>
        [
          'networkpolicies',
          {
            metadata: metadataOf(`p${index}`),
            spec: {
              podSelector: { matchLabels: { app: `a${index % 20}` } },
              ingress: [{ from: [{ podSelector: { matchLabels: { app: `a${index % 7}` } } }] }],
            },
          },
        ] as const,
    ),
    ...many(
      2_000,
      (index) =>
        [
          'pods',
          podOn(`n${1 + (index % 3)}`, `w${index}`, { namespace: 'web', labels: { app: `a${index % 20}` } }),
        ] as const,
    ),
  ],
  'largest objects': () => [
    ...many(
      20,
      (index) =>
        [
          'networkpolicies',
          {
            metadata: metadataOf(`p${index}`),
            spec: {
              podSelector: {},
              ingress: [
                { from: many(1_000, (block) => ({ ipBlock: { cidr: `10.${block >> 8}.${block & 255}.0/24` } })) },
              ],
            },
          },
        ] as const,
    ),
    ...many(
      20,
      (index) =>
        [
          'services',
          {
            metadata: metadataOf(`s${index}`),
            spec: {
              type: 'NodePort',
              externalTrafficPolicy: 'Local',
              clusterIPs: [`10.43.0.${index}`],
              ports: many(500, (port) => ({
                name: `p${port}`,
                port: port + 1,
                nodePort: 30_000 + port,
                protocol: 'TCP',
              })),
            },
          },
        ] as const,
    ),
    ...many(
      20,
      (index) =>
        [
          'endpointslices',
          {
            metadata: metadataOf(`s${index}-a`, { 'kubernetes.io/service-name': `s${index}` }),
            addressType: 'IPv4',
            ports: many(500, (port) => ({ name: `p${port}`, port: port + 1, protocol: 'TCP' })),
            endpoints: many(1_000, (place) => ({
              addresses: [`10.42.${16 + (place >> 8)}.${place & 255}`],
              nodeName: 'n1',
              conditions: { ready: true },
            })),
          },
        ] as const,
    ),
  ],
  '5,000 hostile objects': () => {
    const random = seededRandom(1);
    const aims = {
      nodes: ['192.0.2.11'],
      addresses: ['192.0.2.11', '10.42.16.3', '203.0.113.5', '10.43.0.1'],
      ports: [22, 80, 6443, 8080],
      uids: ['uid-of-web'],
    };
    return many(5_000, (index) => hostileObject(random, index, aims)).map(
      ({ plural, object }) => [plural, object] as const,
    );
  },
};
