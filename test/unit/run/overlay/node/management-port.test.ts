import t from 'tap';
import type { Link, Route } from '../../../../../agent/model/observation.ts';
import type { OverlayLayout, OverlayNode } from '../../../../../agent/model/overlay.ts';
import { kernelCommand } from '../../../../../agent/model/overlay-plan.ts';
import { planManagementPort } from '../../../../../agent/run/overlay/node/management-port.ts';

const layout: OverlayLayout = {
  naming: 'modern',
  clusterSubnets: ['10.42.0.0/16', 'fd01::/48'],
  serviceSubnets: [],
  joinSubnets: ['100.64.0.0/16', 'fd98::/64'],
  mtu: 1442,
  owner: 'microshift-net',
};
const node: OverlayNode = {
  name: 'n2',
  id: 2,
  systemId: 'x',
  subnets: ['10.42.1.0/24', 'fd01:0:0:1::/64'],
  encap: { types: ['geneve'], addresses: [] },
  managementMac: null,
  hostAddresses: [],
  gateway: null,
};
const flags = { scope: 'global', tentative: false, dadFailed: false, temporary: false, deprecated: false } as const;
const port: Link = {
  name: 'ovn-k8s-mp0',
  mac: '0a:58:0a:2a:01:02',
  permanentMac: null,
  mtuBytes: 1442,
  up: true,
  carrier: true,
  hardwareType: 1,
  kind: 'tun',
  driver: null,
  master: null,
  index: 7,
  addresses: [
    { family: 4, address: '10.42.1.2', prefixLength: 24, ...flags },
    { family: 6, address: 'fd01:0:0:1::2', prefixLength: 64, ...flags },
  ],
};
const routes = [
  { family: 4, destination: '10.42.1.0/24', gateway: null, device: 'ovn-k8s-mp0', metric: 0 },
  { family: 6, destination: 'fd01:0:0:1::/64', gateway: null, device: 'ovn-k8s-mp0', metric: 256 },
  { family: 4, destination: '10.42.0.0/16', gateway: '10.42.1.1', device: 'ovn-k8s-mp0', metric: 0 },
  { family: 6, destination: 'fd01::/48', gateway: 'fd01:0:0:1::1', device: 'ovn-k8s-mp0', metric: 1024 },
] as const;

const commands = (
  links: readonly Link[],
  known: readonly Route[],
  takesAdvertisements = false,
  device = 'ovn-k8s-mp0',
): readonly string[] =>
  planManagementPort(device, layout, node, { links, routes: known, takesAdvertisements }).map(kernelCommand);

t.test('the commands after a boot', (t) => {
  t.strictSame(commands([{ ...port, up: false, mtuBytes: 1500, addresses: [] }], []), [
    'ip link set dev ovn-k8s-mp0 up',
    'ip link set dev ovn-k8s-mp0 mtu 1442',
    'ip addr replace 10.42.1.2/24 dev ovn-k8s-mp0',
    'ip route replace 10.42.0.0/16 via 10.42.1.1 dev ovn-k8s-mp0',
    'ip addr replace fd01:0:0:1::2/64 dev ovn-k8s-mp0 nodad',
    'ip route replace fd01::/48 via fd01:0:0:1::1 dev ovn-k8s-mp0',
  ]);
  t.end();
});

t.test('the commands after all routes were flushed, including those of the own subnets', (t) => {
  t.strictSame(commands([port], []), [
    'ip route replace 10.42.1.0/24 dev ovn-k8s-mp0 proto kernel src 10.42.1.2',
    'ip route replace 10.42.0.0/16 via 10.42.1.1 dev ovn-k8s-mp0',
    'ip route replace fd01:0:0:1::/64 dev ovn-k8s-mp0 proto kernel src fd01:0:0:1::2',
    'ip route replace fd01::/48 via fd01:0:0:1::1 dev ovn-k8s-mp0',
  ]);
  t.end();
});

t.test('no commands if the interface is in the desired state', (t) => {
  t.strictSame(commands([port], routes), []);
  t.end();
});

t.test('router advertisements are ignored before the interface is up', (t) => {
  t.match(commands([{ ...port, up: false }], routes, true), [
    'sysctl -w net/ipv6/conf/ovn-k8s-mp0/accept_ra=0',
    'ip link set dev ovn-k8s-mp0 up',
  ]);
  // sysctl(8) accepts a name with a dot only if the separators of the key are slashes.
  t.match(commands([], routes, true, 'k8s-edge.one')[0], 'sysctl -w net/ipv6/conf/k8s-edge.one/accept_ra=0');
  t.end();
});
