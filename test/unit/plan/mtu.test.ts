// MTU of a bridge if the DHCP lease determines it.
import t from 'tap';
import { gatewayBridge } from '../../../agent/model/names.ts';
import { wantedMtu } from '../../../agent/plan/profiles/mtu.ts';
import { uplinkSource } from '../../../agent/plan/uplink/source-profile.ts';
import { appliedCase, readCase } from './cases.ts';
import { changed } from './change.ts';

const pending = changed(readCase('dhcp').observation, {
  'hints/interfaceHint': 'eth0',
  'links/[name=eth0]/addresses': [],
  routes: [],
  'networkManager/devices/[interface=eth0]/state': 70,
  'networkManager/activeConnections/[id=eth0]/state': 1,
});
const settings = 'networkManager/profiles/[id=eth0]/settings';
const fixed = { address: ['s', '192.0.2.60'], prefix: ['u', 24] };
const mtuOf = (observation: typeof pending) => wantedMtu(uplinkSource(gatewayBridge, 'eth0', observation)).mtu;

t.test('the MTU of a NIC that has no lease yet is not used, because the lease can set another one', (t) => {
  t.equal(mtuOf(pending), null);
  const [address] = readCase('dhcp').observation.links[0]?.addresses ?? [];
  const beside = changed(pending, {
    [`${settings}/ipv4/address-data`]: ['aa{sv}', [fixed]],
    'links/[name=eth0]/addresses': [{ ...address, address: '192.0.2.60' }],
  });
  t.equal(mtuOf(beside), null, 'a fixed address does not count as a lease');
  t.end();
});

t.test('the MTU of the NIC is used if it has a lease, if it gets none, or if its profile sets the MTU', (t) => {
  t.strictSame(mtuOf(readCase('dhcp').observation), ['u', 1500]);
  t.strictSame(mtuOf(appliedCase('dhcp').observation), ['u', 1500]);
  t.strictSame(mtuOf(changed(pending, { [`${settings}/ipv4/method`]: ['s', 'disabled'] })), ['u', 1500]);
  t.strictSame(mtuOf(changed(pending, { [`${settings}/802-3-ethernet/mtu`]: ['u', 1400] })), ['u', 1400]);
  t.end();
});
