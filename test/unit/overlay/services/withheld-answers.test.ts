// Addresses for which a gateway must not answer, and the flows that drop its answers.
import t from 'tap';
import type { DatabaseRows } from '../../../../agent/model/rows.ts';
import { withheldAddresses, withheldFlows } from '../../../../agent/overlay/services/withheld-answers.ts';
import { dual, gatewayOf, nodeOf } from '../cluster.ts';

/** Returns rows of OVN_Southbound with one service at these addresses, and the addresses that the gateway announces. */
function southbound(vips: readonly string[], announced: string): DatabaseRows {
  const balancer = { _uuid: 'web', vips: Object.fromEntries(vips.map((vip) => [vip, '10.42.1.9:8080'])) };
  const port = { _uuid: 'port', external_ids: { 'microshift-net-announced': announced } };
  return { database: 'OVN_Southbound', shape: {}, tables: { Load_Balancer: [balancer], Port_Binding: [port] } };
}

const node = nodeOf(1, { gateway: gatewayOf(1, { addresses: ['192.0.2.11/24', '2001:db8::11/64'] }) });

t.test('a gateway answers for its own and for announced addresses', (t) => {
  const vips = [
    '192.0.2.11:30080', // an address of the gateway
    '192.0.2.12:30080', // an address of another node
    '192.0.2.200:80',
    '192.0.2.200:443',
    '192.0.2.201:80',
    '[2001:db8::200]:80',
    '10.43.0.80:80', // an address of the cluster
    '198.51.100.7:80', // an address that is not on the gateway's LAN
    'nonsense',
  ];
  const withheld = (announced: string) => withheldAddresses(dual, node, southbound(vips, announced));
  t.strictSame(withheld('192.0.2.200 2001:db8::200'), ['192.0.2.12', '192.0.2.201']);
  t.strictSame(
    withheld(''),
    ['192.0.2.12', '192.0.2.200', '192.0.2.201', '2001:db8::200'],
    'every address is withheld after the gateway has failed',
  );
  t.strictSame(
    withheldAddresses(dual, nodeOf(1), southbound(vips, '')),
    [],
    'without a gateway, no answer is withheld',
  );
  t.end();
});

t.test('the flows drop only answers, not requests or announcements', (t) => {
  const flows = withheldFlows(2, ['192.0.2.200', '2001:db8::200']).map(({ flow }) => flow);
  t.strictSame(flows, [
    'table=0,priority=250,in_port=2,arp,arp_op=2,arp_spa=192.0.2.200,actions=drop',
    'table=0,priority=250,in_port=2,icmp6,icmp_type=136,nd_target=2001:db8::200,dl_dst=00:00:00:00:00:00/01:00:00:00:00:00,actions=drop',
  ]);
  t.end();
});
