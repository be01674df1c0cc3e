import {
  deleteRows,
  insert,
  mapOf,
  mutate,
  type Operation,
  setOf,
  update,
  uuid,
} from '../../agent/drivers/ovsdb/index.ts';
import type { JsonObject } from '../../agent/drivers/ovsdb/json.ts';
import type { Row, Value } from '../../agent/drivers/ovsdb/values.ts';

/** Columns of table Item (real-server.ts), one of every kind of type. */
export const columns: readonly string[] = [
  'name',
  'serial',
  'counters',
  'weight',
  'present',
  'tags',
  'labels',
  'place',
  'note',
  'sizes',
  'parts',
];

let made = 0;

/** Returns one to four random changes of rows that may or may not exist; a server may refuse them. */
export function randomOperations(random: (limit: number) => number, rows: readonly JsonObject[]): readonly Operation[] {
  const ids = rows.map((row) => String((row._uuid as readonly string[])[1]));
  const anyId = (): string => ids[random(Math.max(1, ids.length))] ?? '00000000-0000-4000-8000-000000000000';
  const operation = (): Operation => {
    const here = [['_uuid', '==', uuid(anyId())]] as const;
    const [column, value] = randomValue(random, ids);
    switch (random(ids.length > 12 ? 8 : 6)) {
      case 0:
      case 1:
        made += 1;
        return insert('Item', { name: `item ${made}`, ...randomRow(random, ids) }, `n${made}`);
      case 2:
        return update('Item', here, randomRow(random, ids));
      case 3:
      case 4:
        return ['serial', 'weight', 'present', 'note', 'place'].includes(column)
          ? update('Item', here, { [column]: value })
          : mutate('Item', here, [[column, random(2) === 0 ? 'insert' : 'delete', value]]);
      case 5:
        return mutate('Item', here, [['weight', '+=', 1 + random(3)]]);
      default:
        return deleteRows('Item', here);
    }
  };
  return Array.from({ length: 1 + random(4) }, operation);
}

function randomRow(random: (limit: number) => number, ids: readonly string[]): Row {
  return Object.fromEntries(Array.from({ length: random(5) }, () => randomValue(random, ids)));
}

function randomValue(random: (limit: number) => number, ids: readonly string[]): readonly [string, Value] {
  const letter = (): string => ['a', 'b', 'c', 'ü', '😀', '__proto__', ''][random(7)] ?? '';
  const some = <T>(make: () => T, most: number): T[] => Array.from({ length: random(most + 1) }, make);
  const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
  const map = (most: number, value: () => string | number): Value => {
    const keys = unique(some(() => random(4), most));
    return ['map', keys.map((key) => [key, value()])];
  };
  switch (random(10)) {
    case 0:
      return ['serial', setOf(some(() => random(4), 1))];
    case 1:
      return ['counters', map(4, () => random(3))];
    case 2:
      return ['weight', random(8) / 4];
    case 3:
      return ['present', random(2) === 0];
    case 4:
      return ['tags', setOf(unique(some(letter, 3)))];
    case 5:
      return ['labels', mapOf(Object.fromEntries(some(() => [letter(), letter()] as const, 4)))];
    case 6:
      return ['place', mapOf(Object.fromEntries(some(() => [letter(), random(3)] as const, 1)))];
    case 7:
      return ['note', setOf(some(letter, 1))];
    case 8:
      return ['sizes', setOf(unique(some(() => random(12) - 4, 8)))];
    default:
      return [
        'parts',
        setOf(
          unique(some(() => ids[random(Math.max(1, ids.length))] ?? '', 4))
            .filter((id) => id !== '')
            .map(uuid),
        ),
      ];
  }
}
