import type { DatabaseRow } from '../../model/rows.ts';
import { is } from './column-changes.ts';
import type { DesiredRows } from './desired-rows.ts';

/** Table of the MACs that routers do not resolve (ovn-nb(5), Static_MAC_Binding). */
const bindings = 'Static_MAC_Binding';

/**
 * Plans a fixed MAC for a next hop of a router. The router does not resolve this MAC, because every member may write
 * the table of resolved MACs (MAC_Binding), and could attract the packets.
 */
export function addFixedMac(desired: DesiredRows, port: string, address: string, mac: string, why: string): void {
  if (!desired.hasTable(bindings)) return;
  desired.add({
    table: bindings,
    title: `${port}: ${address}`,
    existing: fixedMacOf(desired, port, address),
    columns: { logical_port: is(port), ip: is(address), mac: is(mac), override_dynamic_mac: is(true) },
    why,
  });
}

/** Plans the deletion of the fixed MAC that a router port has for an address, if it has one. */
export function removeFixedMac(desired: DesiredRows, port: string, address: string): void {
  const row = fixedMacOf(desired, port, address);
  if (row !== null) desired.remove(bindings, row, `${port}: ${address}`, 'no packet has this next hop any more');
}

/** Returns the addresses for which a router port has fixed MACs. */
export function fixedAddresses(desired: DesiredRows, port: string): readonly string[] {
  return desired.existing.all(bindings).flatMap((row) => (row.logical_port === port ? [String(row.ip)] : []));
}

function fixedMacOf(desired: DesiredRows, port: string, address: string): DatabaseRow | null {
  const rows = desired.existing.all(bindings);
  return rows.find((row) => row.logical_port === port && row.ip === address) ?? null;
}
