// Settings of the appliance of a peer in VXLAN, as data and as text.
import t from 'tap';
import { vtepSettingsOf } from '../../../../agent/overlay/peers/vtep-settings.ts';
import { peersText } from '../../../../agent/view/overlay-peer-view.ts';
import { plain } from '../../../../agent/view/style.ts';
import { dual, f5, nodeOf, west } from '../cluster.ts';

t.test('an appliance gets the addresses of registered nodes with a new OVN', (t) => {
  const members = [nodeOf(1), nodeOf(2), nodeOf(3)];
  const encap = (address: string) => ({ address, type: 'geneve', owner: '' });
  const chassis = [
    { name: nodeOf(1).systemId, hostname: 'n1', encaps: [encap('192.0.2.11')], hasVteps: true as const },
    { name: nodeOf(2).systemId, hostname: 'n2', encaps: [encap('192.0.2.12')] },
  ];
  const settings = vtepSettingsOf(dual, members, chassis, f5);
  t.strictSame(settings, {
    router: '10.129.4.1',
    routerMac: '0a:58:0a:81:04:01',
    mtuBytes: 1442,
    destinations: ['10.42.0.0/16'],
    nodes: [{ node: 'n1', address: '192.0.2.11' }],
  });
  t.equal(vtepSettingsOf(dual, members, chassis, west), null);
  t.equal(
    peersText([{ peer: f5, routes: [], withoutRoute: [], settings }], plain, null),
    [
      'PEER  NEXT HOP   PODS           SERVICES',
      'f5    192.0.2.9  10.129.4.0/24  -',
      'Settings that f5 needs:',
      '  tunnel: VXLAN, VNI 0, UDP port 4789, MAC 0a:58:0a:81:04:02, MTU 1442',
      '  an address in 10.129.4.0/24, except 10.129.4.1',
      '  10.42.0.0/16 via 10.129.4.1 (MAC 0a:58:0a:81:04:01), by the tunnel',
      '  ends of the tunnel: 192.0.2.11 (n1)',
    ].join('\n'),
  );
  t.end();
});
