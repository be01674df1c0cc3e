// MACs that routers have learned of their neighbours, compared with the known MACs.
import t from 'tap';
import { conflictingNeighbours, unexpectedRows } from '../../../../agent/overlay/members/learned-neighbours.ts';
import { gatewayOf, nodeOf } from '../cluster.ts';

const nodes = [nodeOf(1, { gateway: gatewayOf(1) }), nodeOf(2, { gateway: gatewayOf(2) })];
const [own = nodeOf(1)] = nodes;
const kernel = [{ address: '192.0.2.254', mac: '52:54:00:00:00:fe' }];

const learned = (logical_port: string, ip: string, mac: string): readonly string[] =>
  conflictingNeighbours(
    { database: 'OVN_Southbound', shape: {}, tables: { MAC_Binding: [{ _uuid: 'u', logical_port, ip, mac }] } },
    nodes,
    own,
    kernel,
  );

t.test('MACs that routers have learned', (t) => {
  const mac = nodes[1]?.gateway?.mac ?? '';
  t.strictSame(learned('rtoe-GR_n1', '192.0.2.12', mac), []);
  t.match(learned('rtoe-GR_n1', '192.0.2.12', '52:54:00:00:00:99'), [/for 192\.0\.2\.12, and the gateway of n2 has /]);
  t.strictSame(learned('rtoe-GR_n1', '192.0.2.254', '52:54:00:00:00:fe'), []);
  t.match(learned('rtoe-GR_n1', '192.0.2.254', '52:54:00:00:00:99'), [
    /the kernel of this node has .*destroy MAC_Binding u$/,
  ]);
  t.strictSame(
    learned('rtoe-GR_n2', '192.0.2.254', '52:54:00:00:00:99'),
    [],
    "an address of another node's LAN is not compared",
  );
  t.strictSame(
    learned('rtoe-GR_n1', '198.51.100.9', '52:54:00:00:00:99'),
    [],
    'an address that the node does not know is not compared',
  );
  t.strictSame(learned('rtoe-GR_n1', 'nonsense', '52:54:00:00:00:99'), []);
  t.match(
    learned('rtoe-GR_n1', '192.0.2.12', '\u001b[2J'),
    [/\\u\{1b\}/],
    'unprintable characters in a row are escaped',
  );
  t.end();
});

t.test('MACs and routes that no part of the cluster should learn', (t) => {
  const said = (tables: Readonly<Record<string, readonly { _uuid: string }[]>>): readonly string[] =>
    unexpectedRows({ database: 'OVN_Southbound', shape: {}, tables });
  t.strictSame(said({}), [], 'a release without these tables causes no report');
  t.strictSame(said({ FDB: [] }), []);
  t.match(said({ FDB: [{ _uuid: 'a' }] }), [/^FDB has 1 row, .*destroy FDB$/]);
  t.match(said({ FDB: [{ _uuid: 'a' }, { _uuid: 'b' }] }), [/^FDB has 2 rows, /]);
  t.match(said({ FDB: [], Learned_Route: [{ _uuid: 'a' }] }), [/^Learned_Route has 1 row, .*destroy Learned_Route$/]);
  t.match(said({ IGMP_Group: [{ _uuid: 'a' }] }), [/^IGMP_Group has 1 row, although no switch .*destroy IGMP_Group$/]);
  t.end();
});
