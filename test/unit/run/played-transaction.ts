// A transaction on a simulated node: every call can be refused or delayed, and all remains are reported.
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Deadline, startDeadline } from '../../../agent/deadline.ts';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import type { OpenVSwitch } from '../../../agent/drivers/openvswitch/ovs-client.ts';
import { AgentError, asAgentError } from '../../../agent/errors.ts';
import type { JournalHeader, JournalRecord } from '../../../agent/model/journal.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Plan, Step } from '../../../agent/model/plan.ts';
import type { TransactionResult } from '../../../agent/model/run-record.ts';
import { readJournals } from '../../../agent/run/journal/journal-files.ts';
import { runTransaction, type TransactionPorts } from '../../../agent/run/transaction.ts';
import { readCase } from '../plan/cases.ts';

export const checkpoint = '/checkpoint/1';
export const transaction = '20260102T030405Z-0001';
/** Time of every simulated transaction. */
export const now = '2026-01-02T03:04:05.000Z';
/** A node without bridges of the agent. */
export const untouched = readCase('static4').observation;

/** Actions of a test while a transaction runs. */
export interface Control {
  readonly deadline: Deadline;
  readonly directory: string;
  /** Reports that NetworkManager has left the bus, or that the bus is lost. */
  readonly vanish: (error: AgentError) => void;
  /** Triggers the next heartbeat; returns the number of active heartbeats. */
  readonly beat: () => number;
}

export interface Played {
  /** Names of steps; each step is one call, `step NAME`. */
  readonly names?: readonly string[];
  readonly plan?: Partial<Plan>;
  readonly confirmTimeoutSeconds?: number;
  /** Function that is called before each call is answered, and that can refuse or delay the call. */
  readonly answer?: (call: string, control: Control) => Promise<void> | void;
  /** Function that is called at every fault point. */
  readonly at?: (point: string, control: Control) => Promise<void> | void;
  /** Function that is called with every line of progress. */
  readonly progress?: (line: string, control: Control) => void;
  /** Returns the error of an incomplete rollback; null if the rollback is complete. */
  readonly restore?: (control: Control) => Promise<AgentError | null>;
  /** Observation before the steps. */
  readonly before?: Observation;
  /** Observation after the steps have run. */
  readonly after?: Observation;
  readonly directory?: string;
  readonly nm?: Partial<NetworkManager>;
  readonly ovs?: Partial<OpenVSwitch>;
}

export interface Ran {
  /** Calls of the transaction, in order. */
  readonly calls: readonly string[];
  readonly points: readonly string[];
  readonly progress: readonly string[];
  /** Checkpoint that each call of the rollback names. */
  readonly restored: readonly (string | null)[];
  readonly result: TransactionResult | null;
  readonly error: AgentError | null;
  readonly journal: JournalRecord | undefined;
  /** Subscriptions and heartbeats that were not ended. */
  readonly leftRunning: number;
}

/** Returns a step that consists of one call of NetworkManager and moves no address. */
export function stepOf(name: string): Step {
  const profile = { id: name, uuid: name, settings: { connection: { id: ['s', name] } } } as const;
  return { do: 'writeProfiles', profiles: [profile], why: `${name} is wanted` };
}

export const refused = (message = 'no'): AgentError => new AgentError('networkmanager-refused', message);
export const stopped = (): AgentError => new AgentError('interrupted', 'stopped by SIGTERM');

/** Resolves when the run is stopped. */
export function untilStopped({ deadline }: Control): Promise<void> {
  return new Promise((resolve) => {
    if (deadline.signal.aborted) resolve();
    else deadline.signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Runs a transaction until it succeeds or fails. */
export async function run(t: Test, played: Played): Promise<Ran> {
  const directory = played.directory ?? join(t.testdir({}), 'tx');
  const deadline = startDeadline(60_000);
  const subscriptions = new Set<object>();
  const vanished = new Set<(error: AgentError) => void>();
  const { hearts, end } = playHearts();
  const control: Control = {
    deadline,
    directory,
    vanish: (error) => {
      for (const listener of vanished) listener(error);
    },
    beat: () => {
      for (const beat of hearts.values()) beat();
      return hearts.size;
    },
  };
  const calls: string[] = [];
  const points: string[] = [];
  const progress: string[] = [];
  const restored: (string | null)[] = [];
  const call = async (what: string): Promise<void> => {
    calls.push(what);
    await played.answer?.(what, control);
  };
  const subscribe = (): (() => void) => {
    const own = {};
    subscriptions.add(own);
    return () => subscriptions.delete(own);
  };
  const ports: TransactionPorts = {
    nm: playNetworkManager(call, subscribe, vanished, played.nm ?? {}),
    ovs: { probeVswitchd: () => call('probe'), ...played.ovs } as OpenVSwitch,
    deadline,
    observe: async () => {
      await call('observe');
      return played.after ?? untouched;
    },
    journalDirectory: directory,
    now: () => new Date(now),
    progress: ({ index, total, step, state }) => {
      const line = `${index + 1}/${total} ${typeof step === 'string' ? step : step.do} ${state}`;
      progress.push(line);
      played.progress?.(line, control);
    },
    faultPoint: async (point) => {
      points.push(point);
      await played.at?.(point, control);
    },
    restore: async (path) => {
      restored.push(path);
      return (await played.restore?.(control)) ?? null;
    },
  };
  let result: TransactionResult | null = null;
  let error: AgentError | null = null;
  try {
    result = await runTransaction(
      ports,
      headerOf(played),
      played.before ?? untouched,
      played.confirmTimeoutSeconds ?? null,
    );
  } catch (cause) {
    error = asAgentError(cause);
  } finally {
    deadline.clear();
    end();
  }
  const leftRunning = subscriptions.size + vanished.size + hearts.size;
  const [journal] = readJournals(directory).records;
  return { calls, points, progress, restored, result, error, journal, leftRunning };
}

/** Checks that the old state was restored once, that no work continues, and that every report says so. */
export function takenBack(t: Test, ran: Ran, path: string | null, what = 'rolled back'): void {
  t.strictSame(ran.restored, [path], `${what}: the old state was restored once`);
  t.match(ran.error?.facts, { transaction, ended: 'rolled-back' }, what);
  t.match(ran.journal, { state: 'rolled-back', stateAt: now, checkpoint: path, detail: ran.error?.message }, what);
  t.equal(ran.leftRunning, 0, what);
}

/** Returns the first line of the journal for these steps, for a node that must not have a bridge afterwards. */
export function headerOf({ names = ['a', 'b'], plan = {} }: Pick<Played, 'names' | 'plan'>): JournalHeader {
  return {
    format: 1,
    id: transaction,
    command: 'apply',
    agentVersion: '0.0.0',
    startedAt: now,
    bootId: 'boot',
    previous: { bridges: [] },
    plan: {
      outcome: 'change',
      choice: null,
      wanted: { bridges: [] },
      carried: [],
      before: [],
      differences: [],
      steps: names.map(stepOf),
      notes: [],
      outage: { expectedMs: 0, why: '' },
      ...plan,
    },
  };
}

/** Simulates NetworkManager. Refuses a call that is not simulated, as NetworkManager refuses an unknown call. */
function playNetworkManager(
  call: (what: string) => Promise<void>,
  subscribe: () => () => void,
  vanished: Set<(error: AgentError) => void>,
  own: Partial<NetworkManager>,
): NetworkManager {
  const played: Partial<NetworkManager> = {
    request: async (_what, { member, body = [] }) => {
      const isPush = member === 'CheckpointAdjustRollbackTimeout';
      await call(isPush ? `${member} ${body[1]}` : member);
      if (!member.startsWith('Checkpoint')) throw refused();
      return member === 'CheckpointCreate' ? [checkpoint] : [];
    },
    findProfile: async () => null,
    addProfile: async (settings) => {
      await call(`step ${settings.connection?.id?.[1]}`);
      return '/profile';
    },
    onSignal: subscribe,
    onVanished: (listener) => {
      vanished.add(listener);
      return () => vanished.delete(listener);
    },
    ...own,
  };
  const refuse = async (): Promise<never> => {
    throw refused();
  };
  return new Proxy(played as NetworkManager, {
    get: (target, name) => target[name as keyof NetworkManager] ?? refuse,
  });
}

/** Replaces the clock, so that the test triggers the heartbeats; `end` restores the real clock. */
function playHearts(): { readonly hearts: ReadonlyMap<object, () => void>; readonly end: () => void } {
  const hearts = new Map<object, () => void>();
  const { setInterval: start, clearInterval: stop } = globalThis;
  globalThis.setInterval = ((beat: () => void) => {
    const heart = {};
    hearts.set(heart, beat);
    return heart;
  }) as unknown as typeof setInterval;
  globalThis.clearInterval = ((heart: object) => hearts.delete(heart)) as unknown as typeof clearInterval;
  const end = (): void => {
    globalThis.setInterval = start;
    globalThis.clearInterval = stop;
  };
  return { hearts, end };
}
