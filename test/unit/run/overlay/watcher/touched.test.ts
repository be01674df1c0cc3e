// Object keys that a change of rows by another program concerns.
import t from 'tap';
import type { DatabaseRow } from '../../../../../agent/model/rows.ts';
import { foundIn } from '../../../../../agent/overlay/rows/desired-rows.ts';
import { tagKeys } from '../../../../../agent/overlay/rows/tag-keys.ts';
import { touchedBy } from '../../../../../agent/run/overlay/watcher/touched.ts';

const ids = (unit: string) => ({ [tagKeys.unit]: unit });
const balancer = (name: string): DatabaseRow => ({ _uuid: name, name, external_ids: ids(`service:default/${name}`) });
const foreign: DatabaseRow = { _uuid: 'foreign', name: 'foreign', external_ids: {} };
const holder = (...balancers: readonly string[]): DatabaseRow => ({ _uuid: 'h', name: 'n1', load_balancer: balancers });

function touched(table: string, old: DatabaseRow | undefined, now: DatabaseRow | undefined) {
  const rows = { database: 'OVN_Northbound', shape: {}, tables: { Load_Balancer: [balancer('web'), foreign] } };
  const units = touchedBy([{ table, old, now }], foundIn(rows).existing);
  return units === 'everything' ? units : [...units];
}

t.test('a row with an object key', async (t) => {
  t.strictSame(touched('Load_Balancer', balancer('web'), undefined), ['service:default/web']);
  t.strictSame(touched('Load_Balancer', foreign, undefined), []);
  const before: DatabaseRow = { _uuid: 'g', external_ids: ids('policy:default/p') };
  t.strictSame(
    touched('Port_Group', before, { _uuid: 'g', external_ids: {} }),
    ['policy:default/p'],
    'a row that has lost its owner concerns its policy',
  );
});

t.test('a port of a switch', async (t) => {
  const pod: DatabaseRow = { _uuid: 'p', name: 'default_web', external_ids: ids('pod:default/web') };
  t.strictSame(touched('Logical_Switch_Port', undefined, pod), ['pod:default/web']);
  const ofNode: DatabaseRow = { _uuid: 's', name: 'stor-n1', external_ids: {} };
  t.equal(touched('Logical_Switch_Port', undefined, ofNode), 'everything', 'groups of services contain ports of nodes');
  t.equal(touched('Logical_Switch_Port', ofNode, undefined), 'everything');
  t.strictSame(touched('Logical_Switch_Port', ofNode, { ...ofNode, external_ids: { other: '1' } }), []);
});

for (const table of ['Logical_Switch', 'Logical_Router', 'Load_Balancer_Group'])
  t.test(`a load balancer that is removed from a ${table}`, async (t) => {
    const all = ['web', 'gone', 'foreign'];
    t.strictSame(touched(table, holder(...all), holder('gone', 'foreign')), ['service:default/web']);
    t.strictSame(
      touched(table, holder(...all), holder('web', 'foreign')),
      [],
      'a deleted load balancer concerns no service',
    );
    t.strictSame(
      touched(table, holder(...all), holder('web', 'gone')),
      [],
      'a load balancer of another program concerns no service',
    );
    t.strictSame(
      touched(table, holder('gone'), holder('gone', 'web')),
      [],
      'an added load balancer concerns no service',
    );
    t.equal(touched(table, undefined, holder()), 'everything');
    t.equal(touched(table, holder('web'), undefined), 'everything');
  });
