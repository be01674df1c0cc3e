import type { DesiredColumn } from './column-changes.ts';
import type { DesiredRows, PlannedRow } from './desired-rows.ts';
import { addNamelessRow } from './nameless-rows.ts';

/** Plans a row of Logical_Router_Policy, which its priority and its match identify. */
export function addRouterPolicy(
  desired: DesiredRows,
  router: PlannedRow,
  node: string,
  key: { readonly priority: number; readonly match: string },
  columns: Readonly<Record<string, DesiredColumn>>,
  why: string,
): void {
  addNamelessRow(desired, {
    table: 'Logical_Router_Policy',
    title: `${router.title}: ${key.match}`,
    holder: router,
    column: 'policies',
    key,
    columns,
    node,
    why,
  });
}

/** Returns the column for the next hops of a router policy; `nexthop` in releases of OVN without the other column. */
export function hopsColumn(desired: Pick<DesiredRows, 'hasColumn'>): 'nexthops' | 'nexthop' {
  return desired.hasColumn('Logical_Router_Policy', 'nexthops') ? 'nexthops' : 'nexthop';
}
