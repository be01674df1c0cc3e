import { stopController } from '../../../drivers/ovn/controller.ts';
import { type RowDatabase, removeChassis } from '../../../drivers/ovn/database.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { ColumnChange, DatabaseRow, RowChange } from '../../../model/rows.ts';
import { planCentral } from '../../../overlay/cluster/central.ts';
import { planLocalRemoval } from '../../../overlay/local/local.ts';
import { planLocalTls } from '../../../overlay/local/local-tls.ts';
import { overlayTables, workloadTables } from '../../../overlay/rows/overlay-tables.ts';
import { indexRows, mapOf } from '../../../overlay/rows/row-index.ts';
import { emptyWorkload } from '../../../workload/empty-workload.ts';
import { planWorkload } from '../../../workload/plan-workload.ts';
import { planMembers } from '../node/members-plan.ts';
import { type PlannedDatabase, withDatabases } from '../node/planned-node.ts';
import { removeSharedFlows } from '../node/shared-flows.ts';
import { removeVteps } from '../node/vteps-here.ts';
import { carryOut, readRows } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';

/**
 * Removes the overlay from this node's databases: its own rows, and its keys in rows of other programs. `before` has
 * the plans of the run that is rolled back; the values that these plans have replaced in the Open_vSwitch row are
 * restored.
 */
export async function removeRows(
  record: OverlayRecord,
  places: OverlayPlaces,
  before: readonly Pick<PlannedDatabase, 'plan' | 'rows'>[] = [],
): Promise<void> {
  const { owner } = record.layout;
  const rowsBefore = before.find(({ plan }) => plan.database === 'Open_vSwitch');
  // ovn-controller is stopped first, because it would register the chassis again.
  await stopController(places.ovnRuns);
  await withDatabases(record, places, async ([local, northbound, southbound]) => {
    for (const database of [local, southbound, northbound]) {
      if (database === undefined) continue;
      if (database.name === 'Open_vSwitch') {
        await removeSharedFlows(record, places, database);
        const rows = await readRows(database, overlayTables.Open_vSwitch);
        const plan = planLocalRemoval({ layout: record.layout, rows });
        const changes = [...planLocalTls(rows, null, owner), ...plan.changes, ...valuesBefore(rowsBefore)];
        await carryOut(database, { ...plan, changes }, rows);
        await removeVteps();
      } else if (database.name === 'OVN_Southbound') {
        const rows = await readRows(database, overlayTables.OVN_Southbound);
        await carryOut(database, planCentral({ owner, connections: [], tls: null, rows }), rows);
        await removeChassis(database, record.node.systemId);
      } else {
        await removeWorkload(record, database);
        const rows = await readRows(database, overlayTables.OVN_Northbound);
        const names = (record.members ?? []).map(({ name }) => name);
        await carryOut(database, planMembers(record, [], names, rows), rows);
      }
    }
  });
}

/** Removes the rows of pods, services and policies. The daemon that writes them has been stopped before. */
async function removeWorkload({ layout }: OverlayRecord, northbound: RowDatabase): Promise<void> {
  const rows = await readRows(northbound, workloadTables);
  const existing = indexRows(rows);
  const exposure = { nodePorts: [], externalRanges: [], fixedRanges: [] };
  const facts = { layout, nodes: [], exposure, workload: emptyWorkload(), addresses: new Map() };
  await carryOut(northbound, planWorkload(facts, existing, rows.shape, existing.objectKeys()), rows);
}

/** Returns the changes that restore the values which a plan has replaced in the Open_vSwitch row. */
function valuesBefore(before: Pick<PlannedDatabase, 'plan' | 'rows'> | undefined): RowChange[] {
  const [row] = before?.rows.tables.Open_vSwitch ?? [];
  if (before === undefined || row === undefined) return [];
  const columns = before.plan.changes.flatMap((change) => lostKeys(change, row));
  if (columns.length === 0) return [];
  return [
    {
      do: 'update',
      table: 'Open_vSwitch',
      title: 'Open_vSwitch',
      uuid: row._uuid,
      columns,
      why: 'the values before this run are restored',
    },
  ];
}

/** Returns the changes that restore the values which a row change has replaced, and remove the keys that it added. */
function lostKeys(change: RowChange, row: DatabaseRow): ColumnChange[] {
  if (change.do !== 'update' || change.uuid !== row._uuid) return [];
  return change.columns.flatMap((one): ColumnChange[] => {
    if (!('put' in one)) return [];
    const there = mapOf(row, one.column);
    const keys = Object.keys(one.put);
    const before = keys.flatMap((key) => (there[key] === undefined ? [] : [[key, there[key]] as const]));
    const fresh = keys.filter((key) => there[key] === undefined);
    return [
      ...(fresh.length === 0 ? [] : [{ column: one.column, drop: fresh }]),
      ...(before.length === 0 ? [] : [{ column: one.column, put: Object.fromEntries(before) }]),
    ];
  });
}
