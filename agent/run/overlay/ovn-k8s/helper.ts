import { followChanges } from '../../../drivers/ovn/changes.ts';
import { openSwitchDatabase, type RowDatabase } from '../../../drivers/ovn/database.ts';
import { type AgentError, asAgentError } from '../../../errors.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type { SharedBridgeChange } from '../../../model/shared-bridge.ts';
import { shapeOfSchema } from '../../../overlay/rows/wire.ts';
import { serviceTables } from '../../../overlay/services/inbound-services.ts';
import { withLockWhenFree } from '../../lock.ts';
import { startWatches } from '../daemon/watches.ts';
import type { Outcome } from '../loop/pace.ts';
import { createWork } from '../loop/work.ts';
import { applySharedFlows, compareSharedFlows } from '../node/shared-flows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { credentialsOf } from './ovn-credentials.ts';
import { readSharedBridge, type SharedBridge } from './shared.ts';

/**
 * Command that the name of the lock file contains. Other commands that wait for the lock name this command in a
 * message.
 */
const command = 'ovn-k8s-gateway-helper';

/** Functions to which ovn-k8s-gateway-helper reports. */
export interface HelperOutput {
  /** Function that is called once, when the shared-bridge flows are installed for the first time. */
  ready(changes: readonly SharedBridgeChange[]): void;
  say(line: string): void;
  /** Reports a failure. Is called only if the failure differs from the previous one. */
  fail(error: AgentError): void;
}

/** Installs the shared-bridge flows for the services that exist now. */
export async function makeShared(
  bridge: string,
  nic: string,
  places: OverlayPlaces,
  say: (line: string) => void,
): Promise<{ readonly shared: SharedBridge; readonly changes: readonly SharedBridgeChange[] }> {
  const local = await openSwitchDatabase(places.ovsRun);
  try {
    const shared = await readSharedBridge(bridge, nic, places, local);
    return { shared, changes: await applyDifference(shared, places, local, say) };
  } finally {
    local.close();
  }
}

/**
 * Installs the flows of a bridge that this node shares with its gateway, and maintains them until `stop` is aborted.
 * Installs them again after a restart of ovs-vswitchd and after the NIC was added to the bridge again, and changes them
 * with the services. Keeps the last flows while the central node does not answer. Fails if the first installation
 * fails, or if events of the kernel no longer arrive. Reports any other failure and tries again.
 */
export async function keepShared(
  bridge: string,
  nic: string,
  places: OverlayPlaces,
  { ready, say, fail }: HelperOutput,
  stop: AbortSignal,
): Promise<void> {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  stop.addEventListener('abort', () => end());
  const first = await makeShared(bridge, nic, places, say);
  let { shared } = first;
  let reported = '';
  const again = async (): Promise<Outcome> => {
    const local = await openSwitchDatabase(places.ovsRun);
    try {
      const before = await applyDifference(shared, places, local, say);
      shared = await readSharedBridge(bridge, nic, places, local);
      const news = await applyDifference(shared, places, local, say);
      if (before.length > 0) return 'corrected';
      return news.length > 0 ? 'followed' : 'nothing';
    } finally {
      local.close();
    }
  };
  const work = createWork(async () => {
    try {
      const outcome = await again();
      if (reported !== '') say('in the desired state again');
      reported = '';
      return outcome;
    } catch (thrown) {
      const error = asAgentError(thrown);
      if (reported !== error.message) fail(error);
      reported = error.message;
      throw error;
    }
  });
  const watches = {
    onKernel: () => undefined,
    onPublished: () => undefined,
    onAnswered: () => undefined,
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

/** Corrects the shared-bridge flows that differ. Takes the agent's lock only if there is a difference. */
async function applyDifference(
  { record, services }: SharedBridge,
  places: OverlayPlaces,
  local: RowDatabase,
  say: (line: string) => void,
): Promise<readonly SharedBridgeChange[]> {
  const { changes } = await compareSharedFlows(record, places, local, { services });
  if (changes.length === 0) return [];
  return withLockWhenFree(command, () => applySharedFlows(record, places, local, { services }, say));
}

/**
 * Follows the services in the southbound database, at the remote that the administrator has configured in Open vSwitch.
 */
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
