// Destinations for which a gateway replaces the source of packets from outside.
import t from 'tap';
import { applied, dual, dualNode, emptyNorthbound, gatewayOf } from '../cluster.ts';

t.test('hosts of the LAN and other nodes get packets from the address of the gateway', (t) => {
  const database = emptyNorthbound();
  const gateway = gatewayOf(1, { addresses: ['192.0.2.11/24', '2001:db8::11/64'] });
  const nodes = [
    dualNode(1, { gateway }),
    dualNode(2, { furtherAddresses: ['203.0.113.2', '2001:db8:1::2'] }),
    dualNode(3, { hostAddresses: ['198.51.100.13'], encap: { types: ['geneve'], addresses: ['198.51.100.13'] } }),
  ];
  applied(database, { layout: dual, nodes });
  const { Address_Set: sets = [], NAT: translations = [] } = database.rows().tables;
  const sourceOf = (name: string): unknown => {
    const set = sets.find((row) => row.name === name);
    const row = translations.find((one) => [one.allowed_ext_ips].flat().includes(set?._uuid as never));
    return { addresses: set?.addresses, source: row?.external_ip };
  };
  t.strictSame(sourceOf('beside_n1_v4'), {
    addresses: ['192.0.2.0/24', '203.0.113.2', '198.51.100.13'],
    source: '192.0.2.11',
  });
  t.strictSame(sourceOf('beside_n1_v6'), { addresses: ['2001:db8::/64', '2001:db8:1::2'], source: '2001:db8::11' });
  t.strictSame(sourceOf('beyond_n1_v4'), { addresses: ['10.42.2.0/24', '10.42.3.0/24'], source: '100.64.0.2' });
  t.strictSame(applied(database, { layout: dual, nodes }).changes, [], 'a second plan changes nothing');
  t.end();
});
