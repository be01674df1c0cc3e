// Writes to a database, counted in its own file: the server appends a record for every transaction.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface Written {
  readonly transactions: number;
  readonly rows: number;
  readonly bytes: number;
}

const none: Written = { transactions: 0, rows: 0, bytes: 0 };

/** Columns in which ovn-northd reports (ovn-nb(5)); contestants write all others. */
const reported: Readonly<Record<string, readonly string[]>> = {
  NB_Global: ['sb_cfg', 'sb_cfg_timestamp', 'hv_cfg', 'hv_cfg_timestamp', 'nb_cfg_timestamp', 'options'],
  Logical_Switch_Port: ['up', 'dynamic_addresses', 'tag'],
  Logical_Router_Port: ['hosting-chassis', 'status'],
};
/** Columns with which the central node checks whether its members answer. */
const heartbeat = 'nb_cfg';

export function endOf(file: string): number {
  const opened = openSync(file, 'r');
  try {
    return fstatSync(opened).size;
  } finally {
    closeSync(opened);
  }
}

/** Returns the writes since an earlier end of the file, without reports of ovn-northd and without heartbeats. */
export function writtenSince(file: string, start: number): Written {
  const opened = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(fstatSync(opened).size - start);
    readSync(opened, buffer, 0, buffer.length, start);
    return recordsOf(buffer).reduce((sum, { record, bytes }) => {
      const rows = wishedRows(record);
      if (rows === 0) return sum;
      return { transactions: sum.transactions + 1, rows: sum.rows + rows, bytes: sum.bytes + bytes };
    }, none);
  } finally {
    closeSync(opened);
  }
}

type Row = Readonly<Record<string, unknown>> | null;
type Record_ = Readonly<Record<string, Readonly<Record<string, Row>>>>;

/** Parses a database file (ovsdb(5)): repeatedly a line "OVSDB JSON <length> <hash>" and a line of that length. */
function recordsOf(text: Buffer): readonly { readonly record: Record_; readonly bytes: number }[] {
  const records: { record: Record_; bytes: number }[] = [];
  for (let at = 0; ; ) {
    const end = text.indexOf('\n', at);
    const header = end < 0 ? null : /^OVSDB (?:JSON|CLUSTER) (\d+) /.exec(text.toString('latin1', at, end));
    if (header === null) return records;
    const bytes = Number(header[1]);
    records.push({ record: JSON.parse(text.toString('utf8', end + 1, end + 1 + bytes)), bytes });
    at = end + 1 + bytes;
  }
}

function wishedRows(record: Record_): number {
  if (String(record._comment ?? '').startsWith('ovn-northd')) return 0;
  return Object.entries(record).reduce((sum, [table, rows]) => {
    if (table.startsWith('_')) return sum;
    return sum + Object.values(rows).filter((row) => isWished(table, row)).length;
  }, 0);
}

function isWished(table: string, row: Row): boolean {
  if (row === null) return true;
  return Object.keys(row).some((column) => column !== heartbeat && !reported[table]?.includes(column));
}
