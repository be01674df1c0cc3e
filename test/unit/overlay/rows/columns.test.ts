import t from 'tap';
import { missingColumns, writtenTables } from '../../../../agent/overlay/rows/columns.ts';
import { recordedShape } from '../cluster.ts';
import { writtenColumns } from '../written-columns.ts';

t.test('the table has every column that plans write, and no others', (t) => {
  const listed = Object.entries(writtenTables).flatMap(([database, tables]) =>
    Object.entries(tables).flatMap(([table, { columns }]) => columns.map((column) => `${database}.${table}.${column}`)),
  );
  const written = writtenColumns();
  t.strictSame(
    [...written].filter((one) => !listed.includes(one)),
    [],
    'columns that plans write and that agent/overlay/rows/columns.ts lacks',
  );
  t.strictSame(
    listed.filter((one) => !written.has(one)),
    [],
    'columns of agent/overlay/rows/columns.ts that no plan writes',
  );
  t.end();
});

t.test('a schema that lacks a column or a table', (t) => {
  const shape = recordedShape('OVN_Northbound 23.03');
  t.strictSame(missingColumns('OVN_Northbound', shape), []);
  const { Load_Balancer_Group: _, ...without } = shape;
  const { nexthops: __, ...policy } = shape.Logical_Router_Policy ?? {};
  t.strictSame(missingColumns('OVN_Northbound', { ...without, Logical_Router_Policy: policy }), [
    { name: 'OVN_Northbound.Logical_Router_Policy.nexthops', for: "a node's own addresses, as its pods reach them" },
    { name: 'OVN_Northbound.Load_Balancer_Group', for: 'services' },
  ]);
  t.end();
});
