import { followChanges } from '../../../drivers/ovn/changes.ts';
import { openSwitchDatabase, type RowDatabase } from '../../../drivers/ovn/database.ts';
import { type AgentError, asAgentError } from '../../../errors.ts';
import type { DemuxChange } from '../../../model/overlay-demux.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { serviceTables } from '../../../overlay/arriving.ts';
import { shapeOfSchema } from '../../../overlay/wire.ts';
import { withLockWhenFree } from '../../lock.ts';
import { startWatches } from '../daemon/watches.ts';
import { createWork } from '../daemon/work.ts';
import { applyDemux, lookAtDemux } from '../demux.ts';
import type { OverlayPlaces } from '../places.ts';
import { credentialsOf } from './credentials.ts';
import { readSharedBridge, type SharedBridge } from './shared.ts';

/** As it is in the lock's file, for who meets us. */
const command = 'ovn-k8s-gateway-helper';

/** Where a helper tells what it does. */
export interface HelperTeller {
  /** The flows are there for the first time. */
  ready(changes: readonly DemuxChange[]): void;
  say(line: string): void;
  /** The same failure is told once. */
  fail(error: AgentError): void;
}

/** Makes the flows of a bridge that a node shares with its gateway, with the services that are there now. */
export async function makeShared(
  bridge: string,
  nic: string,
  places: OverlayPlaces,
  say: (line: string) => void,
): Promise<{ readonly shared: SharedBridge; readonly changes: readonly DemuxChange[] }> {
  const local = await openSwitchDatabase(places.ovsRun);
  try {
    const shared = await readSharedBridge(bridge, nic, places, local);
    return { shared, changes: await applyDifference(shared, places, local, say) };
  } finally {
    local.close();
  }
}

/**
 * The same, and keeps them: they come back after a restart of ovs-vswitchd, after the NIC was put in again, and follow the services, until it is told to
 * stop. While the central node is away they are those of the last time. What fails at first is thrown; what fails later is told, and tried again.
 */
export async function keepShared(
  bridge: string,
  nic: string,
  places: OverlayPlaces,
  { ready, say, fail }: HelperTeller,
  stop: AbortSignal,
): Promise<void> {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  stop.addEventListener('abort', () => end());
  const first = await makeShared(bridge, nic, places, say);
  let { shared } = first;
  let told = '';
  const again = async (): Promise<number> => {
    const local = await openSwitchDatabase(places.ovsRun);
    try {
      const before = await applyDifference(shared, places, local, say);
      shared = await readSharedBridge(bridge, nic, places, local);
      return before.length + (await applyDifference(shared, places, local, say)).length;
    } finally {
      local.close();
    }
  };
  const work = createWork(async () => {
    try {
      const changed = (await again()) > 0;
      if (told !== '') say('as wanted again');
      told = '';
      return changed;
    } catch (thrown) {
      const error = asAgentError(thrown);
      if (told !== error.message) fail(error);
      told = error.message;
      throw error;
    }
  });
  const watches = {
    onKernel: () => undefined,
    onPublished: () => undefined,
    onAnnounced: () => undefined,
    onEvent: work.ask,
    onBroken: end,
  };
  const stopWatches = await startWatches(shared.record, places, watches, followServices);
  ready(first.changes);
  try {
    await ended;
  } finally {
    stopWatches();
    await work.close();
  }
}

/** The lock is taken only when there is something to write. */
async function applyDifference(
  { record, services }: SharedBridge,
  places: OverlayPlaces,
  local: RowDatabase,
  say: (line: string) => void,
): Promise<readonly DemuxChange[]> {
  const { changes } = await lookAtDemux(record, places, local, services);
  if (changes.length === 0) return [];
  return withLockWhenFree(command, () => applyDemux(record, places, local, services, say));
}

/** By the connection that the node's admin has told Open vSwitch. */
function followServices(
  { southbound: remotes }: OverlayRecord,
  _places: OverlayPlaces,
  onChange: () => void,
): () => void {
  const requests = (schema: unknown): Readonly<Record<string, unknown>> => {
    const shape = shapeOfSchema(schema as Parameters<typeof shapeOfSchema>[0], serviceTables.slice(0, 2));
    const tables = Object.entries(shape).map(([table, columns]) => {
      return [table, [{ columns: Object.keys(columns), select: { initial: false } }]];
    });
    return Object.fromEntries(tables);
  };
  const credentials = credentialsOf(remotes, 'southbound', {});
  const followed = { database: 'OVN_Southbound', remote: remotes.join(','), requests };
  return followChanges(credentials === undefined ? followed : { ...followed, credentials }, onChange);
}
