import { type Deferred, deferWithin } from './deferred.ts';
import { OvsdbError } from './errors.ts';
import { isJsonObject, type Json } from './json.ts';
import { decodeRow, type Row } from './values.ts';

/** Read access to the rows a monitor follows. Every row has `_uuid`. Throws TypeError on a table that is not monitored. */
export interface TableView {
  rows(table: string): readonly Row[];
  row(table: string, uuid: string): Row | undefined;
}

/** One row that came (`old` undefined), went (`new` undefined) or changed. */
export interface RowChange {
  readonly table: string;
  readonly uuid: string;
  readonly old: Row | undefined;
  readonly new: Row | undefined;
}

/** All changes of one transaction. The content at the start of a monitor arrives as rows that came. */
export type UpdateListener = (changes: readonly RowChange[]) => void;

export interface WaitOptions {
  readonly timeoutMs: number;
  /** What is waited for, as in "br-ex to get an ofport"; part of the error message. */
  readonly what: string;
}

/** What a predicate returns: anything but these ends the wait. */
export type NotYet = undefined | null | false;

export interface Mirror {
  readonly view: TableView;
  /** Takes the content of a monitor's reply. */
  load(tables: Json): void;
  /** Applies the `<table-updates>` of one update notification (RFC 7047 section 4.1.6). */
  apply(tableUpdates: Json): void;
  /** No update will come any more: rejects all waits, present and future. */
  fail(reason: Error): void;
  waitUntil<T>(find: (view: TableView) => T | NotYet, options: WaitOptions): Promise<T>;
}

interface Waiter {
  test(): void;
  reject(reason: Error): void;
}

/** A local copy of monitored tables, kept by update notifications. Pure but for the timers of its waits. */
export function createMirror(tableNames: readonly string[], onUpdate?: UpdateListener): Mirror {
  const tables = new Map<string, Map<string, Row>>(tableNames.map((name) => [name, new Map()]));
  const waiters = new Set<Waiter>();
  const view = createView(tables);
  let failure: Error | undefined;

  function changed(changes: readonly RowChange[]): void {
    for (const change of changes) store(tables, change);
    if (changes.length > 0) notify(onUpdate, changes);
    for (const waiter of [...waiters]) waiter.test();
  }

  return {
    view,
    load(initial) {
      changed(readUpdates(initial, () => undefined));
    },
    apply(tableUpdates) {
      changed(readUpdates(tableUpdates, (table, uuid) => tables.get(table)?.get(uuid)));
    },
    fail(reason) {
      failure ??= reason;
      for (const waiter of [...waiters]) waiter.reject(failure);
    },
    async waitUntil<T>(find: (tables: TableView) => T | NotYet, options: WaitOptions) {
      if (failure !== undefined) throw failure;
      const deferred = deferWithin<T>(options.timeoutMs, () => waitedInVain(options));
      const waiter = { ...deferred, test: () => testOnce(deferred, () => find(view)) };
      waiters.add(waiter);
      waiter.test();
      return deferred.promise.finally(() => waiters.delete(waiter));
    },
  };
}

function testOnce<T>(deferred: Deferred<T>, find: () => T | NotYet): void {
  try {
    const found = find();
    if (found !== undefined && found !== null && found !== false) deferred.resolve(found);
  } catch (error) {
    deferred.reject(error);
  }
}

// A listener that throws is a defect of its owner: it surfaces as an uncaught exception and does not end the connection.
function notify(onUpdate: UpdateListener | undefined, changes: readonly RowChange[]): void {
  try {
    onUpdate?.(changes);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function createView(tables: ReadonlyMap<string, ReadonlyMap<string, Row>>): TableView {
  function monitored(table: string): ReadonlyMap<string, Row> {
    const rows = tables.get(table);
    if (rows === undefined) throw new TypeError(`table ${table} is not monitored`);
    return rows;
  }
  return { rows: (table) => [...monitored(table).values()], row: (table, uuid) => monitored(table).get(uuid) };
}

function store(tables: ReadonlyMap<string, Map<string, Row>>, change: RowChange): void {
  const rows = tables.get(change.table);
  if (change.new === undefined) rows?.delete(change.uuid);
  else rows?.set(change.uuid, change.new);
}

function readUpdates(updates: Json, known: (table: string, uuid: string) => Row | undefined): readonly RowChange[] {
  return members(updates).flatMap(([table, rows]) =>
    members(rows).map(([uuid, update]) => {
      const old = known(table, uuid);
      const content = isJsonObject(update) ? update.new : undefined;
      // A server need not repeat columns that did not change.
      const next = content === undefined ? undefined : { ...old, ...decodeRow(content), _uuid: { uuid } };
      return { table, uuid, old, new: next };
    }),
  );
}

function members(value: Json): readonly [string, Json][] {
  if (!isJsonObject(value)) throw new OvsdbError('protocol', 'malformed table update');
  return Object.entries(value);
}

function waitedInVain({ what, timeoutMs }: WaitOptions): OvsdbError {
  return new OvsdbError('timeout', `waited ${timeoutMs} ms in vain for ${what}`, { timeoutMs });
}
