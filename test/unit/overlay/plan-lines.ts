// Text of a plan of rows for the file of a case: one complete line per condition and per change, with rows by their
// names.
import type { OverlayPlan } from '../../../agent/model/overlay.ts';
import type { DatabaseRows, RowReference } from '../../../agent/model/rows.ts';
import { titleOf } from '../../../agent/overlay/rows/stale-rows.ts';

/** Returns the lines of a plan, with a newline at the end; empty if nothing changes. */
export function planLines({ guards, changes }: OverlayPlan, rows: DatabaseRows): string {
  const titles = new Map<string, string>();
  for (const [table, all] of Object.entries(rows.tables))
    for (const row of all) titles.set(row._uuid, `${table} ${titleOf(table, row)}`);
  for (const change of changes)
    if (change.do === 'insert') titles.set(change.name, `new ${change.table} ${change.title}`);
  const title = (row: RowReference): string => titles.get(typeof row === 'string' ? row : row.newRow) ?? '?';
  const readable = (value: unknown): string =>
    JSON.stringify(value, (_key, inner) => (typeof inner?.newRow === 'string' ? title(inner) : inner))
      .replaceAll(/"(0{8}-0000-4000-8000-\d{12})"/g, (_all, uuid: string) => title(uuid))
      .replaceAll(/\\?"/g, (quote) => (quote === '"' ? '' : '"'));
  const words = (columns: object): string =>
    Array.isArray(columns)
      ? ` ${readable(columns)}`
      : Object.entries(columns)
          .map(([name, value]) => ` ${name}=${readable(value)}`)
          .join('');
  const lines = [
    ...guards.map((guard) =>
      guard.guard === 'absent'
        ? `unless  there is a ${guard.table} with ${readable(guard.where)}`
        : `unless  ${title(guard.uuid)} is gone${Object.keys(guard.columns)
            .map((column) => `, or others ${column} than those read`)
            .join('')}`,
    ),
    ...changes.map((change) => {
      const { table, why } = change;
      const name = `${table} ${change.title}`;
      if (change.do === 'update') return `change  ${name}:${words(change.columns)}: ${why}`;
      const place = change.place === null ? '' : ` of ${title(change.place.row)}: ${change.place.column}`;
      return change.do === 'insert'
        ? `add     ${name}${place}:${words(change.row)}: ${why}`
        : `remove  ${name}${place}: ${why}`;
    }),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
