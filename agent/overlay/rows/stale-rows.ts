import type { DatabaseRow } from '../../model/rows.ts';
import { balancerGroups } from '../overlay-names.ts';
import type { DesiredRows } from './desired-rows.ts';
import { listOf, mapOf, partTables, textOf } from './row-index.ts';
import { isOwnedBy, nodeTag } from './tags.ts';

/**
 * Tables with rows for a node, in the order of their deletion. A table comes before the tables with the parts of its
 * rows: the deletion of a row also deletes its parts, which then need no deletion of their own.
 */
const tables = [
  'Logical_Switch',
  'Logical_Router',
  'Load_Balancer',
  'Logical_Switch_Port',
  'Logical_Router_Port',
  'Logical_Router_Static_Route',
  'Logical_Router_Policy',
  'NAT',
  'ACL',
  'Gateway_Chassis',
  'Address_Set',
] as const;

/**
 * Deletes stale rows. `why` receives the name of a node, or null for the cluster as a whole. It returns the reason to
 * delete the rows, or null if they stay. Rows of other programs stay, and so do switches and routers that have ports of
 * other programs.
 */
export function removeStaleRows(
  desired: DesiredRows,
  owner: string,
  why: (node: string | null) => string | null,
): void {
  const gone = new Set<DatabaseRow>();
  for (const table of tables) {
    for (const row of desired.existing.all(table)) {
      const reason = isOwnedBy(row, owner) && !desired.isPlanned(row) ? why(nodeTag(row, owner)) : null;
      if (reason === null) continue;
      const title = titleOf(table, row);
      const foreign = partTables.has(table) ? null : foreignPart(desired, table, row, owner);
      if (foreign !== null) {
        desired.trace.push(`kept=${title}, for ${foreign}, which another program owns`);
        continue;
      }
      const holder = desired.existing.parentOf(row);
      if (holder !== null && gone.has(holder.row)) continue;
      gone.add(row);
      if (table === 'Address_Set') releaseSet(desired, row);
      desired.remove(table, row, title, reason);
      // The OVSDB transaction fails if another program has added a port to the switch or router since the rows were
      // read, because that port would be deleted as well.
      if ('ports' in row)
        desired.guards.push({ guard: 'unchanged', table, uuid: row._uuid, columns: { ports: row.ports ?? [] } });
    }
  }
  removeBindings(desired, gone);
}

/**
 * Removes an address set from the NAT rows that refer to it. These rows may be deleted in the same transaction, but
 * that is not enough: ovsdb-server first refuses to delete a row to which another row refers, and only then collects
 * unreferenced rows (RFC 7047 section 3.2, strong references).
 */
function releaseSet(desired: DesiredRows, set: DatabaseRow): void {
  const why = 'the address set of this row is removed';
  for (const row of desired.existing.all('NAT')) {
    for (const column of ['allowed_ext_ips', 'exempted_ext_ips']) {
      const before = listOf(row, column);
      if (!before.includes(set._uuid)) continue;
      const columns = [{ column, replace: [], before }];
      desired.changes.push({ do: 'update', table: 'NAT', title: titleOf('NAT', row), uuid: row._uuid, columns, why });
    }
  }
}

/**
 * Deletes each load balancer group of the cluster that no remaining switch or router uses. Groups have no external_ids
 * and are found by name.
 */
export function removeGroups(desired: DesiredRows, why: string): void {
  const users = ['Logical_Switch', 'Logical_Router'].flatMap((table) => desired.existing.all(table));
  const used = users.filter((row) => !desired.isPlanned(row)).flatMap((row) => listOf(row, 'load_balancer_group'));
  for (const name of Object.values(balancerGroups)) {
    const row = desired.existing.named('Load_Balancer_Group', name);
    if (row !== null && !used.includes(row._uuid)) desired.remove('Load_Balancer_Group', row, name, why);
  }
}

/**
 * Returns the name of a port that belongs neither to this product nor to a pod; null if the switch or router has no
 * such port. Ports of pods do not count, because a pod cannot exist without its node.
 */
function foreignPart(desired: DesiredRows, table: string, row: DatabaseRow, owner: string): string | null {
  const held = table === 'Logical_Switch' ? 'Logical_Switch_Port' : 'Logical_Router_Port';
  const parts = desired.existing.referred(row, 'ports', held);
  const foreign = parts.find((part) => !isOwnedBy(part, owner) && mapOf(part, 'external_ids').pod !== 'true');
  return foreign === undefined ? null : textOf(foreign, 'name');
}

/**
 * Deletes the static MAC bindings of deleted ports. A static MAC binding has no external_ids, and belongs to the port
 * that it names.
 */
function removeBindings(desired: DesiredRows, gone: ReadonlySet<DatabaseRow>): void {
  for (const row of desired.existing.all('Static_MAC_Binding')) {
    const port = desired.existing.named('Logical_Router_Port', textOf(row, 'logical_port'));
    const router = port === null ? null : desired.existing.parentOf(port);
    const title = `${textOf(row, 'logical_port')}: ${textOf(row, 'ip')}`;
    if (port !== null && (gone.has(port) || (router !== null && gone.has(router.row))))
      desired.remove('Static_MAC_Binding', row, title, 'the port of this entry is removed');
  }
}

/** Returns a readable name for a row. */
export function titleOf(table: string, row: DatabaseRow): string {
  const name = textOf(row, 'name');
  if (name !== '') return name;
  if (table === 'NAT') return `${textOf(row, 'logical_ip')} as ${textOf(row, 'external_ip')}`;
  if (table === 'Logical_Router_Static_Route') return `${textOf(row, 'ip_prefix')} via ${textOf(row, 'nexthop')}`;
  return textOf(row, 'match') || String(listOf(row, 'target')[0] ?? row._uuid);
}
