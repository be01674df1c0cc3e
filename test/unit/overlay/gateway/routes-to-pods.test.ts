// Routes over which outside clients reach pods: the subnets that get one, and its notation for each kind of router.
import t from 'tap';
import type { NoRouteState, OutsideRoutes } from '../../../../agent/model/outside-routes.ts';
import type { OverlayNode } from '../../../../agent/model/overlay.ts';
import { outsideRoutes } from '../../../../agent/overlay/gateway/routes-to-pods.ts';
import { outsideRoutesText } from '../../../../agent/view/outside-routes-view.ts';
import { dual, dualNode, gatewayOf, nodeOf, seed } from '../cluster.ts';

const open = (id: number, special: Partial<OverlayNode> = {}): OverlayNode =>
  dualNode(id, {
    gateway: gatewayOf(id, { addresses: [`192.0.2.${10 + id}/24`, `2001:db8::${10 + id}/64`] }),
    outsideClients: ['192.0.2.50/32', '198.51.100.0/24', '2001:db8::/64'],
    ...special,
  });

t.test('a route for each family, to each node that permits clients', (t) => {
  const { routes, withoutRoute } = outsideRoutes(dual, [open(1), open(2, { outsideClients: ['2001:db8::/64'] })]);
  t.strictSame(routes, [
    {
      node: 'n1',
      destination: '10.42.1.0/24',
      nextHop: '192.0.2.11',
      clients: ['192.0.2.50/32', '198.51.100.0/24'],
    },
    { node: 'n1', destination: 'fd01:0:0:1::/64', nextHop: '2001:db8::11', clients: ['2001:db8::/64'] },
    { node: 'n2', destination: 'fd01:0:0:2::/64', nextHop: '2001:db8::12', clients: ['2001:db8::/64'] },
  ]);
  t.strictSame(withoutRoute, [{ node: 'n2', destination: '10.42.2.0/24', state: 'no-clients' }]);
  t.end();
});

t.test('no route where the pods would not answer', (t) => {
  const states = (...members: readonly OverlayNode[]): readonly NoRouteState[] =>
    outsideRoutes(dual, members).withoutRoute.map(({ state }) => state);
  const gateway = gatewayOf(1);
  t.strictSame(states(open(1)), []);
  t.strictSame(states(open(1, { gateway: null })), ['no-gateway', 'no-gateway']);
  t.strictSame(
    states(open(1, { gateway })),
    ['no-address'],
    'a gateway with addresses of the other family only gets no route',
  );
  t.strictSame(states(open(1, { gateway: { ...gateway, isUp: false } })), ['gateway-down', 'gateway-down']);
  t.strictSame(states(open(1, { gateway: { ...gateway, isVip: true } })), ['shared-address', 'shared-address']);
  const { outsideClients: _, ...closed } = open(1);
  t.strictSame(states(closed), ['no-clients', 'no-clients']);
  const ramp = nodeOf(2, { subnets: [], gateway: gatewayOf(2, { subnets: ['10.42.0.0/16'] }) });
  t.strictSame(states(open(1), ramp), ['other-gateway']);
  const down = { ...ramp, gateway: gatewayOf(2, { subnets: ['10.42.0.0/16'], isUp: false }) };
  t.strictSame(states(open(1), down), [], 'a gateway that is down gets no route');
  t.strictSame(
    outsideRoutes(seed, [open(1)]).withoutRoute.map(({ state }) => state),
    ['old-layout', 'old-layout'],
  );
  t.strictSame(outsideRoutes(dual, [nodeOf(3, { subnets: [] })]), { routes: [], withoutRoute: [] });
  t.end();
});

t.test('the routes in the notation of each kind of router', (t) => {
  const found: OutsideRoutes = outsideRoutes(dual, [open(1), open(2, { gateway: null, subnets: ['10.42.2.0/24'] })]);
  const lines = (...all: readonly string[]): string => all.join('\n');
  t.equal(
    outsideRoutesText(found, 'linux'),
    lines(
      '# n1, for 192.0.2.50/32 198.51.100.0/24',
      'route replace 10.42.1.0/24 via 192.0.2.11',
      '# n1, for 2001:db8::/64',
      'route replace fd01:0:0:1::/64 via 2001:db8::11',
      '# n2, no route to 10.42.2.0/24: the node is not a gateway',
    ),
  );
  t.equal(
    outsideRoutesText(found, 'frr'),
    lines(
      '! n1, for 192.0.2.50/32 198.51.100.0/24',
      'ip route 10.42.1.0/24 192.0.2.11',
      '! n1, for 2001:db8::/64',
      'ipv6 route fd01:0:0:1::/64 2001:db8::11',
      '! n2, no route to 10.42.2.0/24: the node is not a gateway',
    ),
  );
  t.equal(
    outsideRoutesText(found, 'ios'),
    lines(
      '! n1, for 192.0.2.50/32 198.51.100.0/24',
      'ip route 10.42.1.0 255.255.255.0 192.0.2.11',
      '! n1, for 2001:db8::/64',
      'ipv6 route fd01:0:0:1::/64 2001:db8::11',
      '! n2, no route to 10.42.2.0/24: the node is not a gateway',
    ),
  );
  t.equal(
    outsideRoutesText(found, 'bigip'),
    lines(
      '# n1, for 192.0.2.50/32 198.51.100.0/24',
      'net route /Common/microshift-net-n1-ipv4 {',
      '    gw 192.0.2.11',
      '    network 10.42.1.0/24',
      '}',
      '# n1, for 2001:db8::/64',
      'net route /Common/microshift-net-n1-ipv6 {',
      '    gw 2001:db8::11',
      '    network fd01:0:0:1::/64',
      '}',
      '# n2, no route to 10.42.2.0/24: the node is not a gateway',
    ),
  );
  t.equal(outsideRoutesText({ routes: [], withoutRoute: [] }, 'ios'), '! no node of the cluster has pods');
  const masks = ['0', '1', '20', '31', '32'].map((length) => {
    const route = { node: 'n', destination: `0.0.0.0/${length}`, nextHop: '192.0.2.1', clients: [] };
    return outsideRoutesText({ routes: [route], withoutRoute: [] }, 'ios')
      .split(' ')
      .at(-2);
  });
  t.strictSame(masks, ['0.0.0.0', '128.0.0.0', '255.255.240.0', '255.255.255.254', '255.255.255.255']);
  t.end();
});
