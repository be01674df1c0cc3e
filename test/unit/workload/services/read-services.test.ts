// Parsing of services and endpoint slices, and the object keys that a change of one concerns.
import t from 'tap';
import type { EndpointSlice } from '../../../../agent/model/workload.ts';
import { concernedObjectKeys } from '../../../../agent/workload/plan-workload.ts';
import { readService } from '../../../../agent/workload/services/read-service.ts';
import { readSlice } from '../../../../agent/workload/services/read-slice.ts';
import { factsFor, serviceObject, sliceObject } from './facts.ts';

t.test('a service without optional fields has the defaults of the API', (t) => {
  t.strictSame(readService({ metadata: { namespace: 'a', name: 'b', uid: 'c' }, spec: { clusterIP: '10.43.0.1' } }), {
    namespace: 'a',
    name: 'b',
    uid: 'c',
    annotations: {},
    type: 'ClusterIP',
    clusterIPs: ['10.43.0.1'],
    externalIPs: [],
    loadBalancerIPs: [],
    ports: [],
    externalTrafficPolicy: 'Cluster',
    internalTrafficPolicy: 'Cluster',
    affinitySeconds: null,
    publishNotReadyAddresses: false,
    healthCheckNodePort: null,
  });
  t.end();
});

t.test('only addresses that the cluster serves are read, in canonical form', (t) => {
  const spec = { clusterIPs: ['None'], externalIPs: ['2001:0DB8::0001', 'no address'] };
  const ingress = [{ ip: '192.0.2.1', ipMode: 'VIP' }, { ip: '192.0.2.2', ipMode: 'Proxy' }, { hostname: 'a.example' }];
  const service = readService(serviceObject('web', spec, { loadBalancer: { ingress } }));
  t.match(service, { clusterIPs: [], externalIPs: ['2001:db8::1'], loadBalancerIPs: ['192.0.2.1'] });
  for (const label of ['service-proxy-name', 'headless']) {
    const labels = { [`service.kubernetes.io/${label}`]: '' };
    t.strictSame(readService({ metadata: { labels }, spec: { clusterIPs: ['10.43.0.1'] } }).clusterIPs, [], label);
    t.strictSame(readSlice({ metadata: { labels }, endpoints: [{ addresses: ['10.42.1.3'] }] }).endpoints, [], label);
  }
  const ports = [
    { port: 80, nodePort: 0 },
    { name: 'dns', port: 53, protocol: 'UDP', nodePort: 30053 },
  ];
  t.strictSame(readService(serviceObject('web', { ports })).ports, [
    { name: '', protocol: 'TCP', port: 80, nodePort: null },
    { name: 'dns', protocol: 'UDP', port: 53, nodePort: 30_053 },
  ]);
  const affinity = (spec: object) => readService(serviceObject('web', spec)).affinitySeconds;
  t.equal(affinity({ sessionAffinity: 'ClientIP' }), 10_800, 'the default of timeoutSeconds is three hours');
  t.equal(affinity({ sessionAffinity: 'None' }), null);
  t.end();
});

t.test('source ranges are read in canonical form', (t) => {
  const ranges = (loadBalancerSourceRanges: readonly string[]) =>
    readService(serviceObject('web', { loadBalancerSourceRanges })).sourceRanges;
  t.equal(ranges([]), undefined, 'without ranges every client is permitted');
  t.equal(ranges(['0.0.0.0/0']), undefined, 'the range of all addresses permits every client');
  t.equal(ranges(['::/0', '10.0.0.0/8', '0.0.0.0/0']), undefined);
  t.strictSame(ranges(['::/0', '10.0.0.0/8']), ['10.0.0.0/8', '::/0']);
  t.strictSame(
    ranges(['2001:DB8::5/32', ' 198.51.100.9/24 ', '10.1.2.3/16', '198.51.100.128/25', '10.1.0.0/16']),
    ['10.1.0.0/16', '198.51.100.0/24', '2001:db8::/32'],
    'host bits are cleared, and ranges within others are left out',
  );
  t.strictSame(ranges(['010.0.0.0/8', 'no range']), [], 'ranges that cannot be read permit no client');
  t.end();
});

t.test('endpoints without conditions are ready', (t) => {
  const { endpoints, ports } = readSlice({
    metadata: {},
    ports: [{ port: 80 }, { name: 'every port' }],
    endpoints: [{ addresses: ['FD01:0::9'] }, { addresses: ['fd01::8'], conditions: { ready: false, serving: null } }],
  });
  t.strictSame(ports, [{ name: '', protocol: 'TCP', port: 80 }]);
  t.strictSame(endpoints, [
    { addresses: ['fd01::9'], nodeName: null, ready: true, serving: true, terminating: false },
    { addresses: ['fd01::8'], nodeName: null, ready: false, serving: false, terminating: false },
  ]);
  t.match(readSlice({ ports: null, endpoints: null }), {
    serviceName: null,
    addressType: 'IPv4',
    ports: [],
    endpoints: [],
  });
  t.end();
});

t.test('a change of a slice concerns its present and its former service', (t) => {
  const facts = factsFor([], []);
  const one = (service: string): EndpointSlice => readSlice(sliceObject(service, []));
  const concerned = (before?: EndpointSlice, now?: EndpointSlice) =>
    concernedObjectKeys({ kind: 'EndpointSlice', ...(before && { before }), ...(now && { now }) }, facts);
  t.strictSame(concerned(undefined, one('web')), ['service:default/web']);
  t.strictSame(concerned(one('web'), one('web')), ['service:default/web']);
  t.strictSame(concerned(one('web'), one('other')), ['service:default/web', 'service:default/other']);
  t.strictSame(concerned({ ...one('web'), serviceName: null }), []);
  const service = readService(serviceObject('web'));
  t.strictSame([...new Set(concernedObjectKeys({ kind: 'Service', before: service }, facts))], ['service:default/web']);
  t.end();
});
