import { centralSocket } from '../../../drivers/ovn/database.ts';
import { asAgentError } from '../../../errors.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { gatewaysOf } from '../../../overlay/members/heartbeat.ts';
import { createNodeCni } from '../cni/on-node.ts';
import { type DaemonOutput, openReport } from '../loop/daemon-report.ts';
import { createWork } from '../loop/work.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { requireRecord } from '../record/record.ts';
import { createCentralWatcher } from '../watcher/on-central.ts';
import { createAnswers } from './answers.ts';
import { correctNode } from './correct-node.ts';
import { createDirectProbes } from './direct-probes.ts';
import { createKernelLook } from './kernel-check.ts';
import { keepOwnCertificate } from './own-certificate.ts';
import { createRounds } from './rounds.ts';
import { startWatches } from './watches.ts';

/**
 * Longest time that the ending daemon waits for a write in progress. A write takes milliseconds. A write that takes
 * longer is interrupted by the end of the process, as by SIGKILL.
 */
const stopMs = 400;
/**
 * Longest time that the ending daemon waits for the removal of the flows that withhold answers. The removal takes about
 * 10 ms. Flows that stay would keep this gateway silent for addresses that move to it. The unit has TimeoutStopSec=10.
 */
const releaseMs = 5_000;

/**
 * Interval at which certificates are checked. It is short enough for a certificate that is issued for one day: its
 * validity begins a day before the issue, and its renewal is due when a third is left, 16 hours before it expires.
 */
const certificateLookMs = 3_600_000;

/**
 * Brings this node into the state of its record and corrects it after each event, until `stop` is aborted or the node
 * has left the overlay. Fails if the node is not in an overlay, if another daemon runs, or if events of the kernel no
 * longer arrive. Reports any other failure once and tries again.
 */
export async function runDaemon(
  config: Pick<Config, 'overlay' | 'cluster'>,
  places: OverlayPlaces,
  output: DaemonOutput,
  stop: AbortSignal,
): Promise<void> {
  const record = requireRecord(places.record);
  const report = openReport(places, output);
  const { end, ended } = endOf(stop);
  const work = createWork(async (scope) => {
    try {
      kernel.note();
      const kept = await correctNode(scope, config, now, output.say);
      if (kept === null) {
        end();
        return 'nothing';
      }
      if (kept.record.members !== null) rounds.ask(gatewaysOf(kept.members));
      report.refused(kept.refused);
      kernel.know(kept.devices);
      watcher.know(kept.record, kept.members);
      if (watchedOf(kept.record, places) !== watched) await watch(kept.record);
      await cni.know(kept.record, kept.podMtuBytes);
      probes.know(kept.record);
      if (await hasNewCertificate(kept.record, now, output.say)) work.ask('look');
      answers.again();
      if (kept.failure !== null) throw kept.failure;
      await report.wanted(kept.record.node.name, scope !== 'look' || kept.outcome !== 'nothing');
      return kept.outcome;
    } catch (thrown) {
      const error = asAgentError(thrown);
      await report.failed(error);
      throw error;
    }
  });
  const rounds = createRounds(places, report.asked, report.noteAsked, () => work.ask('look'));
  const watcher = createCentralWatcher(config, places, output, report.noteWatcher);
  const cni = createNodeCni(config, places, output.say);
  const answers = createAnswers(places);
  const kernel = createKernelLook(config, places, () => work.ask('look'));
  const probes = createDirectProbes(places, () => work.ask('look'));
  let published: Readonly<Record<string, string>> | null = null;
  const now: OverlayPlaces = { ...places, published: () => published, heard: probes.heard };
  const learn = (ids: Readonly<Record<string, string>>): void => {
    published = ids;
    // The central node need not react to the data in SB_Global.external_ids, because it publishes them itself.
    if (record.members === null) work.ask('look');
  };
  // Certificates are checked at intervals, because no event reports that a renewal is due.
  const day = setInterval(() => work.ask('look'), certificateLookMs);
  let [stopWatches, watched] = [(): void => undefined, ''];
  const watch = async (from: OverlayRecord): Promise<void> => {
    stopWatches();
    watched = watchedOf(from, places);
    stopWatches = await startWatches(from, places, {
      onKernel: kernel.ask,
      onEvent: work.ask,
      onPublished: learn,
      onAnswered: answers.know,
      onBroken: end,
    });
  };
  try {
    // The watches start before the node is first examined, so that no event is missed.
    await watch(record);
    work.ask('boot');
    await ended;
  } finally {
    stopWatches();
    clearInterval(day);
    for (const one of [kernel, rounds, cni, probes]) one.close();
    await finish(Promise.all([work.close(), watcher.close()]), answers.close());
  }
}

/**
 * Returns a promise, and a function that settles it. Without an argument, the function fulfills the promise, as an
 * abort of `stop` does. With an error, the function rejects the promise.
 */
function endOf(stop: AbortSignal): { readonly ended: Promise<void>; end(error?: Error): void } {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  stop.addEventListener('abort', () => end());
  return { ended, end };
}

/**
 * Returns the parts of the record on which the watches depend, and the sockets of the central databases, as text for a
 * comparison. A different text means that the watches have to be set up again. The text includes the sockets because,
 * at boot, the central databases start after this daemon.
 */
function watchedOf({ members, node, southbound }: OverlayRecord, { ovnRuns }: OverlayPlaces): string {
  const names = members === null ? [] : (['OVN_Northbound', 'OVN_Southbound'] as const);
  const places = [...node.hostAddresses, ...(node.gateway?.addresses ?? []), ...southbound];
  const sockets = names.map((name) => centralSocket(name, ovnRuns));
  return [node.gateway?.bridge, node.gateway?.mac, ...sockets, ...places].join(' ');
}

/** Waits for the writes in progress, and for the removal of the flows that withhold answers, each up to its limit. */
async function finish(writes: Promise<unknown>, removal: Promise<void>): Promise<void> {
  await Promise.all([within(stopMs, writes), within(releaseMs, removal)]);
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Maintains the certificate of a member; the central node renews its own. Returns true if a step was done. */
async function hasNewCertificate(
  { members, node: { systemId } }: OverlayRecord,
  { pki, published }: OverlayPlaces,
  say: (step: string) => void,
): Promise<boolean> {
  return members === null && keepOwnCertificate(pki, systemId, published?.() ?? null, say);
}
