import t from 'tap';
import { followedTables } from '../../../agent/overlay/followed.ts';
import { recordedShape } from './cluster.ts';

t.test('rows of ours are followed, and roots as a whole', (t) => {
  const tables = followedTables('OVN_Northbound', recordedShape('OVN_Northbound 23.03'), 'microshift-net', null);
  const owned = [['external_ids', 'includes', ['map', [['owner', 'microshift-net']]]]];
  t.strictSame(tables.Logical_Switch?.where, owned);
  t.strictSame(tables.NB_Global?.where, undefined);
  t.strictSame(tables.Load_Balancer_Group?.where, undefined, 'a table without a place for an owner');
  for (const [name, { columns, where }] of Object.entries(tables))
    if (where !== undefined) t.ok(columns.includes('external_ids'), name);
  t.end();
});

t.test('what daemons report does not call for a look', (t) => {
  const northbound = followedTables('OVN_Northbound', recordedShape('OVN_Northbound 23.03'), 'x', null);
  t.notMatch(northbound.NB_Global?.columns, /cfg/);
  t.notOk(northbound.Logical_Switch_Port?.columns.includes('up'));
  const southbound = followedTables('OVN_Southbound', recordedShape('OVN_Southbound 23.03'), 'x', null);
  t.strictSame(southbound.Chassis_Private?.columns, ['name'], 'nor does an answer of a chassis');
  t.end();
});

t.test('what a release does not have is left out', (t) => {
  const { Chassis, ...older } = recordedShape('OVN_Southbound 23.03');
  t.ok(Chassis !== undefined);
  const shape = { ...older, SB_Global: { connections: { kind: 'set', isReference: true } } } as const;
  const tables = followedTables('OVN_Southbound', shape, 'x', null);
  t.notOk('Chassis' in tables);
  t.strictSame(tables.SB_Global?.columns, ['connections']);
  t.end();
});
