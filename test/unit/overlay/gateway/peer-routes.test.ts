// Routes that a peer needs, and the next hops by which gateways reach the peer.
import t from 'tap';
import { routesForPeer, withPeerClients } from '../../../../agent/overlay/gateway/peer-routes.ts';
import { clientsOfPeers, waysToPeers } from '../../../../agent/overlay/peers/peer-ways.ts';
import { peersText } from '../../../../agent/view/overlay-peer-view.ts';
import { plain } from '../../../../agent/view/style.ts';
import { dual, dualNode, gatewayOf, modern, nodeOf, west } from '../cluster.ts';

t.test('ways of a gateway', (t) => {
  t.strictSame(
    waysToPeers([west], gatewayOf(1)),
    [
      { peer: 'west', range: '10.45.0.0/16', nextHop: '192.0.2.50' },
      { peer: 'west', range: '10.46.0.0/16', nextHop: '192.0.2.50' },
    ],
    'in the family of its LAN',
  );
  t.strictSame(waysToPeers([west], null), []);
  t.strictSame(waysToPeers([west], gatewayOf(1, { isVip: true })), [], 'none by an address that several nodes share');
  t.strictSame(waysToPeers([west], gatewayOf(1, { addresses: ['203.0.113.11/24'] })), [], 'none from another LAN');
  t.strictSame(waysToPeers([west], gatewayOf(1, { addresses: ['192.0.2.50/24'] })), [], 'none to itself');
  t.strictSame(clientsOfPeers([west, west], gatewayOf(1)), ['10.45.0.0/16', '10.46.0.0/16']);
  t.end();
});

t.test('routes to the pods of each gateway, and to services by each of them', (t) => {
  const members = [
    dualNode(1, { gateway: gatewayOf(1, { addresses: ['192.0.2.11/24', '2001:db8::11/64'] }) }),
    dualNode(2),
    dualNode(3, { gateway: gatewayOf(3, { addresses: ['203.0.113.13/24', '2001:db8:1::13/64'] }) }),
  ];
  const { routes, withoutRoute } = routesForPeer(dual, members, west);
  t.strictSame(
    routes.map(({ destination, nextHop }) => `${destination} ${nextHop}`),
    ['10.42.1.0/24 192.0.2.11', 'fd01:0:0:1::/64 2001:db8::11', '10.43.0.0/16 192.0.2.11', 'fd02::/112 2001:db8::11'],
  );
  t.strictSame(
    withoutRoute.map(({ node, state }) => `${node} ${state}`),
    ['n2 no-gateway', 'n2 no-gateway', 'n3 no-clients', 'n3 no-clients'],
  );
  t.equal(
    peersText(
      [{ peer: west, routes: routes.slice(0, 1), withoutRoute: withoutRoute.slice(1, 3), settings: null }],
      plain,
      null,
    ),
    [
      'PEER  NEXT HOP                 PODS                    SERVICES',
      'west  192.0.2.50 2001:db8::50  10.45.0.0/16 fd03::/48  10.46.0.0/16',
      'Routes that west needs:',
      '  10.42.1.0/24 via 192.0.2.11 (n1)',
      '  no route to fd01:0:0:2::/64 (n2): the node is not a gateway',
      '  no route to 10.42.3.0/24 (n3): the next hop of the peer is not on the LAN of its gateway',
    ].join('\n'),
  );
  t.equal(peersText([], plain, null), 'The cluster has no peers.');
  t.end();
});

t.test('hosts of a peer are among the clients for which `overlay routes` prints routes', (t) => {
  const [one, two] = withPeerClients(
    [nodeOf(1, { gateway: gatewayOf(1), outsideClients: ['192.0.2.9/32'] }), nodeOf(2)],
    [west],
  );
  t.strictSame(one?.outsideClients, ['192.0.2.9/32', '10.45.0.0/16', '10.46.0.0/16']);
  t.equal(two?.outsideClients, undefined);
  t.strictSame(routesForPeer(modern, [], west), { routes: [], withoutRoute: [] });
  t.end();
});
