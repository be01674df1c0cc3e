// Watcher of objects with a real ovsdb-server that has the rows of some nodes.
import type { Test } from 'tap';
import { type Mirror, type MirrorRow, openMirror, openSession } from '../../agent/drivers/ovsdb/index.ts';
import type { OverlayNode } from '../../agent/model/overlay.ts';
import type { WatcherState } from '../../agent/model/overlay-daemon.ts';
import type { OverlayPeer } from '../../agent/model/overlay-peer.ts';
import { workloadTables } from '../../agent/overlay/rows/overlay-tables.ts';
import { startWatcher, type Watcher } from '../../agent/run/overlay/watcher/watcher.ts';
import { exposure, modern, nodeOf } from '../unit/overlay/cluster.ts';
import { type Central, startCentral } from './central.ts';
import type { Release } from './releases.ts';
import { createStoredApi, type StoredApi } from './stored-api.ts';

/** Time limit of each connection and wait, far beyond the need of a busy machine. */
const limitMs = 60_000;

export const nodes = [nodeOf(1), nodeOf(2), nodeOf(3)];

export interface WorkloadBed {
  readonly central: Central;
  readonly api: StoredApi;
  /** Starts a watcher, which ends with the test. */
  watch(): Watched;
  /** Returns the present rows of a table, without the column `up`, which ovn-northd writes. */
  rows(table: (typeof workloadTables)[number]): readonly MirrorRow[];
  /** Returns the logical port of a pod of the namespace default. */
  port(pod: string): MirrorRow | undefined;
  /** Waits until a condition is true. */
  until(isSo: () => boolean): Promise<void>;
  /** Returns the number of rows of the largest transaction so far. */
  largest(): number;
  /** Returns the number of transactions that have changed rows of workloads since the previous call. */
  writes(): number;
}

/** Watcher with its last report. */
export interface Watched {
  readonly watcher: Watcher;
  readonly state: () => WatcherState | null;
  /** Resolves when the watcher has reported such a state. */
  reported(isSo: (state: WatcherState) => boolean): Promise<void>;
}

/**
 * Starts a database with the rows of a cluster, whose nodes are `members`, and an API with only a namespace. `peers`
 * are the peers of the cluster.
 */
export async function workloadBed(
  t: Test,
  release: Release,
  members: readonly OverlayNode[] = nodes,
  peers: readonly OverlayPeer[] = [],
): Promise<WorkloadBed> {
  const central = await startCentral(t, false, release);
  await central.apply({ nodes: members, peers });
  const remote = `unix:${central.folder}/nb.sock`;
  const session = openSession({ remotes: remote, database: 'OVN_Northbound', limitMs });
  t.teardown(() => session.close());
  const tables = Object.fromEntries(workloadTables.map((table) => [table, { indexes: ['name'] }]));
  const mirror: Mirror = await openMirror(session, tables, limitMs);
  let written = 0;
  let largest = 0;
  mirror.onChange((changes) => {
    written += 1;
    largest = Math.max(largest, changes.length);
  });
  const api = createStoredApi();
  api.put('namespaces', { metadata: { name: 'default', uid: 'uid-of-default' } });
  return {
    central,
    api,
    watch: () => watched(t, api, remote, members, peers),
    largest: () => largest,
    rows: (table) => [...mirror.table(table).rows()],
    port: (pod) => mirror.table('Logical_Switch_Port').find('name', `default_${pod}`)[0],
    until: async (isSo) => {
      await mirror.until(() => isSo(), limitMs);
    },
    writes: () => {
      const count = written;
      written = 0;
      return count;
    },
  };
}

function watched(
  t: Test,
  api: StoredApi,
  remote: string,
  members: readonly OverlayNode[],
  peers: readonly OverlayPeer[],
): Watched {
  let last: WatcherState | null = null;
  const waiting = new Set<() => void>();
  const watcher = startWatcher({
    api: api.open(),
    remote,
    teller: { say: () => undefined, fail: ({ message }) => t.comment(message) },
    note: (state) => {
      last = state;
      for (const look of [...waiting]) look();
    },
  });
  watcher.know({ layout: modern, nodes: members, exposure, peers });
  t.teardown(() => watcher.close());
  return {
    watcher,
    state: () => last,
    reported: (isSo) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (last === null || !isSo(last)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
