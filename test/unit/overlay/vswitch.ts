// Simulated Open vSwitch of a node.
import type { RowOperation } from '../../../agent/overlay/rows/row-operations.ts';
import { recordedShape } from './cluster.ts';
import { ModelDatabase } from './model-database.ts';

/** Returns the database of Open vSwitch after its first start, with a br-ex of another program. */
export function emptyVswitch(): ModelDatabase {
  const database = new ModelDatabase('Open_vSwitch', recordedShape('Open_vSwitch 3.1'));
  const rows: readonly (readonly [table: string, row: Extract<RowOperation, { op: 'insert' }>['row']])[] = [
    ['Interface', { name: 'br-ex', type: 'internal' }],
    ['Port', { name: 'br-ex', interfaces: ['set', [['named-uuid', 'Interface']]] }],
    ['Bridge', { name: 'br-ex', ports: ['set', [['named-uuid', 'Port']]] }],
    ['Open_vSwitch', { bridges: ['set', [['named-uuid', 'Bridge']]], external_ids: ['map', [['rundir', '/run']]] }],
  ];
  database.transact(rows.map(([table, row]) => ({ op: 'insert', table, row, 'uuid-name': table })));
  return database;
}
