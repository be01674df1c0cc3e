import { centralSocket } from '../../../drivers/ovn/database.ts';
import { asAgentError } from '../../../errors.ts';
import { readHost } from '../../../facts/overlay.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { gatewaysOf } from '../../../overlay/heartbeat.ts';
import { type Published, publishedFor } from '../../../overlay/renewal.ts';
import { announce } from '../announce.ts';
import { createNodeCni } from '../cni/on-node.ts';
import { withOwnAddress } from '../own-address.ts';
import type { OverlayPlaces } from '../places.ts';
import { planKernel } from '../planned.ts';
import { readRecord, requireRecord } from '../record.ts';
import { createCentralWatcher } from '../watcher/on-central.ts';
import { createAnnouncements } from './announcements.ts';
import { createGathered } from './gathered.ts';
import { keepNode } from './keep.ts';
import { keepOwnCertificate } from './own-certificate.ts';
import { openReport, type Teller } from './report.ts';
import { createRounds } from './rounds.ts';
import { startWatches } from './watches.ts';
import { createWork } from './work.ts';

/** Whoever stops us waits for a write that is under way, which takes milliseconds; one that is not over by then is as one that was killed. */
const stopMs = 400;

/** A certificate of a day is due eight hours before its end. */
const certificateLookMs = 3_600_000;

/**
 * Brings this node to its part in the cluster and keeps it there, by events, until it is told to stop or the node has left. Fails when it cannot follow
 * the kernel; everything else is told once, and tried again.
 */
export async function runDaemon(
  config: Pick<Config, 'overlay' | 'cluster'>,
  places: OverlayPlaces,
  teller: Teller,
  stop: AbortSignal,
): Promise<void> {
  const record = requireRecord(places.record);
  const report = openReport(places, teller);
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const work = createWork(async (scope) => {
    try {
      const kept = await keepNode(scope, config, places, teller.say);
      if (kept === null) {
        end();
        return false;
      }
      if (kept.record.members !== null) rounds.ask(gatewaysOf(kept.members));
      report.refused(kept.refused);
      watcher.know(kept.record, kept.members);
      if (watchedOf(kept.record, places) !== watched) await watch(kept.record);
      await cni.know(kept.record);
      const { members, node } = kept.record;
      if (members === null && (await keepOwnCertificate(places.pki, node.systemId, published, teller.say)))
        work.ask('look');
      announcements.again();
      if (kept.failure !== null) throw kept.failure;
      await report.wanted(kept.record.node.name, scope !== 'look' || kept.changed);
      return kept.changed;
    } catch (thrown) {
      const error = asAgentError(thrown);
      await report.failed(error);
      throw error;
    }
  });
  const rounds = createRounds(places, report.asked, report.noteAsked, () => work.ask('look'));
  const watcher = createCentralWatcher(config, places, teller, report.noteWatcher);
  const cni = createNodeCni(config, places, teller.say);
  const announcements = createAnnouncements((addresses) => announce(addresses, places));
  const kernel = createGathered(() => {
    if (differsInKernel(config, places)) work.ask('look');
  });
  let published: Published | null = null;
  const learn = (ids: Readonly<Record<string, string>>): void => {
    published = publishedFor(record.node.systemId, ids);
    work.ask('look');
  };
  // No event says that a certificate is due.
  const day = setInterval(() => work.ask('look'), certificateLookMs);
  let stopWatches = (): void => undefined;
  let watched = '';
  const watch = async (from: OverlayRecord): Promise<void> => {
    stopWatches();
    watched = watchedOf(from, places);
    stopWatches = await startWatches(from, places, {
      onKernel: kernel.ask,
      onEvent: work.ask,
      onPublished: learn,
      onAnnounced: announcements.know,
      onBroken: end,
    });
  };
  stop.addEventListener('abort', () => end());
  try {
    // Followed before it is looked at: nothing that happens meanwhile is missed.
    await watch(record);
    work.ask('boot');
    await ended;
  } finally {
    stopWatches();
    clearInterval(day);
    for (const one of [kernel, rounds, announcements, cni]) one.close();
    await within(stopMs, Promise.all([work.close(), watcher.close()]));
  }
}

/** What the watches depend on; another text: they are to be set up anew. At a boot the central databases come after us. */
function watchedOf({ members, node, southbound }: OverlayRecord, { ovnRuns }: OverlayPlaces): string {
  const names = members === null ? [] : (['OVN_Northbound', 'OVN_Southbound'] as const);
  const places = [...node.hostAddresses, ...(node.gateway?.addresses ?? []), ...southbound];
  const sockets = names.map((name) => centralSocket(name, ovnRuns));
  return [node.gateway?.bridge, node.gateway?.mac, ...sockets, ...places].join(' ');
}

/** Most of what happens in the kernel has nothing to do with us: what it shows in its files tells, and no database is asked. */
function differsInKernel(config: Pick<Config, 'overlay' | 'cluster'>, places: OverlayPlaces): boolean {
  const record = readRecord(places.record);
  if (record === null) return true;
  const host = readHost();
  return planKernel(record, host).length > 0 || withOwnAddress(record, config, host) !== record;
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
