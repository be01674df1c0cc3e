// What a folder of test/cases/overlay holds, and how what comes of it is written down.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  NorthboundFacts,
  OverlayGateway,
  OverlayLayout,
  OverlayNode,
  OverlayPlan,
} from '../../../agent/model/overlay.ts';
import type { DatabaseRows, RowReference } from '../../../agent/model/rows.ts';
import { planNorthbound } from '../../../agent/overlay/northbound.ts';
import { operationsOf, type RowOperation } from '../../../agent/overlay/operations.ts';
import { titleOf } from '../../../agent/overlay/surplus.ts';
import { dual, emptyNorthbound, factsOf, gatewayOf, modern, nodeOf, overlayCases, seed } from './cluster.ts';
import type { ModelDatabase } from './model-database.ts';

type NodeChange = Partial<Omit<OverlayNode, 'gateway'>> & { id: number; gateway?: Partial<OverlayGateway> };

/** facts.json: what differs from one node with nothing in the database. */
interface Facts {
  /** The case whose rows are there already. */
  readonly after?: string;
  /** The case whose changes are not written again in rows.json where they are the same here. */
  readonly like?: string;
  /** What else was done to the database. */
  readonly edits?: readonly RowOperation[];
  readonly release?: string;
  readonly layout?: 'modern' | 'dual' | 'seed';
  readonly settings?: Partial<OverlayLayout>;
  readonly nodes?: readonly NodeChange[];
  readonly leaving?: readonly string[];
}

export function caseNames(): readonly string[] {
  return readdirSync(overlayCases, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

function factsFile(name: string): Facts {
  return JSON.parse(readFileSync(join(overlayCases, name, 'facts.json'), 'utf8')) as Facts;
}

/** What is planned for a case, for readers. */
export function shortPlanOf(name: string, plan: OverlayPlan, rows: DatabaseRows): object {
  const { like } = factsFile(name);
  const short = shortPlan(plan, rows);
  if (like === undefined) return short;
  const { facts } = readCase(like);
  const others = shortPlan(planNorthbound(facts), facts.rows).changes.map((change) => JSON.stringify(change));
  const isThere = (change: object): boolean => others.includes(JSON.stringify(change));
  return {
    ...short,
    changes: short.changes.map((change) => (isThere(change) ? `as in ${like}: ${titleOfChange(change)}` : change)),
  };
}

function titleOfChange(change: ShortChange): string {
  if (change.add !== undefined) return `add ${change.add}`;
  return change.change === undefined ? `remove ${change.remove}` : `change ${change.change}`;
}

/** The facts of a case, and the database they are about. */
export function readCase(name: string): { readonly facts: NorthboundFacts; readonly database: ModelDatabase } {
  const said = factsFile(name);
  const database = said.after === undefined ? emptyNorthbound(said.release) : applied(said.after);
  if (said.edits !== undefined) database.transact(said.edits);
  const layout = { ...{ modern, dual, seed }[said.layout ?? 'modern'], ...said.settings };
  const nodes = (said.nodes ?? []).map(({ id, gateway, ...rest }) =>
    nodeOf(id, { ...rest, gateway: gateway === undefined ? null : gatewayOf(id, gateway) }),
  );
  const { leaving = [] } = said;
  return { facts: factsOf(database.rows(), { layout, nodes, leaving }), database };
}

function applied(name: string): ModelDatabase {
  const { facts, database } = readCase(name);
  database.transact(operationsOf(planNorthbound(facts), facts.rows.shape));
  return database;
}

interface ShortChange {
  readonly add?: string;
  readonly change?: string;
  readonly remove?: string;
}

/** A plan for readers: rows by what they are called, one entry for each. */
export function shortPlan(
  { guards, changes }: OverlayPlan,
  rows: DatabaseRows,
): { readonly unless: readonly string[]; readonly changes: readonly ShortChange[] } {
  const titles = new Map<string, string>();
  for (const [table, all] of Object.entries(rows.tables))
    for (const row of all) titles.set(row._uuid, `${table} ${titleOf(table, row)}`);
  for (const change of changes)
    if (change.do === 'insert') titles.set(change.name, `new ${change.table} ${change.title}`);
  const title = (row: RowReference): string => titles.get(typeof row === 'string' ? row : row.newRow) ?? '?';
  const readable = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (_key, inner) => (typeof inner?.newRow === 'string' ? title(inner) : inner)).replaceAll(
        /"(0{8}-0000-4000-8000-\d{12})"/g,
        (_all, uuid: string) => JSON.stringify(title(uuid)),
      ),
    );
  return readable({
    unless: guards.map((guard) =>
      guard.guard === 'absent'
        ? `there is a ${guard.table} with ${JSON.stringify(guard.where)}`
        : `${title(guard.uuid)} is gone${Object.keys(guard.columns)
            .map((column) => `, or others ${column} than those read`)
            .join('')}`,
    ),
    changes: changes.map((change) => {
      const { table, why } = change;
      const name = `${table} ${change.title}`;
      if (change.do === 'update') return { change: name, columns: change.columns, why };
      const into = change.place === null ? {} : { of: `${title(change.place.row)}: ${change.place.column}` };
      return change.do === 'insert' ? { add: name, ...into, row: change.row, why } : { remove: name, ...into, why };
    }),
  }) as ReturnType<typeof shortPlan>;
}
