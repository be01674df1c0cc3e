// Refusals of peers in VXLAN: releases of OVN, addresses, MACs and VNIs.
import t from 'tap';
import type { OverlayChassis } from '../../../../agent/model/overlay.ts';
import type { PeerVtep, VtepPeer } from '../../../../agent/model/overlay-peer.ts';
import { type PeerFacts, refusePeer } from '../../../../agent/overlay/peers/refuse-peer.ts';
import { withoutVteps } from '../../../../agent/overlay/peers/refuse-vtep.ts';
import { f5, modern, nodeOf, seed } from '../cluster.ts';

const chassisOf = (id: number, address = `192.0.2.${10 + id}`, type = 'geneve'): OverlayChassis => ({
  name: nodeOf(id).systemId,
  hostname: `n${id}`,
  encaps: [{ address, type, owner: '' }],
});
const able = (...words: Parameters<typeof chassisOf>): OverlayChassis => ({ ...chassisOf(...words), hasVteps: true });
const facts: PeerFacts = {
  layout: modern,
  members: [nodeOf(1), nodeOf(2)],
  ownNetworks: ['192.0.2.11/24'],
  peers: [],
  chassis: [able(1), able(2)],
};
const other: VtepPeer = { ...f5, name: 'f6', subnets: ['10.129.5.0/24'], vtep: { ...f5.vtep, vni: 1 } };
const at = (vtep: Partial<PeerVtep>): VtepPeer => ({ ...f5, vtep: { ...f5.vtep, ...vtep } });

t.test('peers in VXLAN that are accepted, also without a gateway', (t) => {
  t.doesNotThrow(() => refusePeer(f5, facts));
  t.doesNotThrow(() => refusePeer(f5, { ...facts, peers: [other] }), 'beside another one with the same VTEP');
  t.doesNotThrow(() => refusePeer(f5, { ...facts, chassis: [able(1)] }), 'before n2 has registered');
  t.end();
});

t.test('nodes whose OVN is too old', (t) => {
  t.strictSame(withoutVteps({ members: facts.members, chassis: [able(1), chassisOf(2)] }), ['n2']);
  t.strictSame(withoutVteps(facts), []);
  t.end();
});

for (const [title, peer, given, message, hint] of [
  [
    'an old OVN on the central node',
    f5,
    { ...facts, chassis: [chassisOf(1), able(2)] },
    /^OVN of n1 cannot exchange VXLAN packets with 192\.0\.2\.9, because its release is older than 25\.09$/,
    /peer add f5 --next-hop ADDRESS --subnet 10\.129\.4\.0\/24; or install/,
  ],
  ['an old OVN on all nodes', f5, { ...facts, chassis: [chassisOf(1), chassisOf(2)] }, /^OVN of n1, n2/, /--next-hop/],
  [
    'a cluster without IPv4',
    f5,
    { ...facts, layout: { ...modern, clusterSubnets: ['fd01::/48'], serviceSubnets: ['fd02::/112'] } },
    /this cluster has no IPv4/,
    /by a router/,
  ],
  ['the layout of 2017', f5, { ...facts, layout: seed }, /form of 2017/, /--next-hop/],
  [
    'tunnels in VXLAN',
    f5,
    { ...facts, chassis: [able(1), able(2, '192.0.2.12', 'vxlan')] },
    /the tunnels of n2 are VXLAN themselves/,
    /geneve/,
  ],
  [
    'tunnels over IPv6',
    f5,
    { ...facts, chassis: [able(1, '2001:db8::11')] },
    /the tunnels of n1 have no IPv4 address/,
    /--next-hop/,
  ],
  ['a subnet without room', { ...f5, subnets: ['10.129.4.0/31'] }, facts, /too small/, /\/30/],
  ['a large subnet', { ...f5, subnets: ['10.129.0.0/19'] }, facts, /too large/, /from \/20/],
  ['a subnet of the cluster', { ...f5, subnets: ['10.42.9.0/24'] }, facts, /overlaps 10\.42\.0\.0\/16/, /distinct/],
  ['a name in use', { ...f5, subnets: ['10.130.0.0/24'] }, { ...facts, peers: [f5] }, /has a peer f5/, /remove/],
  ['a VNI in use', at({ vni: 1 }), { ...facts, peers: [other] }, /the peer f6 has the VNI 1/, /--vni/],
  ['a multicast address', at({ address: '224.0.0.9' }), facts, /not an address of a host/, /receives/],
  ['an address of a node', at({ address: '192.0.2.12' }), facts, /an address of n2/, /receives/],
  [
    'an address at which tunnels of a node end',
    at({ address: '192.0.2.99' }),
    { ...facts, chassis: [able(1), able(2, '192.0.2.99')] },
    /an address of n2/,
    /receives/,
  ],
  ['an address of the cluster', at({ address: '10.42.9.9' }), facts, /within 10\.42\.0\.0\/16/, /receives/],
  ['an address of its subnet', at({ address: '10.129.4.9' }), facts, /within 10\.129\.4\.0\/24/, /receives/],
  ['a MAC of a group', at({ mac: '01:00:5e:00:00:01' }), facts, /MAC of a group/, /tunnel interface/],
  ['the MAC of the router', at({ mac: '0a:58:0a:81:04:01' }), facts, /MAC of the router/, /tunnel interface/],
] as const satisfies readonly (readonly [string, VtepPeer, PeerFacts, RegExp, RegExp])[])
  t.test(title, (t) => {
    t.throws(() => refusePeer(peer, given), { kind: 'overlay-conflict', message, hint });
    t.end();
  });
