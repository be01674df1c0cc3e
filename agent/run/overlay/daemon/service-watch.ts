import { followTables, type TableContents } from '../../../drivers/ovn/followed-tables.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { DatabaseRow, DatabaseRows } from '../../../model/rows.ts';
import { mapOf } from '../../../overlay/existing.ts';
import { decodedRow, shapeOfSchema } from '../../../overlay/wire.ts';
import { areNews, servicesIn } from '../arriving.ts';
import type { OverlayPlaces } from '../places.ts';
import { southboundRemote } from '../southbound.ts';
import { createGathered } from './gathered.ts';

/** Columns from which services are told, and none in which chassis report. */
const tables = {
  Load_Balancer: ['name', 'vips', 'protocol', 'lr_datapath_group'],
  Logical_DP_Group: ['datapaths'],
  Datapath_Binding: ['external_ids'],
  Chassis: ['name', 'encaps'],
  Encap: ['ip'],
  SB_Global: ['external_ids'],
} as const;

/**
 * Follows the services in the southbound database, and calls back when other ones arrive at this node than its flows are for. Changes that make no
 * difference here, as most changes of endpoints do, are seen to make none. `onPublished` is called with SB_Global.external_ids when they are others.
 * Until the function that it returns is called.
 */
export function followServices(
  record: OverlayRecord,
  places: OverlayPlaces,
  onNews: () => void,
  onPublished: (ids: Readonly<Record<string, string>>) => void = () => undefined,
): () => void {
  const southbound = southboundRemote(record, places);
  if (southbound === null) return () => undefined;
  let contents: TableContents | undefined;
  let published = '';
  const news = createGathered(() => {
    if (contents === undefined) return;
    const rows = rowsOf(contents);
    const ids = mapOf(rows.tables.SB_Global?.[0] ?? null, 'external_ids');
    if (JSON.stringify(ids) !== published) onPublished(ids);
    published = JSON.stringify(ids);
    if (areNews(servicesIn(record, rows), places)) onNews();
  });
  const stop = followTables({ database: 'OVN_Southbound', ...southbound, tables }, (now) => {
    contents = now;
    news.ask();
  });
  return () => {
    news.close();
    stop();
  };
}

function rowsOf({ schema, rows }: TableContents): DatabaseRows {
  const shape = shapeOfSchema(schema as never, Object.keys(tables));
  const decoded = Object.keys(tables).map((table): readonly [string, readonly DatabaseRow[]] => [
    table,
    Array.from(rows(table), (row) => decodedRow(row as never, shape[table] ?? {})),
  ]);
  return { database: 'OVN_Southbound', shape, tables: Object.fromEntries(decoded) };
}
