import { loadedConfig } from '../../config/effective.ts';
import { readTuning } from '../../drivers/host/process/daemons.ts';
import { asAgentError } from '../../errors.ts';
import { askFirewall, askNetworkManager, askOvsdb, askVswitchd } from '../../facts/ask-services.ts';
import { readDaemonSets } from '../../facts/daemon-sets.ts';
import { readFiles } from '../../facts/file-facts.ts';
import { readNetwork } from '../../facts/network-facts.ts';
import { readPacketFilter } from '../../facts/packet-filter.ts';
import { readSystem } from '../../facts/system.ts';
import { readUnits } from '../../facts/unit-facts.ts';
import type { Answer, Examination } from '../../model/examination.ts';
import { readJournalFacts } from './journal-facts.ts';
import { readOverlayFacts } from './overlay-facts.ts';

/**
 * Time limit for each source of facts, such as NetworkManager or ovsdb-server. A working source answers within 10 s
 * even on a machine that swaps. Because of the limit, `doctor` reports the facts of all other sources if one source
 * hangs.
 */
const answerMs = 10_000;

/**
 * Collects all facts that `doctor` checks from their sources, in parallel. A source that fails, or does not answer
 * within its time limit, is reported as a failure. The function only reads, and starts no service.
 */
export async function examine(): Promise<Examination> {
  return allOf<Examination>({
    system: answerOf('the system', readSystem),
    network: answerOf('the kernel', readNetwork),
    networkManager: answerOf('NetworkManager', askNetworkManager),
    ovs: answerOf('ovsdb-server', askOvsdb),
    vswitchd: answerOf('ovs-vswitchd', askVswitchd),
    tuning: answerOf('the kernel', () => readTuning()),
    config: answerOf('the configuration', examinedConfig),
    units: answerOf('systemd', readUnits),
    firewall: answerOf('firewalld', askFirewall),
    packetFilter: answerOf('the packet filter', readPacketFilter),
    files: answerOf('the file system', () => readFiles(readJournalFacts())),
    daemonSets: answerOf('the cluster', readDaemonSets),
    overlay: answerOf('the overlay', () => readOverlayFacts()),
  });
}

async function examinedConfig(): Promise<NonNullable<Examination['config']['value']>> {
  const { clusterProblems, ...loaded } = await loadedConfig();
  const problems = clusterProblems.map(({ message, hint }) => ({ message, hint: hint ?? null }));
  return { ...loaded, ...(problems.length > 0 && { clusterProblems: problems }) };
}

async function allOf<T>(parts: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const entries = Object.entries<Promise<unknown>>(parts).map(async ([name, part]) => [name, await part]);
  return Object.fromEntries(await Promise.all(entries)) as T;
}

/** Returns the facts from one source, or its failure, after at most 10 s. Never rejects. */
async function answerOf<T>(who: string, ask: () => T | Promise<T>): Promise<Answer<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer<T>>((resolve) => {
    timer = setTimeout(() => {
      const message = `${who} did not answer within ${answerMs / 1000} s`;
      resolve({ value: null, failure: { kind: 'deadline-exceeded', message, hint: null } });
    }, answerMs);
  });
  const answer = (async (): Promise<Answer<T>> => {
    try {
      return { value: await ask(), failure: null };
    } catch (error) {
      const { kind, message, hint } = asAgentError(error);
      return { value: null, failure: { kind, message, hint: hint ?? null } };
    }
  })();
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
