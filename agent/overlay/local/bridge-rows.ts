import { AgentError } from '../../errors.ts';
import type { LocalFacts } from '../../model/overlay.ts';
import type { DatabaseRow } from '../../model/rows.ts';
import { type DesiredColumn, is } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { mapOf, textOf } from '../rows/row-index.ts';
import { isOwnedBy } from '../rows/tags.ts';

/** Integration bridge of ovn-controller (ovn-controller(8), ovn-bridge). */
export const integrationBridge = 'br-int';

/**
 * Plans a bridge with its internal interface. An existing bridge keeps its interface, and every setting that the plan
 * does not contain.
 */
export function addBridge(
  desired: DesiredRows,
  root: PlannedRow,
  name: string,
  { datapathType }: Pick<LocalFacts, 'datapathType'>,
  columns: Readonly<Record<string, DesiredColumn>>,
): PlannedRow {
  const existing = desired.existing.named('Bridge', name);
  const bridge = desired.add({
    table: 'Bridge',
    title: name,
    existing,
    columns: {
      name: is(name),
      ...columns,
      ...(datapathType !== null && { datapath_type: is(datapathType) }),
    },
    isShared: existing !== null && !isOwnedBy(existing, desired.owner),
    place: { row: root, column: 'bridges' },
    why:
      name === integrationBridge
        ? 'ovn-controller connects pods and nodes over this bridge'
        : 'the gateway has a NIC of its own',
  });
  if (existing === null) addPort(desired, bridge, name, { type: is('internal') });
  else
    for (const port of desired.existing.referred(existing, 'ports', 'Port').filter((row) => row.name === name))
      keepPort(desired, port);
  return bridge;
}

/** Marks a port and its interfaces so that the plan neither changes nor removes them. */
export function keepPort(desired: DesiredRows, port: DatabaseRow): void {
  desired.keep(port);
  for (const row of desired.existing.referred(port, 'interfaces', 'Interface')) desired.keep(row);
}

/** Plans a port and its only interface, which have the same name. Refuses a port that is in another bridge. */
export function addPort(
  desired: DesiredRows,
  bridge: PlannedRow,
  name: string,
  columns: Readonly<Record<string, DesiredColumn>>,
  ofPort: Readonly<Record<string, DesiredColumn>> = {},
): void {
  const existing = desired.existing.named('Port', name);
  const holder = existing === null ? null : desired.existing.parentOf(existing);
  if (holder !== null && textOf(holder.row, 'name') !== bridge.title) {
    throw new AgentError(
      'overlay-conflict',
      `port ${name} is in ${textOf(holder.row, 'name')}, not in ${bridge.title}`,
      { hint: `remove it if it is not needed: ovs-vsctl del-port ${name}` },
    );
  }
  const why = `${name} is a port of ${bridge.title}`;
  const port = desired.add({
    table: 'Port',
    title: name,
    existing,
    columns: { name: is(name), ...ofPort },
    place: { row: bridge, column: 'ports' },
    why,
  });
  desired.add({
    table: 'Interface',
    title: name,
    existing: desired.existing.named('Interface', name),
    columns: { name: is(name), ...columns },
    place: { row: port, column: 'interfaces' },
    why,
  });
}

/**
 * Returns the logical port for which ovn-controller made a patch port between br-int and a gateway's bridge
 * (ovn-controller(8), ovn-bridge-mappings); undefined if `port` is any other port.
 */
export function localnetPortOf(port: DatabaseRow): string | undefined {
  return mapOf(port, 'external_ids')['ovn-localnet-port'];
}

/** Returns true for a patch port that ovn-controller has made between br-int and a gateway's bridge. */
export function isLocalnetPatch(port: DatabaseRow): boolean {
  return localnetPortOf(port) !== undefined;
}
