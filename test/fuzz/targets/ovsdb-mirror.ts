// Messages of a server about its tables: schemas, contents and changes of any form.

import { isJsonArray, isJsonObject, type Json } from '../../../agent/drivers/ovsdb/json.ts';
import { OvsdbError } from '../../../agent/drivers/ovsdb/ovsdb-errors.ts';
import { readSchema } from '../../../agent/drivers/ovsdb/schema.ts';
import { createTables, followedOf, type Tables } from '../../../agent/drivers/ovsdb/tables.ts';
import { printable } from '../expect.ts';
import type { FuzzTarget } from '../target.ts';

const uuid = (last: number): string => `00000000-0000-4000-8000-00000000000${last}`;
const reference = (last: number): Json => ['uuid', uuid(last)];
const many = { min: 0, max: 'unlimited' };
const schema: Json = {
  name: 'OVN_Northbound',
  tables: {
    Port: {
      columns: {
        name: { type: 'string' },
        up: { type: { key: 'boolean', min: 0, max: 1 } },
        addresses: { type: { key: 'string', ...many } },
        tags: { type: { key: 'integer', ...many } },
        options: { type: { key: 'string', value: 'string', ...many } },
        peers: { type: { key: { type: 'uuid', refTable: 'Port' }, ...many } },
      },
    },
  },
};
const row = {
  name: 'a',
  up: true,
  addresses: ['set', ['x', 'y']],
  tags: 7,
  options: ['map', [['k', 'v']]],
  peers: reference(2),
};
const change = {
  addresses: ['set', ['y', 'z']],
  options: ['map', [['k', 'w']]],
  peers: ['set', [reference(1), reference(2)]],
};
const requests = { Port: { indexes: ['name', 'addresses', 'tags', 'peers', 'options'] }, Absent: {} };

export const ovsdbMirror: FuzzTarget = {
  corpus: () =>
    [
      { schema, updates: [{ Port: { [uuid(1)]: { initial: row }, [uuid(2)]: { initial: {} } } }] },
      { schema, updates: [{ Port: { [uuid(1)]: { initial: row } } }, { Port: { [uuid(1)]: { modify: change } } }] },
      { schema, updates: [{ Port: { [uuid(1)]: { insert: row } } }, { Port: { [uuid(1)]: { delete: null } } }] },
      { schema, updates: [{ Port: { [uuid(1)]: { insert: row } } }, null, { Port: { [uuid(2)]: { insert: row } } }] },
    ].map((input) => Buffer.from(JSON.stringify(input))),
  words: [
    '"set"',
    '"map"',
    '["uuid","',
    '"initial"',
    '"modify"',
    '"delete"',
    '"unlimited"',
    '__proto__',
    'null',
    '1e999',
  ],
  form: 'json',
  open: () => ({
    feed: (input) => {
      const tables = createTables(requests);
      try {
        const changes = follow(tables, JSON.parse(input.toString()) as Json);
        for (const found of tables.table('Port').rows()) {
          JSON.stringify(found);
          if (tables.table('Port').get(String((found._uuid as readonly Json[])[1])) !== found)
            throw new Error('a row under another uuid');
        }
        return `${Math.min(4, changes)} changes`;
      } catch (error) {
        if (error instanceof SyntaxError) return 'no JSON';
        if (!(error instanceof OvsdbError)) throw error;
        printable(error.message, 'the message of a failure');
        return error.kind;
      }
    },
    close: () => {},
  }),
};

/**
 * Applies the updates in order. A null stands for a new connection, and the update after it has the full contents
 * again. Returns the number of changed rows.
 */
function follow(tables: Tables, input: Json): number {
  if (!isJsonObject(input)) return 0;
  const followed = followedOf(readSchema(input.schema ?? null), requests);
  let isWhole = true;
  let changes = 0;
  for (const update of isJsonArray(input.updates) ? input.updates : []) {
    if (update !== null) changes += tables.apply(followed, update, isWhole).length;
    isWhole = update === null;
  }
  return changes;
}
