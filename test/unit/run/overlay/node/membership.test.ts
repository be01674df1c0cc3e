import t from 'tap';
import { defaultConfig } from '../../../../../agent/config/defaults.ts';
import type { HostFacts } from '../../../../../agent/facts/overlay-host.ts';
import type { Config } from '../../../../../agent/model/config.ts';
import type { Route } from '../../../../../agent/model/observation.ts';
import {
  assigned,
  identify,
  largestMtu,
  newLayout,
  refuseHostRanges,
  refuseMicroshift,
} from '../../../../../agent/run/overlay/node/membership.ts';
import { failure } from '../../../failure.ts';
import { linkOf } from '../../../link.ts';

function route(destination: string, device: string, metric = 100): Route {
  return { family: destination.includes(':') ? 6 : 4, destination, gateway: null, device, metric };
}

const host: HostFacts = {
  hostname: 'Node-1.example',
  links: [
    linkOf('br-ex', ['fe80::1/64', '192.0.2.11/24']),
    linkOf('eth1', ['198.51.100.7/24', '2001:db8::7/64'], { mtuBytes: 9000 }),
  ],
  routes: [route('0.0.0.0/0', 'eth1', 200), route('0.0.0.0/0', 'br-ex', 48), route('192.0.2.0/24', 'br-ex')],
};

function config(overlay: Partial<Record<keyof Config['overlay'], string>>, mtu?: number): Config {
  const set = Object.entries(overlay).map(([key, value]) => [key, { value, source: 'ovn.yaml:2' }]);
  return {
    ...defaultConfig,
    overlay: { ...defaultConfig.overlay, ...Object.fromEntries(set) },
    ...(mtu !== undefined && { mtu: { value: mtu, source: 'ovn.yaml:1' } }),
  };
}

t.test('the record of a host as a node of the cluster', (t) => {
  t.strictSame(identify(defaultConfig, host), {
    name: 'node-1.example',
    encap: { types: ['geneve'], addresses: ['192.0.2.11'] },
    hostAddresses: ['192.0.2.11'],
    linkMtu: 1500,
  });
  const asked = config({ nodeName: 'n1', encapAddress: '2001:db8::7', encapType: 'vxlan' });
  t.match(identify(asked, host), {
    name: 'n1',
    encap: { types: ['vxlan'], addresses: ['2001:db8::7'] },
    linkMtu: 9000,
  });
  t.equal(largestMtu(identify(asked, host)), 9000 - 78);
  const refused = (message: RegExp) => failure('overlay-conflict', { message });
  t.throws(
    () => identify(config({ encapAddress: '192.0.2.12' }), host),
    refused(/192\.0\.2\.12 \(ovn\.yaml:2\) is not an address of this node/),
  );
  t.throws(() => identify(defaultConfig, { ...host, routes: [] }), refused(/no default route/));
  t.throws(() => identify(defaultConfig, { ...host, hostname: 'a_b' }), refused(/"a_b" cannot be the name of a node/));
  t.match(identify(defaultConfig, { ...host, routes: [route('::/0', 'eth1')] }), {
    encap: { addresses: ['2001:db8::7'] },
  });
  t.end();
});

t.test('a MicroShift that runs ovn-kubernetes itself', (t) => {
  const beside = { ...host, hasMicroshift: true } as const;
  t.throws(
    () => refuseMicroshift(defaultConfig, beside),
    failure('overlay-foreign', { message: /cniPlugin is not set, so MicroShift runs/ }),
  );
  const { cluster } = defaultConfig;
  const none = { value: 'none', source: 'config.yaml:3' } as const;
  t.doesNotThrow(() => refuseMicroshift({ cluster: { ...cluster, cniPlugin: none } }, beside));
  t.doesNotThrow(
    () => refuseMicroshift(defaultConfig, host),
    'settings of MicroShift are ignored if MicroShift is not installed',
  );
  t.end();
});

t.test('the layout of a new cluster', (t) => {
  const own = identify(defaultConfig, host);
  t.match(newLayout(defaultConfig, own), {
    clusterSubnets: ['10.42.0.0/16'],
    serviceSubnets: ['10.43.0.0/16'],
    joinSubnets: ['100.64.0.0/16'],
    mtu: 1442,
  });
  const both = newLayout(config({ clusterSubnet: '10.52.0.0/16,fd01::/48' }, 1400), own);
  t.match(both, {
    clusterSubnets: ['10.52.0.0/16', 'fd01::/48'],
    joinSubnets: ['100.64.0.0/16', 'fd98::/64'],
    mtu: 1400,
  });
  t.throws(
    () => newLayout(config({}, 1450), own),
    failure('overlay-conflict', { message: /mtu 1450 \(ovn\.yaml:1\) does not fit/ }),
  );
  const dual = { clusterSubnet: '10.52.0.0/16,fd01::/48' };
  for (const [overlay, mtu, limit] of [
    [{}, 100, 576],
    [{}, 575, 576],
    [dual, 1279, 1280],
  ] as const) {
    t.throws(
      () => newLayout(config(overlay, mtu), own),
      failure('overlay-conflict', {
        message: new RegExp(`^mtu ${mtu} \\(ovn\\.yaml:1\\) is below ${limit}, `),
      }),
    );
  }
  t.match(newLayout(config({}, 576), own), { mtu: 576 });
  t.match(newLayout(config(dual, 1280), own), { mtu: 1280 });
  t.throws(
    () => newLayout(config({ joinSubnet: '10.42.4.0/24' }), own),
    failure('overlay-conflict', {
      message: /network\.clusterNetwork 10\.42\.0\.0\/16 \(default\) overlaps overlay\.joinSubnet 10\.42\.4\.0\/24/,
    }),
  );
  t.end();
});

t.test('ranges of the cluster that overlap with networks of the host are refused', (t) => {
  const layout = newLayout(defaultConfig, identify(defaultConfig, host));
  t.doesNotThrow(() => refuseHostRanges(layout, host, []));
  const joined = { ...host, links: [...host.links, linkOf('ovn-k8s-mp0', ['10.42.0.2/24'])] };
  t.doesNotThrow(() => refuseHostRanges(layout, joined, ['ovn-k8s-mp0']), "the overlay's own interface is not refused");
  t.throws(
    () => refuseHostRanges(layout, joined, []),
    failure('overlay-conflict', { message: /an address of this node 10\.42\.0\.2\/24 \(ovn-k8s-mp0\)/ }),
  );
  const carrier = { ...host, routes: [...host.routes, route('100.64.0.0/10', 'eth1')] };
  t.throws(
    () => refuseHostRanges(layout, carrier, []),
    failure('overlay-conflict', { message: /the join network 100\.64\.0\.0\/16 .*a route of this node/ }),
  );
  t.end();
});

t.test('settings of a new member', (t) => {
  const own = identify(defaultConfig, host);
  const layout = newLayout(config({ clusterSubnet: '10.52.0.0/16,fd01::/48' }), own);
  const rest = { systemId: 'x', encap: own.encap, managementMac: null, hostAddresses: [], gateway: null };
  const first = { ...rest, name: 'n1', ...assigned(layout, [], 'n1') };
  t.match(first, { id: 1, subnets: ['10.52.0.0/24', 'fd01::/64'] });
  const third = { ...rest, name: 'n3', id: 3, subnets: ['10.52.2.0/24', 'fd01:0:0:2::/64'] };
  t.match(assigned(layout, [first, third], 'n2'), { id: 2, subnets: ['10.52.1.0/24', 'fd01:0:0:1::/64'] });
  t.end();
});
