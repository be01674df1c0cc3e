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
