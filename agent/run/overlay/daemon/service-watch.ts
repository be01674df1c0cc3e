import { followTables, type RowChange, type TableContents } from '../../../drivers/ovn/followed-tables.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRow, DatabaseRows } from '../../../model/rows.ts';
import { gatewayNames } from '../../../overlay/overlay-names.ts';
import { mapOf } from '../../../overlay/rows/row-index.ts';
import { decodedRow, shapeOfSchema } from '../../../overlay/rows/wire.ts';
import { announcedBy } from '../../../overlay/services/announced-here.ts';
import { type BalancerChange, createDatagramServers } from '../../../overlay/services/datagram-services.ts';
import { serviceColumns } from '../../../overlay/services/inbound-services.ts';
import { withheldAddresses } from '../../../overlay/services/withheld-answers.ts';
import { createEventBatch } from '../loop/event-batch.ts';
import { inboundIn } from '../node/inbound-flows.ts';
import { southboundRemote } from '../node/southbound.ts';
import { differFromStored } from '../node/stored-inbound.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { createLostConnections, onBridge } from './lost-connections.ts';

/**
 * Southbound columns with the services, the data that the central node publishes, and its requests to the chassis
 * (nb_cfg). The ovn-controller of another node writes to these columns only when it registers or changes its chassis.
 */
const tables = Object.fromEntries(
  Object.entries({ ...serviceColumns, SB_Global: ['external_ids', 'nb_cfg'] }).map(([table, columns]) => [
    table,
    { columns },
  ]),
);

/** Outside addresses of services on the LAN of this node's gateway. */
export interface Answered {
  /** Addresses for which this node's gateway answers. */
  readonly announced: readonly string[];
  /** Addresses for which other gateways and nodes answer. */
  readonly elsewhere: readonly string[];
}

/**
 * Returns the monitor requests for two rows of this node: the port of its gateway, and the row in which its chassis
 * reports nb_cfg (Chassis_Private).
 */
function ownRows({ name, systemId }: OverlayRecord['node']) {
  const port = [['logical_port', '==', gatewayNames(name).onSwitch]] as const;
  return {
    Port_Binding: { columns: ['logical_port', 'external_ids'], where: port },
    Chassis_Private: { columns: ['name', 'nb_cfg'], where: [['name', '==', systemId]] },
  } as const;
}

/**
 * Follows the services and peers in the southbound database until the returned function is called. Calls `onNews` when
 * the peers or the inbound services of this node differ from those that its flows serve; most changes of endpoints do
 * not concern a given node. Calls `onPublished` with SB_Global.external_ids after they have changed. Calls `onAnswered`
 * with the addresses on the LAN for which this node's gateway answers, and those for which other gateways and nodes
 * answer. Deletes, in the data path, the tracked UDP connections of servers that no longer serve.
 */
export function followServices(
  record: OverlayRecord,
  places: OverlayPlaces,
  onNews: () => void,
  onPublished: (ids: Readonly<Record<string, string>>) => void = () => undefined,
  onAnswered: (addresses: Answered) => void = () => undefined,
): () => void {
  const southbound = southboundRemote(record, places);
  if (southbound === null) return () => undefined;
  const followed = { ...tables, ...ownRows(record.node) };
  const servers = createDatagramServers();
  const connections = createLostConnections({ isServing: servers.isServing, ...onBridge(places.ovsRun) });
  let contents: TableContents | undefined;
  let published = '';
  const news = createEventBatch(() => {
    if (contents === undefined) return;
    const rows = rowsOf(contents, Object.keys(followed));
    const ids = mapOf(rows.tables.SB_Global?.[0] ?? null, 'external_ids');
    if (JSON.stringify(ids) !== published) onPublished(ids);
    published = JSON.stringify(ids);
    onAnswered({
      announced: announcedBy(rows.tables.Port_Binding ?? []),
      elsewhere: withheldAddresses(record.layout, record.node, rows),
    });
    if (differFromStored(inboundIn(record, rows), places)) onNews();
  });
  let isFirst = true;
  const stop = followTables({ database: 'OVN_Southbound', ...southbound, tables: followed }, (now, changes) => {
    contents = now;
    // Each transaction is examined by itself, because a server may start and stop serving within the pause before
    // the call of `onNews`.
    const lost = servers.change(balancerChanges(now, changes, isFirst));
    if (lost.length > 0) connections.lose(lost, dueAfter(now, changes));
    for (const { table, now: answer } of changes)
      if (table === 'Chassis_Private' && answer !== undefined) connections.reported(Number(answer.nb_cfg));
    if (isFirst || changes.some(isNews)) news.ask();
    isFirst = false;
  });
  return () => {
    news.close();
    connections.close();
    stop();
  };
}

/** Returns the changes that concern Load_Balancer rows. With `isFirst`, returns every such row as new. */
function balancerChanges(
  contents: TableContents,
  changes: readonly RowChange[],
  isFirst: boolean,
): readonly BalancerChange[] {
  if (isFirst)
    return (rowsOf(contents, ['Load_Balancer']).tables.Load_Balancer ?? []).map((now) => ({ old: null, now }));
  const changed = changes.filter(({ table }) => table === 'Load_Balancer');
  if (changed.length === 0) return [];
  const shape = shapeOfSchema(contents.schema as never, ['Load_Balancer']).Load_Balancer ?? {};
  const decoded = (row: RowChange['now']): DatabaseRow | null =>
    row === undefined ? null : decodedRow(row as never, shape);
  return changed.map(({ old, now }) => ({ old: decoded(old), now: decoded(now) }));
}

/**
 * Returns the value of nb_cfg that this node's ovn-controller reports after it has applied the changes of one
 * transaction; null if the chassis reports no values. If the transaction also increments nb_cfg, the incremented value
 * is returned. An example is a transaction in which the central node removes servers of UDP services. After any other
 * transaction, the next higher value is returned, because ovn-controller may have reported the present value earlier.
 */
function dueAfter(contents: TableContents, changes: readonly RowChange[]): number | null {
  if ([...contents.rows('Chassis_Private')].length === 0) return null;
  const [global] = contents.rows('SB_Global');
  const asked = Number(global?.nb_cfg ?? 0);
  const isAskedNow = changes.some(({ table, old, now }) => table === 'SB_Global' && old?.nb_cfg !== now?.nb_cfg);
  return isAskedNow ? asked : asked + 1;
}

/**
 * Returns false for a change that concerns no service: a request of the central node to the chassis, or the answer of a
 * chassis.
 */
function isNews({ table, old, now }: RowChange): boolean {
  if (table === 'SB_Global') return old?.external_ids !== now?.external_ids;
  return table !== 'Chassis_Private';
}

function rowsOf({ schema, rows }: TableContents, names: readonly string[]): DatabaseRows {
  const shape = shapeOfSchema(schema as never, names);
  const decoded = names.map((table): readonly [string, readonly DatabaseRow[]] => [
    table,
    Array.from(rows(table), (row) => decodedRow(row as never, shape[table] ?? {})),
  ]);
  return { database: 'OVN_Southbound', shape, tables: Object.fromEntries(decoded) };
}
