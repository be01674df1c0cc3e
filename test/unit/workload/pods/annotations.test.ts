// Network annotations of pods: those that the agent writes, and every form that other programs have written.
import t from 'tap';
import {
  annotatedNetwork,
  annotationNames,
  ownNetwork,
  requestedAddresses,
  wantedAnnotations,
} from '../../../../agent/workload/pods/annotations.ts';
import { readPod } from '../../../../agent/workload/pods/read-pod.ts';
import { dual, dualNode, modern, nodeOf, seed } from '../../overlay/cluster.ts';

const { podNetworks, first } = annotationNames;

t.test('annotations of a pod', (t) => {
  t.strictSame(wantedAnnotations(['10.42.1.3/24'], nodeOf(1), modern, 'u'), {
    [podNetworks]:
      '{"default":{"ip_addresses":["10.42.1.3/24"],"mac_address":"0a:58:0a:2a:01:03","gateway_ips":["10.42.1.1"],' +
      '"routes":[{"dest":"10.42.0.0/16","nextHop":"10.42.1.1"},{"dest":"10.43.0.0/16","nextHop":"10.42.1.1"},' +
      '{"dest":"100.64.0.0/16","nextHop":"10.42.1.1"}],"ip_address":"10.42.1.3/24","gateway_ip":"10.42.1.1","role":"primary"}}',
    [first]: '{"gateway_ip": "10.42.1.1", "ip_address": "10.42.1.3/24", "mac_address": "0a:58:0a:2a:01:03"}',
    [annotationNames.of]: 'u',
  });
  const two = wantedAnnotations(['10.42.1.3/24', 'fd01:0:0:1::3/64'], dualNode(1), dual, 'u');
  t.strictSame(JSON.parse(two[podNetworks] ?? '').default, {
    ip_addresses: ['10.42.1.3/24', 'fd01:0:0:1::3/64'],
    mac_address: '0a:58:0a:2a:01:03',
    gateway_ips: ['10.42.1.1', 'fd01:0:0:1::1'],
    routes: [
      { dest: '10.42.0.0/16', nextHop: '10.42.1.1' },
      { dest: '10.43.0.0/16', nextHop: '10.42.1.1' },
      { dest: '100.64.0.0/16', nextHop: '10.42.1.1' },
      { dest: 'fd01::/48', nextHop: 'fd01:0:0:1::1' },
      { dest: 'fd02::/112', nextHop: 'fd01:0:0:1::1' },
      { dest: 'fd98::/64', nextHop: 'fd01:0:0:1::1' },
    ],
    role: 'primary',
  });
  t.equal(two[first], '{"gateway_ip": "10.42.1.1", "ip_address": "10.42.1.3/24", "mac_address": "0a:58:0a:2a:01:03"}');
  const whole = wantedAnnotations(['10.42.0.3/24'], nodeOf(0), { ...modern, clusterSubnets: ['10.42.0.0/24'] }, 'u');
  t.strictSame(
    JSON.parse(whole[podNetworks] ?? '').default.routes,
    [
      { dest: '10.43.0.0/16', nextHop: '10.42.0.1' },
      { dest: '100.64.0.0/16', nextHop: '10.42.0.1' },
    ],
    "no route to a network that the pod's own subnet contains",
  );
  const asThen = wantedAnnotations(['192.168.2.3/24'], nodeOf(2, { subnets: ['192.168.2.0/24'] }), seed, 'u');
  t.equal(
    asThen[first],
    '{"gateway_ip": "192.168.2.1", "ip_address": "192.168.2.3/24", "mac_address": "0a:58:c0:a8:02:03"}',
  );
  t.end();
});

t.test('every form of the annotation is read', (t) => {
  const one = { addresses: ['192.168.2.3/24'], mac: '0a:00:00:00:00:01', gateways: ['192.168.2.1'], routes: [] };
  const forms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'JSON of ovn-kubernetes of 2017': {
      [first]: '{"gateway_ip": "192.168.2.1", "ip_address": "192.168.2.3/24", "mac_address": "0a:00:00:00:00:01"}',
    },
    "its successor's in Go": {
      [first]: '{\\"ip_address\\":\\"192.168.2.3/24\\", \\"mac_address\\":\\"0a:00:00:00:00:01\\"}'
        .replaceAll('\\', '')
        .replace('}', ', "gateway_ip": "192.168.2.1"}'),
    },
    'a dictionary of Python 2': {
      [first]: "{'ip_address': u'192.168.2.3/24', 'mac_address': u'0a:00:00:00:00:01', 'gateway_ip': u'192.168.2.1'}",
    },
    'and without its marks': {
      [first]: "{'gateway_ip': '192.168.2.1', 'ip_address': '192.168.2.3/24', 'mac_address': '0A:00:00:00:00:01'}",
    },
    'before dual stack': {
      [podNetworks]:
        '{"default":{"ip_address":"192.168.2.3/24","mac_address":"0a:00:00:00:00:01","gateway_ip":"192.168.2.1"}}',
    },
    'the newer one counts': {
      [podNetworks]:
        '{"default":{"ip_addresses":["192.168.2.3/24"],"mac_address":"0a:00:00:00:00:01","gateway_ips":["192.168.2.1"]}}',
      [first]: '{"gateway_ip": "192.168.2.1", "ip_address": "192.168.2.9/24", "mac_address": "0a:00:00:00:00:09"}',
    },
    'a newer invalid one does not': {
      [podNetworks]: '{"default":{"promisc":true}}',
      [first]: '{"gateway_ip": "192.168.2.1", "ip_address": "192.168.2.3/24", "mac_address": "0a:00:00:00:00:01"}',
    },
  };
  for (const [name, annotations] of Object.entries(forms)) t.strictSame(annotatedNetwork(annotations), one, name);

  const written = wantedAnnotations(['10.42.1.3/24', 'fd01:0:0:1::3/64'], dualNode(1), dual, 'u');
  const read = annotatedNetwork(written);
  t.match(read, { addresses: ['10.42.1.3/24', 'fd01:0:0:1::3/64'], mac: '0a:58:0a:2a:01:03' });
  t.match(read, { gateways: ['10.42.1.1', 'fd01:0:0:1::1'] });
  t.strictSame(ownNetwork({ uid: 'u', annotations: written }), read, 'the annotation of the pod itself is read');
  t.equal(ownNetwork({ uid: 'copy', annotations: written }), null, 'the annotation of a copied pod is not read');
  t.strictSame(read?.routes[3], { destination: 'fd01::/48', nextHop: 'fd01:0:0:1::1' });
  t.end();
});

t.test('invalid values have no effect', (t) => {
  const mac = '0a:00:00:00:00:01';
  const odd: readonly string[] = [
    '',
    'null',
    '[]',
    '{}',
    '{"default":null}',
    '{"default":7}',
    '{"default":{"ip_addresses":"10.42.1.3/24"}}',
    `{"default":{"ip_addresses":[],"mac_address":"${mac}"}}`,
    `{"default":{"ip_addresses":["10.42.1.3"],"mac_address":"${mac}"}}`,
    `{"default":{"ip_addresses":["10.42.1.3/24","10.42.1.4/24"],"mac_address":"${mac}"}}`,
    `{"default":{"ip_addresses":["10.42.1.3/24","; rm /"],"mac_address":"${mac}"}}`,
    '{"default":{"ip_addresses":["10.42.1.3/24"],"mac_address":"0a:00"}}',
    `{"blue":{"ip_addresses":["10.42.1.3/24"],"mac_address":"${mac}"}}`,
    `{'ip_address': '10.42.1.3/24', 'mac_address': '${mac}'`,
    `{'ip_address': open('/etc/passwd'), 'mac_address': '${mac}'}`,
  ];
  for (const text of odd)
    for (const name of [podNetworks, first]) t.equal(annotatedNetwork({ [name]: text }), null, `${name}: ${text}`);
  const routes =
    '[null,7,{"dest":"10.0.0.0/8"},{"dest":"any","nextHop":"10.42.1.1"},{"dest":"10.0.0.0/8","nextHop":"x"}]';
  const text = `{"default":{"ip_addresses":["10.42.1.3/24"],"mac_address":"${mac}","gateway_ips":["x"],"routes":${routes}}}`;
  t.match(annotatedNetwork({ [podNetworks]: text }), { gateways: [], routes: [] }, 'an invalid route is left out');
  t.end();
});

t.test('requests of a pod', (t) => {
  const ask = (text: string) => requestedAddresses({ [annotationNames.requested]: text });
  t.strictSame(requestedAddresses({}), []);
  t.strictSame(ask(' '), []);
  t.strictSame(ask('10.42.1.7, FD01:0:0:1:0::7'), ['10.42.1.7', 'fd01:0:0:1::7']);
  t.strictSame(ask('soon'), ['soon']);
  t.end();
});

t.test('fields of a pod that are read', (t) => {
  const object = {
    metadata: {
      namespace: 'default',
      name: 'web-0',
      uid: 'f00',
      labels: { app: 'web' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', [first]: '{}' },
    },
    spec: {
      nodeName: 'n1',
      hostNetwork: true,
      initContainers: [
        { name: 'setup', ports: [{ name: 'admin', containerPort: 22 }] },
        { name: 'proxy', restartPolicy: 'Always', ports: [{ name: 'admin', containerPort: 9000 }] },
      ],
      containers: [{ name: 'a' }, { name: 'b', ports: [{ containerPort: 53, protocol: 'UDP' }] }],
    },
    status: { phase: 'Running', podIPs: [{ ip: '10.42.1.3' }, { ip: 'fd01::3' }] },
  };
  const read = {
    namespace: 'default',
    name: 'web-0',
    uid: 'f00',
    labels: { app: 'web' },
    annotations: { [first]: '{}' },
    nodeName: 'n1',
    isHostNetwork: true,
    isOver: false,
    podIPs: ['10.42.1.3', 'fd01::3'],
    ports: [
      { name: null, protocol: 'UDP', containerPort: 53 },
      { name: 'admin', protocol: 'TCP', containerPort: 9000 },
    ],
  };
  t.strictSame(readPod(object), read);
  t.strictSame(
    readPod({ metadata: { name: 'a' }, spec: { nodeName: '' }, status: { phase: 'Failed', podIP: '10.42.1.9' } }),
    {
      namespace: '',
      name: 'a',
      uid: '',
      labels: {},
      annotations: {},
      nodeName: null,
      isHostNetwork: false,
      isOver: true,
      podIPs: ['10.42.1.9'],
      ports: [],
    },
    'a pod with few fields is read',
  );
  t.match(readPod({}), { name: '', podIPs: [], isOver: false });
  const copy = { metadata: { uid: 'u', annotations: { 'kubernetes.io/config.mirror': 'of-a-file' } } };
  t.match(
    readPod(copy),
    { uid: 'u', mirrorOf: 'of-a-file', annotations: {} },
    "the API's copy of a static pod is read",
  );
  t.equal(readPod({ status: { phase: 'Succeeded' } }).isOver, true);
  t.end();
});
