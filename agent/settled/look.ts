import { hasOpenJournals, journalDirectory } from '../apply/journal.ts';
import type { ConfigFiles } from '../config/files.ts';
import { readConfigFiles } from '../config/read-files.ts';
import { busAnswersAsRecorded } from '../drivers/dbus/recording.ts';
import { ovsdbAnswersAsRecorded } from '../drivers/openvswitch/recording.ts';
import { hostPorts } from '../host-ports.ts';
import type { ThreadFacts, TuningFacts } from '../model/tuning.ts';
import { type HostFacts, observeHost } from '../observe/observe.ts';
import { readSettled } from './file.ts';

/*
 * Most runs are on a node where nothing has changed since the last one. A plan follows from the answers of NetworkManager and
 * Open vSwitch, the kernel's, and the configuration; when a run found nothing to do, these are kept as they came, and the next run
 * asks the same questions and compares bytes. Nothing is parsed and nothing is planned, which is most of what a run costs.
 */

export const settledPath = '/run/microshift-net/settled';

/** All answers come within some 20 ms; a daemon that is busier is better asked by a full run, which says who does not answer. */
const answerLimitMs = 1_000;

/** True when everything that a plan follows from is as it was when a run of this build found nothing to do. Reads only. */
export async function isStillSettled(agentBuild: string): Promise<boolean> {
  const settled = readSettled(settledPath);
  if (settled?.agent !== agentBuild || hasOpenJournals(journalDirectory)) return false;
  const answers = [
    busAnswersAsRecorded(settled.bus, answerLimitMs),
    ovsdbAnswersAsRecorded(settled.ovsdb, answerLimitMs),
  ];
  const inputs = readInputs();
  return (await Promise.all(answers)).every((same) => same) && inputs === settled.inputs;
}

/** What is not asked of a daemon, as text that differs when any of it differs. */
export function inputsText(files: ConfigFiles, { host, links, routes, resolver, hints, tuning }: HostFacts): string {
  const text = (content: Uint8Array | string | null): string | null =>
    content === null ? null : Buffer.from(content).toString('latin1');
  const config = [files.ovnYaml, files.configYaml].map(text);
  const dropIns = files.configD.map(({ name, bytes }) => [name, text(bytes)]);
  // Who is logged in matters to a transaction, not to whether there is one.
  const machine = { ...host, sshPeer: null };
  // NetworkManager tells these, and its answers are compared as they come.
  const bare = links.map((link) => ({ ...link, permanentMac: null }));
  return JSON.stringify([config, dropIns, machine, bare, routes, resolver, hints, withoutThreads(tuning)]);
}

/**
 * Threads come and go; whether they run where they should is seen from the CPUs that any of them may use. Those of the userspace data
 * path (pmd) have places of their own.
 */
function withoutThreads(tuning: TuningFacts | undefined): unknown {
  const place = ({ name, cpus }: ThreadFacts): string => (name.startsWith('pmd-') ? `pmd ${cpus}` : cpus);
  const daemons = tuning?.daemons.map(({ threads, ...daemon }) => ({
    ...daemon,
    places: [...new Set(threads.map(place))].toSorted(),
  }));
  return { ...tuning, daemons };
}

/** The text now; null: something cannot be read, which a full run reports. */
function readInputs(): string | null {
  try {
    return inputsText(readConfigFiles(), observeHost(hostPorts));
  } catch {
    return null;
  }
}
