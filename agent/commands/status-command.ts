import { driftOf } from '../compare/drift.ts';
import { differenceLine } from '../compare/in-words.ts';
import { missingFromBridge } from '../compare/manual-bridge.ts';
import { pendingChange, presentRecord } from '../compare/pending-change.ts';
import { loadedConfig, unknownWarning } from '../config/effective.ts';
import { asAgentError } from '../errors.ts';
import type { ConfigWarning } from '../model/config.ts';
import { journalDirectory } from '../model/journal.ts';
import type { Observation } from '../model/observation.ts';
import { followNode } from '../run/follow-node.ts';
import { readJournals } from '../run/journal/journal-files.ts';
import { type Node, withNode } from '../run/node.ts';
import { readMembership } from '../run/overlay/node/own-port.ts';
import { askController } from '../run/overlay/ovn/ovn-daemons.ts';
import { readDaemon, runsStill } from '../run/overlay/record/daemon-state.ts';
import { overlayPlaces } from '../run/overlay/record/places.ts';
import { readRecord } from '../run/overlay/record/record.ts';
import { planWithDetails } from '../run/plan-with-details.ts';
import { statusDocument } from '../view/json/status-json.ts';
import { missingText, type OverlayPart, type StatusView, statusText } from '../view/status-view.ts';
import type { Output } from './output.ts';
import { expiryFacts } from './pending.ts';
import { planFor } from './plan-command.ts';
import { requireRoot } from './root.ts';

/** `status`: prints one screen about the node, with the next step if there is a fault. */
export async function status(output: Output): Promise<void> {
  requireRoot('status');
  return withNode(async (node) => {
    const view = await viewOf(node);
    output.result(statusText(view, output.style), statusDocument(view), { observation: view.observation });
  });
}

/**
 * `status --watch`: prints the screen now and after each event that changes it, at most once a second, until SIGINT,
 * SIGTERM or SIGHUP. A terminal is cleared before each screen; JSON is one line per state.
 */
export async function watchStatus(output: Output): Promise<void> {
  requireRoot('status --watch');
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return withNode(async (node) => {
    let last = '';
    const show = async (): Promise<void> => {
      const view = await viewOf(node);
      const text = statusText(view, output.style);
      if (text === last || stop.signal.aborted) return;
      last = text;
      output.state(text, statusDocument(view));
    };
    await show();
    await followNode(node, show, stop.signal);
  });
}

async function viewOf(node: Node): Promise<StatusView> {
  const observation = await node.observe();
  const vswitchd = await node.ovs.probeVswitchd().then(
    () => null,
    (error: unknown) => asAgentError(error).message,
  );
  const { records } = readJournals(journalDirectory);
  const facts = expiryFacts(observation.networkManager.checkpoints);
  const [newest] = records;
  const last = newest === undefined ? null : presentRecord(newest, facts);
  const pending = pendingChange(records, facts);
  const judged = await judge(observation);
  const { overlay, failure } = await readOverlayPart();
  const problem = judged.problem ?? failure;
  return { observation, vswitchd, last, overlay, pending, nowMs: Date.now(), ...judged, problem };
}

/**
 * Reads the facts about this node in its overlay. `overlay` is null if the node is not in an overlay, or if the facts
 * cannot be read. In the second case, `failure` is the reason; otherwise `failure` is null.
 */
async function readOverlayPart(): Promise<{ readonly overlay: OverlayPart | null; readonly failure: string | null }> {
  try {
    const record = readRecord(overlayPlaces.record);
    if (record === null) return { overlay: null, failure: null };
    const daemon = readDaemon(overlayPlaces.daemon);
    const overlay: OverlayPart = {
      node: record.node.name,
      role: record.members === null ? 'member' : 'central',
      membership: await readMembership(record, overlayPlaces),
      // An ovn-controller that does not answer counts as running, because its main loop may be stuck.
      hasController: await askController(overlayPlaces).then(
        (state) => state !== 'absent',
        () => true,
      ),
      isRunning: daemon !== null && runsStill(daemon),
      failure: daemon?.failure?.message ?? null,
    };
    return { overlay, failure: null };
  } catch (error) {
    const { message, hint } = asAgentError(error);
    return { overlay: null, failure: hint === undefined ? message : `${message}; ${hint}` };
  }
}

async function judge(observation: Observation): Promise<Pick<StatusView, 'differences' | 'problem' | 'unknown'>> {
  let unknown: readonly ConfigWarning[] = [];
  try {
    const { config, clusterProblems } = await loadedConfig();
    unknown = clusterProblems.map(unknownWarning);
    if (config.disableOvsInit.value) {
      const lacks = missingFromBridge(observation, config.uplink.value === 'none');
      return { differences: [], problem: lacks.length === 0 ? null : missingText(lacks), unknown };
    }
    const planned = await planWithDetails(observation, (seen) => planFor(config, seen));
    const { differences, faults } = driftOf(planned, observation);
    const [fault] = faults;
    const problem = fault === undefined ? null : `${differenceLine(fault)}; ${fault.remedy}`;
    return { differences, problem, unknown };
  } catch (error) {
    const { message, hint } = asAgentError(error);
    return { differences: [], problem: hint === undefined ? message : `${message}; ${hint}`, unknown };
  }
}
