// Central OVN in a temporary folder: the databases on unix sockets, and ovn-northd on request; nothing listens on the
// network.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { connect, type OvsdbClient } from '../../agent/drivers/ovsdb/index.ts';
import type { NorthboundFacts, OverlayPlan } from '../../agent/model/overlay.ts';
import type { DatabaseRows } from '../../agent/model/rows.ts';
import { planNorthbound } from '../../agent/overlay/plan-northbound.ts';
import { overlayTables } from '../../agent/overlay/rows/overlay-tables.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import { decodedRow, shapeOfSchema } from '../../agent/overlay/rows/wire.ts';
import { mortal } from '../cluster/mortal.ts';
import { factsOf } from '../unit/overlay/cluster.ts';
import { childrenIn } from './children.ts';
import type { Release } from './releases.ts';

/** Time limit of each connection and wait, far beyond the need of a busy machine. */
const limitMs = 60_000;

type Database = 'nb' | 'sb';

export interface Central {
  readonly folder: string;
  readonly client: OvsdbClient;
  /** Runs a program of OVN with the sockets of the databases; returns its output. */
  run(program: 'ovn-nbctl' | 'ovn-sbctl' | 'ovn-trace', ...words: readonly string[]): string;
  read(): Promise<DatabaseRows>;
  /** Plans from the existing rows, and carries out the changes. */
  apply(special: Partial<NorthboundFacts>): Promise<OverlayPlan>;
}

/**
 * Starts the requested programs of a release of OVN; they end with the test. The database server is this machine's;
 * `ofSouthbound` are further options of the southbound one.
 */
export async function startCentral(
  t: Test,
  withNorthd: boolean,
  release: Release,
  ofSouthbound: readonly string[] = [],
): Promise<Central> {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
  const children = childrenIn(folder, t);
  const socketOf = (database: Database): string => join(folder, `${database}.sock`);
  const commandOf = await release.prepare(folder, children);
  const start = (program: readonly string[], words: readonly string[]): void => {
    const [first, ...rest] = mortal([...program, ...words, '-vconsole:emer', '-vsyslog:off']);
    children.push(spawn(first, rest, { stdio: 'ignore', cwd: folder }));
  };
  for (const database of ['nb', 'sb'] as const) {
    const file = join(folder, `${database}.db`);
    execFileSync('ovsdb-tool', ['create', file, join(release.schemas, `ovn-${database}.ovsschema`)]);
    const control = `--unixctl=${join(folder, `${database}.ctl`)}`;
    const more = database === 'sb' ? ofSouthbound : [];
    start(['ovsdb-server'], [`--remote=punix:${socketOf(database)}`, control, '--no-chdir', ...more, file]);
  }
  const client = await reach(socketOf('nb'));
  t.teardown(() => client.close());
  (await reach(socketOf('sb'))).close();
  const remotes = [`--ovnnb-db=unix:${socketOf('nb')}`, `--ovnsb-db=unix:${socketOf('sb')}`];
  if (withNorthd) start(commandOf('ovn-northd'), [...remotes, `--unixctl=${join(folder, 'northd.ctl')}`]);

  const environment = {
    ...process.env,
    OVN_NB_DB: `unix:${socketOf('nb')}`,
    OVN_SB_DB: `unix:${socketOf('sb')}`,
    OVN_RUNDIR: folder,
  };
  const read = (): Promise<DatabaseRows> => readRows(client);
  return {
    folder,
    client,
    read,
    run: (program, ...words) => {
      const [first = '', ...before] = commandOf(program);
      const done = spawnSync(first, [...before, ...words], {
        encoding: 'utf8',
        env: environment,
        timeout: limitMs,
      });
      if (done.status !== 0) throw new Error(`${program} ${words.join(' ')}: ${done.stderr}`);
      return done.stdout;
    },
    apply: async (special) => {
      const rows = await read();
      const plan = planNorthbound(factsOf(rows, special));
      const operations = operationsOf(plan, rows.shape);
      if (operations.length > 0) await client.transact('OVN_Northbound', operations);
      return plan;
    },
  };
}

/** Returns all tables that the planner needs, or the named tables. */
export async function readRows(
  client: OvsdbClient,
  database: keyof typeof overlayTables = 'OVN_Northbound',
  asked: readonly string[] = overlayTables[database],
): Promise<DatabaseRows> {
  const shape = shapeOfSchema((await client.call('get_schema', [database])) as never, asked);
  const names = Object.keys(shape);
  const results = await client.transact(
    database,
    names.map((table) => ({ op: 'select', table, where: [], columns: ['_uuid', ...Object.keys(shape[table] ?? {})] })),
  );
  const tables = names.map((table, index) => [
    table,
    (results[index] ?? []).map((row) => decodedRow(row as never, shape[table] ?? {})),
  ]);
  return { database, shape, tables: Object.fromEntries(tables) };
}

/** Connects to a server, and repeats the attempt while the server does not listen yet. */
async function reach(socket: string): Promise<OvsdbClient> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      return await connect(socket, limitMs);
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(20);
    }
  }
}

/** Writes the row that OVN learns when the LAN's router answers the ARP request of a gateway. */
export function learnRouter(central: Central, node: string, address: string, mac: string): void {
  const find = ['--bare', '--columns=_uuid', 'find', 'Datapath_Binding', `external_ids:name=GR_${node}`];
  const datapath = central.run('ovn-sbctl', ...find).trim();
  const binding = [`logical_port=rtoe-GR_${node}`, `ip="${address}"`, `mac="${mac}"`, `datapath=${datapath}`];
  central.run('ovn-sbctl', 'create', 'MAC_Binding', ...binding);
}
