// Refusals of peers: names and ranges in use, address families that do not fit, and next hops that no gateway reaches.
import t from 'tap';
import { mostPeers, type OverlayPeer } from '../../../../agent/model/overlay-peer.ts';
import { type PeerFacts, refusePeer } from '../../../../agent/overlay/peers/refuse-peer.ts';
import { dual, dualNode, gatewayOf, modern, nodeOf } from '../cluster.ts';

const west: OverlayPeer = {
  name: 'west',
  nextHops: ['192.0.2.50'],
  subnets: ['10.45.0.0/16'],
  serviceSubnets: ['10.46.0.0/16'],
};
const east: OverlayPeer = { ...west, name: 'east', subnets: ['10.48.0.0/16'], serviceSubnets: ['10.49.0.0/16'] };
const facts: PeerFacts = {
  layout: modern,
  members: [nodeOf(1, { gateway: gatewayOf(1) }), nodeOf(2)],
  ownNetworks: ['192.0.2.11/24'],
  peers: [],
  chassis: [],
};
const both: PeerFacts = {
  layout: dual,
  members: [dualNode(1, { gateway: gatewayOf(1, { addresses: ['192.0.2.11/24', '2001:db8::11/64'] }) })],
  ownNetworks: ['192.0.2.11/24', '2001:db8::11/64'],
  peers: [],
  chassis: [],
};

t.test('peers that are accepted', (t) => {
  t.doesNotThrow(() => refusePeer(west, facts));
  t.doesNotThrow(() => refusePeer({ ...west, serviceSubnets: [] }, facts), 'without services');
  t.doesNotThrow(() => refusePeer(west, { ...facts, peers: [east] }), 'two peers behind one router');
  const six = { ...west, nextHops: ['2001:db8::50'], subnets: ['fd03::/48'], serviceSubnets: ['fd04::/112'] };
  t.doesNotThrow(() => refusePeer(six, both), 'IPv6 only');
  const claims = { hostCidrs: ['10.45.0.1/16'], furtherAddresses: ['10.45.0.1', '192.0.2.50'] };
  t.doesNotThrow(
    () => refusePeer(west, { ...facts, members: [...facts.members, nodeOf(3, claims)] }),
    'whatever networks a member announces',
  );
  t.end();
});

for (const [title, peer, given, message, hint] of [
  ['its name is in use', { ...east, name: 'west' }, { ...facts, peers: [west] }, /has a peer west already/, /remove/],
  [
    'the cluster has the largest number of peers',
    west,
    { ...facts, peers: Array.from({ length: mostPeers }, (_, index) => ({ ...east, name: `p${index}` })) },
    /the cluster has 32 peers/,
    /remove/,
  ],
  [
    'pods of this cluster',
    { ...west, subnets: ['10.42.7.0/24'] },
    facts,
    /10\.42\.7\.0\/24 of west overlaps 10\.42\.0\.0\/16, the range of this cluster's pods/,
    /distinct/,
  ],
  [
    'a range around this cluster',
    { ...west, subnets: ['10.40.0.0/14'] },
    facts,
    /overlaps 10\.42\.0\.0\/16/,
    /distinct/,
  ],
  [
    'services of this cluster',
    { ...west, serviceSubnets: ['10.43.0.0/16'] },
    facts,
    /this cluster's services/,
    /distinct/,
  ],
  [
    'routers of this cluster',
    { ...west, subnets: ['100.64.0.0/10'] },
    facts,
    /between this cluster's routers/,
    /distinct/,
  ],
  ['masquerade addresses', { ...west, subnets: ['169.254.169.0/24'] }, facts, /masquerade addresses/, /distinct/],
  ['loopback addresses', { ...west, subnets: ['127.0.0.0/8'] }, facts, /special meaning/, /distinct/],
  [
    'the LAN of the gateways',
    { ...west, subnets: ['192.0.2.128/25'] },
    facts,
    /192\.0\.2\.11\/24, the range of this node/,
    /distinct/,
  ],
  [
    'the address of a node without a gateway',
    { ...west, subnets: ['198.51.100.0/24'] },
    {
      ...facts,
      members: [
        ...facts.members,
        nodeOf(3, { encap: { types: ['geneve'], addresses: ['198.51.100.3'] }, hostAddresses: [] }),
      ],
    },
    /198\.51\.100\.3\/32, the range of the node n3/,
    /distinct/,
  ],
  [
    'another network of this node',
    { ...west, subnets: ['172.16.0.0/16'] },
    { ...facts, ownNetworks: ['172.16.5.1/24'] },
    /172\.16\.5\.1\/24, the range of this node/,
    /distinct/,
  ],
  [
    'another peer',
    { ...west, subnets: ['10.48.128.0/17'] },
    { ...facts, peers: [east] },
    /of the peer east/,
    /distinct/,
  ],
  [
    'its own ranges overlap',
    { ...west, serviceSubnets: ['10.45.128.0/17'] },
    facts,
    /two ranges of west overlap/,
    /once/,
  ],
  ['a range is too large', { ...west, subnets: ['8.0.0.0/7'] }, facts, /8\.0\.0\.0\/7 is too large/, /\/8/],
  [
    'a family that the cluster does not have',
    { ...west, subnets: ['fd03::/48'] },
    facts,
    /a range of IPv6, and this cluster has none/,
    /omit/,
  ],
  ['a range without a next hop', { ...west, subnets: ['fd03::/48'] }, both, /no next hop of IPv6/, /--next-hop/],
  [
    'a next hop without a range',
    { ...west, nextHops: ['192.0.2.50', '2001:db8::50'] },
    both,
    /no range of IPv6/,
    /--subnet/,
  ],
  [
    'two next hops of a family',
    { ...west, nextHops: ['192.0.2.50', '192.0.2.51'] },
    facts,
    /two next hops of IPv4/,
    /one next hop/,
  ],
  [
    'a next hop of another LAN',
    { ...west, nextHops: ['203.0.113.50'] },
    facts,
    /203\.0\.113\.50 is not on the LAN of a gateway \(n1 at 192\.0\.2\.11\/24\)/,
    /on their LAN/,
  ],
  [
    'a next hop that is a node',
    { ...west, nextHops: ['192.0.2.12'] },
    facts,
    /192\.0\.2\.12 is an address of n2/,
    /on their LAN/,
  ],
  ['a multicast next hop', { ...west, nextHops: ['224.0.0.5'] }, facts, /not an address of a router/, /on the LAN/],
  [
    'a link-local next hop',
    { ...west, subnets: ['fd03::/48'], serviceSubnets: [], nextHops: ['fe80::1'] },
    both,
    /not an address of a router/,
    /on the LAN/,
  ],
  ['no gateway', west, { ...facts, members: [nodeOf(1)] }, /no node of this cluster has a gateway/, /overlay gateway/],
  [
    'only gateways that share an address',
    west,
    { ...facts, members: [nodeOf(1, { gateway: gatewayOf(1, { addresses: ['192.0.2.100/24'], isVip: true }) })] },
    /no node of this cluster has a gateway/,
    /overlay gateway/,
  ],
] as const satisfies readonly (readonly [string, OverlayPeer, PeerFacts, RegExp, RegExp])[])
  t.test(title, (t) => {
    t.throws(() => refusePeer(peer, given), { kind: 'overlay-conflict', message, hint });
    t.end();
  });
