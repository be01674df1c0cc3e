import {
  insert,
  type Mirror,
  type MirrorRow,
  mapOf,
  mutate,
  namedUuid,
  type Operation,
  openMirror,
  openSession,
  readInteger,
  readString,
  readStringMap,
  readUuids,
  setOf,
  uuid,
  wait,
} from '../ovsdb/index.ts';
import { fromOvsdb } from './ovs-errors.ts';

/** Time limit for an answer of ovsdb-server. It answers in milliseconds; 5 s allow for the compaction of its file. */
const callMs = 5_000;

/** Port of br-int that belongs to a pod, as its Interface row describes it. */
export interface PodPort {
  readonly name: string;
  readonly externalIds: Readonly<Record<string, string>>;
  /** OpenFlow number of the port; null if ovs-vswitchd has not created the port yet, -1 if it could not create it. */
  readonly ofport: number | null;
  readonly error: string | null;
}

export interface NewPort {
  readonly name: string;
  readonly externalIds: Readonly<Record<string, string>>;
}

/**
 * Ports of pods. They are read from a mirror of the database, and changes that are requested at the same time share one
 * transaction. Failures are AgentErrors (`ovsdb-…`).
 */
export interface PodPorts {
  /** False while the contents of the mirror may be out of date. */
  readonly isFresh: boolean;
  /** Returns the type of br-int's data path; null if br-int does not exist. */
  datapath(): 'netdev' | 'system' | null;
  /** Returns the ports with a `sandbox` key in their external_ids. */
  list(): readonly PodPort[];
  find(name: string): PodPort | null;
  /** Adds a port to br-int. A port with the same name or the same `iface-id` is removed in the same transaction. */
  add(port: NewPort): Promise<void>;
  /** Removes ports; ports that do not exist are ignored. */
  remove(names: readonly string[]): Promise<void>;
  onChange(listener: () => void): () => void;
  close(): void;
}

const bridge = 'br-int';

interface Asked {
  readonly add: NewPort | null;
  readonly remove: readonly string[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Follows the ports of this node's br-int, also after restarts of ovsdb-server. Resolves when the mirror has its first
 * contents.
 */
export async function openPodPorts(runDirectory: string, limitMs: number): Promise<PodPorts> {
  const session = openSession({ remotes: `unix:${runDirectory}/db.sock`, database: 'Open_vSwitch', limitMs: callMs });
  const mirror = await openMirror(
    session,
    {
      Bridge: { columns: ['name', 'datapath_type', 'ports'], where: [['name', '==', bridge]], indexes: ['name'] },
      Port: { columns: ['name', 'interfaces'], indexes: ['name'] },
      Interface: { columns: ['name', 'external_ids', 'ofport', 'error'], indexes: ['name'] },
    },
    limitMs,
  ).catch((error: unknown) => {
    session.close();
    throw fromOvsdb('follow the ports of pods', error);
  });
  const waiting: Asked[] = [];
  let isWriting = false;
  const write = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      const failed = await transact(batch);
      if (failed !== null && batch.length > 1) {
        // Any of the requests may have made their common transaction fail, so each request is sent again in a
        // transaction of its own.
        for (const one of batch) settle([one], await transact([one]));
      } else settle(batch, failed);
    }
    isWriting = false;
  };
  const transact = async (batch: readonly Asked[]): Promise<{ readonly error: unknown } | null> => {
    try {
      await session.transact(operationsFor(batch, mirror));
      return null;
    } catch (error) {
      return { error };
    }
  };
  const ask = (add: NewPort | null, remove: readonly string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ add, remove, resolve, reject });
      if (!isWriting) void write();
    });
  return {
    get isFresh() {
      return mirror.isFresh;
    },
    datapath: () => {
      const [row] = mirror.table('Bridge').find('name', bridge);
      if (row === undefined) return null;
      return readString(row.datapath_type) === 'netdev' ? 'netdev' : 'system';
    },
    list: () => [...mirror.table('Interface').rows()].map(portOf).filter(({ externalIds }) => 'sandbox' in externalIds),
    find: (name) => {
      const [row] = mirror.table('Interface').find('name', name);
      return row === undefined ? null : portOf(row);
    },
    add: (port) => ask(port, []),
    remove: (names) => ask(null, names),
    onChange: (listener) => mirror.onChange(() => listener()),
    close: () => {
      mirror.close();
      session.close();
    },
  };
}

function settle(batch: readonly Asked[], failed: { readonly error: unknown } | null): void {
  for (const { add, remove, resolve, reject } of batch) {
    if (failed === null) resolve();
    else reject(fromOvsdb(add === null ? `remove ${remove.join(', ')}` : `add ${add.name}`, failed.error));
  }
}

/**
 * Returns the operations of several requests. If br-int does not exist, a transaction that adds a port fails, and any
 * other transaction changes nothing. ovsdb-server itself removes rows of ports and interfaces to which no row refers
 * (ovs-vswitchd.conf.db(5)).
 */
function operationsFor(batch: readonly Asked[], mirror: Mirror): readonly Operation[] {
  const added = new Map(batch.flatMap(({ add }) => (add === null ? [] : [[add.name, add] as const])));
  const logicalPorts = new Set([...added.values()].flatMap(({ externalIds }) => externalIds['iface-id'] ?? []));
  const gone = new Set([...batch.flatMap(({ remove }) => remove), ...added.keys()]);
  for (const row of mirror.table('Interface').rows()) {
    const id = readStringMap(row.external_ids)['iface-id'];
    if (id !== undefined && logicalPorts.has(id)) gone.add(readString(row.name) ?? '');
  }
  const [holder] = mirror.table('Bridge').find('name', bridge);
  const held = new Set(readUuids(holder?.ports));
  const old = [...gone]
    .flatMap((name) => mirror.table('Port').find('name', name))
    .flatMap((row) => readUuids(row._uuid))
    .filter((id) => held.has(id));
  const where = [['name', '==', bridge]] as const;
  const changes: Operation[] = [];
  if (added.size > 0)
    changes.push(
      wait({ table: 'Bridge', where, columns: ['name'], until: '==', rows: [{ name: bridge }], timeout: 0 }),
    );
  if (old.length > 0) changes.push(mutate('Bridge', where, [['ports', 'delete', setOf(old.map(uuid))]]));
  let place = 0;
  for (const { name, externalIds } of added.values()) {
    place += 1;
    const [port, link] = [`port${place}`, `interface${place}`];
    changes.push(insert('Interface', { name, external_ids: mapOf(externalIds) }, link));
    // The port is marked as transient, so that Open vSwitch deletes it at boot, when the pod no longer runs
    // (ovs-ctl(8), delete-transient-ports).
    const row = { name, interfaces: setOf([namedUuid(link)]), other_config: mapOf({ transient: 'true' }) };
    changes.push(insert('Port', row, port));
    changes.push(mutate('Bridge', where, [['ports', 'insert', setOf([namedUuid(port)])]]));
  }
  return changes;
}

function portOf(row: MirrorRow): PodPort {
  return {
    name: readString(row.name) ?? '',
    externalIds: readStringMap(row.external_ids),
    ofport: readInteger(row.ofport) ?? null,
    error: readString(row.error) ?? null,
  };
}
