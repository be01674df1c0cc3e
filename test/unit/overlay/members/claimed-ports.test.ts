// Ports of nodes that the chassis of other nodes have claimed.
import t from 'tap';
import type { DatabaseRow } from '../../../../agent/model/rows.ts';
import { foreignClaims } from '../../../../agent/overlay/members/claimed-ports.ts';
import { nodeOf } from '../cluster.ts';

const nodes = [nodeOf(1), nodeOf(2)];
const [one, two] = nodes.map(({ systemId }) => systemId);

const claims = (port: Partial<DatabaseRow>): readonly string[] =>
  foreignClaims(
    {
      database: 'OVN_Southbound',
      shape: {},
      tables: {
        Port_Binding: [{ _uuid: 'p', logical_port: 'default_web', type: '', datapath: 'd2', ...port }],
        Datapath_Binding: ['n2', 'GR_n2', 'join'].map((name, index) => ({
          _uuid: `d${index + 2}`,
          external_ids: { name },
        })),
        Chassis: [one, two, 'gone'].map((name = '') => ({ _uuid: `c-${name}`, name })),
        Encap: [one, two].map((name = '') => ({ _uuid: `e-${name}`, chassis_name: name })),
      },
    },
    nodes,
  );

t.test('claimed ports', (t) => {
  t.strictSame(claims({}), [], 'a port that no chassis has claimed is not reported');
  t.strictSame(claims({ chassis: `c-${two}`, encap: `e-${two}`, additional_chassis: [] }), []);
  t.match(claims({ chassis: `c-${one}` }), [
    new RegExp(`^port default_web of n2 has chassis ${one}: .* until ovn-sbctl clear Port_Binding p chassis$`),
  ]);
  t.match(claims({ chassis: 'c-gone' }), [/has chassis gone/], 'a port of a chassis that is not a member is reported');
  t.match(claims({ chassis: `c-${two}`, additional_chassis: [`c-${one}`] }), [/ has additional_chassis /]);
  t.match(claims({ chassis: `c-${one}`, encap: `e-${one}` }), [
    /clear Port_Binding p chassis; ovn-sbctl clear Port_Binding p encap$/,
  ]);
  t.match(claims({ options: { 'requested-chassis': 'x' } }), [
    / has requested-chassis x: .* until ovn-sbctl remove Port_Binding p options requested-chassis$/,
  ]);
  t.strictSame(claims({ options: { 'requested-chassis': `${two}`, 'iface-id-ver': 'uid' } }), []);
  t.match(claims({ datapath: 'd3', type: 'l3gateway', chassis: `c-${one}` }), [/^port default_web of n2 /]);
  t.strictSame(
    claims({ datapath: 'd4', chassis: `c-${one}` }),
    [],
    'a port of a switch without a node is not reported',
  );
  t.strictSame(
    claims({ type: 'chassisredirect', chassis: `c-${one}` }),
    [],
    'a port for which OVN chooses among several gateways is not reported',
  );
  const redirect = { type: 'chassisredirect', datapath: 'd4', logical_port: 'cr-rtos-n2' };
  t.match(
    claims({ ...redirect, chassis: `c-${one}` }),
    [/^port cr-rtos-n2 of n2 has chassis /],
    "a claimed route to a node's subnet is reported",
  );
  t.strictSame(claims({ ...redirect, chassis: `c-${two}` }), []);
  t.strictSame(claims({ chassis: 'c-unknown' }), [], 'a chassis that was removed meanwhile is not reported');
  t.match(
    claims({ logical_port: '\u001b[2J', chassis: `c-${one}` }),
    [/\\u\{1b\}/],
    'control characters in a name are escaped',
  );
  t.end();
});
