// Changes of OVN_Northbound that are not reported to the planner of a workload's rows.
import t from 'tap';
import { readSchema } from '../../../../../agent/drivers/ovsdb/schema.ts';
import { createTables, followedOf } from '../../../../../agent/drivers/ovsdb/tables.ts';
import { isReport } from '../../../../../agent/run/overlay/watcher/northbound-mirror.ts';

const schema = readSchema({
  name: 'OVN_Northbound',
  tables: {
    Logical_Switch_Port: {
      columns: {
        name: { type: 'string' },
        up: { type: { key: 'boolean', min: 0, max: 1 } },
        dynamic_addresses: { type: { key: 'string', min: 0, max: 1 } },
        options: { type: { key: 'string', value: 'string', min: 0, max: 'unlimited' } },
      },
    },
  },
});

t.test('a report of OVN about a port is not a change', async (t) => {
  const requests = { Logical_Switch_Port: {} };
  const tables = createTables(requests);
  const id = '00000000-0000-4000-8000-000000000001';
  const reported = (update: object): boolean[] =>
    tables
      .apply(followedOf(schema, requests), { Logical_Switch_Port: { [id]: update } } as never, false)
      .map(({ old, now }) => !isReport(old, now));
  t.strictSame(reported({ insert: { name: 'default_a', options: ['map', [['requested-chassis', 'n1']]] } }), [true]);
  t.strictSame(reported({ modify: { up: true } }), [false]);
  t.strictSame(reported({ modify: { up: false, dynamic_addresses: '0a:58:0a:2a:01:03 10.42.1.3' } }), [false]);
  t.strictSame(
    reported({ modify: { up: true, name: 'default_b' } }),
    [true],
    'a report with another changed column is a change',
  );
  t.strictSame(reported({ modify: { options: ['map', [['requested-chassis', 'n2']]] } }), [true]);
  t.strictSame(reported({ delete: null }), [true]);
});
