import t from 'tap';
import { followedTables, isMoreThanZones } from '../../../../agent/overlay/rows/followed.ts';
import { recordedShape } from '../cluster.ts';

t.test("only the agent's rows are followed, except in tables without external_ids", (t) => {
  const tables = followedTables('OVN_Northbound', recordedShape('OVN_Northbound 23.03'), 'microshift-net', null);
  const owned = [['external_ids', 'includes', ['map', [['owner', 'microshift-net']]]]];
  t.strictSame(tables.Logical_Switch?.where, owned);
  t.strictSame(tables.NB_Global?.where, undefined);
  t.strictSame(tables.Load_Balancer_Group?.where, undefined, 'a table without external_ids is followed as a whole');
  for (const [name, { columns, where }] of Object.entries(tables))
    if (where !== undefined) t.ok(columns.includes('external_ids'), name);
  t.end();
});

t.test('reports of daemons cause no new plan', (t) => {
  const northbound = followedTables('OVN_Northbound', recordedShape('OVN_Northbound 23.03'), 'x', null);
  t.notMatch(northbound.NB_Global?.columns, /cfg/);
  t.notOk(northbound.Logical_Switch_Port?.columns.includes('up'));
  t.notOk(northbound.Logical_Switch?.columns.includes('ports'), 'the ports of a switch are not followed');
  const southbound = followedTables('OVN_Southbound', recordedShape('OVN_Southbound 23.03'), 'x', null);
  t.strictSame(southbound.Chassis_Private?.columns, ['name'], 'answers of a chassis are not followed');
  t.end();
});

t.test('conntrack zones of pods cause no new plan', (t) => {
  const zones = ['map', [['ct-zone-default_web', '19']]];
  const update = (row: unknown, table = 'Bridge') => ({ [table]: { e1f3: row } });
  t.notOk(isMoreThanZones(update({ modify: { external_ids: zones } })));
  t.notOk(
    isMoreThanZones({ Bridge: { one: { modify: { external_ids: zones } }, two: { modify: { external_ids: zones } } } }),
  );
  const others: Readonly<Record<string, unknown>> = {
    'another key': update({ modify: { external_ids: ['map', [...(zones[1] ?? []), ['owner', 'x']]] } }),
    'another column': update({ modify: { external_ids: zones, fail_mode: 'secure' } }),
    'another column alone': update({ modify: { fail_mode: 'secure' } }),
    'another table': update({ modify: { external_ids: zones } }, 'Interface'),
    'another table beside it': { ...update({ modify: { external_ids: zones } }), ...update({ delete: null }, 'Port') },
    'a new bridge': update({ insert: { external_ids: zones } }),
    'a removed bridge': update({ delete: null }),
  };
  for (const [name, updates] of Object.entries(others)) t.ok(isMoreThanZones(updates), name);
  t.end();
});

t.test('columns that a release lacks are left out', (t) => {
  const { Chassis, ...older } = recordedShape('OVN_Southbound 23.03');
  t.ok(Chassis !== undefined);
  const shape = { ...older, SB_Global: { connections: { kind: 'set', isReference: true } } } as const;
  const tables = followedTables('OVN_Southbound', shape, 'x', null);
  t.notOk('Chassis' in tables);
  t.strictSame(tables.SB_Global?.columns, ['connections']);
  t.end();
});

t.test('of the ports of the southbound database, only those of distributed gateways are followed', (t) => {
  const text = { kind: 'one', isReference: false } as const;
  const set = { kind: 'set', isReference: false } as const;
  const Port_Binding = {
    logical_port: text,
    type: text,
    chassis: { kind: 'set', isReference: true },
    up: set,
  } as const;
  t.strictSame(followedTables('OVN_Southbound', { Port_Binding }, 'x', null), {
    Port_Binding: { columns: ['logical_port', 'type', 'chassis'], where: [['type', '==', 'chassisredirect']] },
  });
  t.end();
});

t.test('rows of the gateway are followed even without an owner', (t) => {
  const shape = recordedShape('Open_vSwitch 3.1');
  const gateway = { localnetPort: 'br-ex_n1', clusterPort: 'patch-br-ex_n1-to-br-int', mac: '52:54:00:00:00:01' };
  const tables = followedTables('Open_vSwitch', shape, 'x', gateway);
  const owned = ['external_ids', 'includes', ['map', [['owner', 'x']]]];
  t.strictSame(tables.Port?.where, [owned, ['external_ids', 'includes', ['map', [['ovn-localnet-port', 'br-ex_n1']]]]]);
  const monitored = ['bfd', 'includes', ['map', [['enable', 'true']]]];
  t.strictSame(tables.Interface?.where, [
    owned,
    monitored,
    ['name', '==', 'patch-br-ex_n1-to-br-int'],
    ['mac_in_use', '==', '52:54:00:00:00:01'],
  ]);
  t.ok(tables.Interface?.columns.includes('ofport'), "the number of the gateway's port is followed");
  t.strictSame(followedTables('Open_vSwitch', shape, 'x', null).Interface?.where, [owned, monitored]);
  t.end();
});
