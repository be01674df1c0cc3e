import { followTables, type TableContents } from '../../../drivers/ovn/followed-tables.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRow, DatabaseRows } from '../../../model/rows.ts';
import { gatewayNames } from '../../../overlay/overlay-names.ts';
import { mapOf } from '../../../overlay/rows/row-index.ts';
import { decodedRow, shapeOfSchema } from '../../../overlay/rows/wire.ts';
import { announcedBy } from '../../../overlay/services/announced-here.ts';
import { datagramServices } from '../../../overlay/services/datagram-services.ts';
import { withheldAddresses } from '../../../overlay/services/withheld-answers.ts';
import { createEventBatch } from '../loop/event-batch.ts';
import { differFromStored, servicesIn } from '../node/inbound-flows.ts';
import { southboundRemote } from '../node/southbound.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { createLostConnections, forgetOnBridge } from './lost-connections.ts';

/**
 * Southbound columns from which the services are derived. ovn-controller of other nodes does not write to them in
 * normal operation, so the watch is seldom notified.
 */
const tables = {
  Load_Balancer: { columns: ['name', 'vips', 'protocol', 'lr_datapath_group'] },
  Logical_DP_Group: { columns: ['datapaths'] },
  Datapath_Binding: { columns: ['external_ids'] },
  Chassis: { columns: ['name', 'encaps'] },
  Encap: { columns: ['ip'] },
  SB_Global: { columns: ['external_ids'] },
} as const;

/** Outside addresses of services on the LAN of this node's gateway. */
export interface Answered {
  /** Addresses for which this node's gateway answers. */
  readonly announced: readonly string[];
  /** Addresses for which other gateways and nodes answer. */
  readonly elsewhere: readonly string[];
}

/** Returns the monitor request for the Port_Binding row of this node's gateway. */
function ownPort(node: string) {
  const where = [['logical_port', '==', gatewayNames(node).onSwitch]] as const;
  return { Port_Binding: { columns: ['logical_port', 'external_ids'], where } };
}

/**
 * Follows the services in the southbound database until the returned function is called. Calls `onNews` when the
 * inbound services of this node differ from those that its flows serve; most changes of endpoints do not concern a
 * given node. Calls `onPublished` with SB_Global.external_ids after they have changed, and `onAnswered` with the
 * addresses for which this node's gateway, and other gateways and nodes, answer on the LAN. Deletes, in the data path,
 * the tracked UDP connections of servers that no longer serve.
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
  const followed = { ...tables, ...ownPort(record.node.name) };
  const connections = createLostConnections(forgetOnBridge(places.ovsRun));
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
    connections.know(datagramServices(rows.tables.Load_Balancer ?? []));
    if (differFromStored(servicesIn(record, rows), places)) onNews();
  });
  const stop = followTables({ database: 'OVN_Southbound', ...southbound, tables: followed }, (now) => {
    contents = now;
    news.ask();
  });
  return () => {
    news.close();
    connections.close();
    stop();
  };
}

function rowsOf({ schema, rows }: TableContents, names: readonly string[]): DatabaseRows {
  const shape = shapeOfSchema(schema as never, names);
  const decoded = names.map((table): readonly [string, readonly DatabaseRow[]] => [
    table,
    Array.from(rows(table), (row) => decodedRow(row as never, shape[table] ?? {})),
  ]);
  return { database: 'OVN_Southbound', shape, tables: Object.fromEntries(decoded) };
}
