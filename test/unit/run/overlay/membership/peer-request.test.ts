import t from 'tap';
import { peerOf } from '../../../../../agent/run/overlay/membership/peer-request.ts';

t.test('options of `overlay peer add`, as several words or with commas, in any order of the families', (t) => {
  t.strictSame(
    peerOf('west', {
      nextHop: ['2001:DB8::50', '192.0.2.50'],
      subnet: ['fd03::/48, 10.45.0.0/16', '10.45.0.0/16'],
      serviceSubnet: ['10.46.0.0/16'],
    }),
    {
      name: 'west',
      nextHops: ['192.0.2.50', '2001:db8::50'],
      subnets: ['10.45.0.0/16', 'fd03::/48'],
      serviceSubnets: ['10.46.0.0/16'],
    },
  );
  t.strictSame(peerOf('west', { nextHop: ['192.0.2.50'], subnet: ['10.45.0.0/16'] }).serviceSubnets, []);
  t.end();
});

t.test('words that are not usable', (t) => {
  const given = { nextHop: ['192.0.2.50'], subnet: ['10.45.0.0/16'] };
  for (const [name, options, message] of [
    ['West', given, /"West" cannot be the name of a peer/],
    ['west', { ...given, nextHop: ['router'] }, /--next-hop "router" is not usable/],
    ['west', { ...given, subnet: ['10.45.0.1/16'] }, /--subnet "10\.45\.0\.1\/16" is not usable/],
    ['west', { ...given, serviceSubnet: [''] }, /--service-subnet "" is not usable/],
    ['west', { ...given, subnet: Array.from({ length: 17 }, (_, index) => `10.${index + 100}.0.0/16`) }, /17 ranges/],
  ] as const)
    t.throws(() => peerOf(name, options), { kind: 'bad-usage', message, hint: /write/ });
  t.end();
});

t.test('a peer in VXLAN', (t) => {
  const given = { vtep: '192.0.2.9', subnet: ['10.129.4.0/24'] };
  t.strictSame(peerOf('f5', given), {
    name: 'f5',
    nextHops: [],
    subnets: ['10.129.4.0/24'],
    serviceSubnets: [],
    vtep: { address: '192.0.2.9', vni: 0, mac: '0a:58:0a:81:04:02' },
  });
  const { vtep } = peerOf('f5', { ...given, mac: '02:00:00:00:00:AB', vni: '16777215' });
  t.strictSame(vtep, { address: '192.0.2.9', vni: 16_777_215, mac: '02:00:00:00:00:ab' });
  for (const [options, message] of [
    [{ subnet: given.subnet }, /needs either --next-hop or --vtep/],
    [{ ...given, nextHop: ['192.0.2.50'] }, /needs either --next-hop or --vtep/],
    [{ nextHop: ['192.0.2.50'], subnet: given.subnet, vni: '1' }, /--mac and --vni are for a peer in VXLAN/],
    [{ ...given, vtep: 'f5' }, /--vtep "f5" is not usable/],
    [{ ...given, vtep: '2001:db8::60' }, /--vtep "2001:db8::60" is not usable/],
    [{ ...given, subnet: ['10.129.4.0/24', '10.129.5.0/24'] }, /one subnet of IPv4/],
    [{ ...given, subnet: ['fd60::/64'] }, /one subnet of IPv4/],
    [{ ...given, serviceSubnet: ['10.46.0.0/16'] }, /one subnet of IPv4/],
    [{ ...given, vni: '-1' }, /--vni "-1" is not usable/],
    [{ ...given, vni: '16777216' }, /--vni "16777216" is not usable/],
    [{ ...given, mac: '02:00:00' }, /--mac "02:00:00" is not usable/],
  ] as const)
    t.throws(() => peerOf('f5', options), { kind: 'bad-usage', message, hint: /write/ });
  t.end();
});
