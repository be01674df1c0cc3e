// Simulated recovery of interrupted runs: the node is simulated, and the journals are real files.
import { existsSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Deadline, startDeadline } from '../../../agent/deadline.ts';
import { currentBootId } from '../../../agent/drivers/host/kernel/boot-id.ts';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import type { AgentError } from '../../../agent/errors.ts';
import type { JournalHeader, JournalRecord, TransactionState } from '../../../agent/model/journal.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Plan } from '../../../agent/model/plan.ts';
import type { RunRecord } from '../../../agent/model/run-record.ts';
import { type Journal, openJournal, readJournals } from '../../../agent/run/journal/journal-files.ts';
import type { RecordPlaces } from '../../../agent/run/journal/record-run.ts';
import type { Message } from '../../../agent/run/messages.ts';
import type { Node } from '../../../agent/run/node.ts';
import { recoverEarlierRuns } from '../../../agent/run/rollback/recover.ts';
import { planOfCase, readCase } from '../plan/cases.ts';
import { ModelNode } from '../plan/model-node.ts';
import { checkpoint, headerOf, now } from './played-transaction.ts';

const moved = readCase('static4');
const plan = planOfCase(moved);

/** Returns the node after this number of the run's steps. */
function nodeAfter(steps: number): Observation {
  const node = new ModelNode(moved.observation);
  node.run(plan.steps.slice(0, steps));
  return node.observe();
}

export const atOnce = nodeAfter(0);
/** Node after the first step of the run: profiles of the agent exist, and the NIC is not in the bridge yet. */
export const atFirstStep = nodeAfter(1);
export const asWanted = nodeAfter(plan.steps.length);

/** Returns the journal of a run that moves eth0 into br-ex. */
export function journalOf(id: string, bootId = currentBootId(), other: Partial<Plan> = {}): JournalHeader {
  // Minimal state of a node, without the case's addresses.
  const before = [{ interface: 'lo', addresses: ['127.0.0.1/8'] }];
  return { ...headerOf({ plan: { ...plan, before, ...other } }), id, bootId };
}

export interface Death {
  readonly id?: string;
  readonly bootId?: string;
  /** Checkpoint in the journal; null if the run crashed before it recorded the checkpoint. */
  readonly checkpoint?: string | null;
  /** Values of the recorded plan that differ from the plan of the simulated run. */
  readonly plan?: Partial<Plan>;
  /** Writes the journal entries that the run made before its crash. */
  readonly wrote?: (journal: Journal) => void;
}

export interface Leftovers {
  readonly deaths: readonly Death[];
  /** Existing checkpoints at each query; the last answer repeats. */
  readonly standing?: readonly (readonly string[])[];
  readonly observation?: Observation;
  readonly nm?: Partial<NetworkManager>;
  /** Seconds until NetworkManager rolls back to its checkpoint. */
  readonly secondsLeft?: number;
  readonly deadline?: (deadline: Deadline) => void;
  /** True if every query about the node fails. */
  readonly unasked?: boolean;
  /** Function that is called before the recovery. */
  readonly prepare?: (journals: string) => void;
}

export interface Recovered {
  readonly calls: readonly string[];
  readonly said: readonly string[];
  readonly announced: readonly Message[];
  readonly error: AgentError | null;
  /** Journals after the recovery, the newest first. */
  readonly journals: readonly JournalRecord[];
  readonly directory: string;
  readonly status: RunRecord | null;
  /** NICs that microshift-net-uplink.service supervises. */
  readonly uplinks: string | null;
}

/** Writes the journals of interrupted runs, and runs the recovery of the next run. */
export async function recover(t: Test, leftovers: Leftovers): Promise<Recovered> {
  const root = t.testdir({});
  const places = { journals: join(root, 'lib/tx'), status: join(root, 'run') };
  const { deaths } = leftovers;
  for (const { id = '20260102T030405Z-0001', bootId, checkpoint = '/checkpoint/1', plan, wrote } of deaths) {
    const journal = openJournal(places.journals, journalOf(id, bootId, plan));
    if (checkpoint !== null) journal.append({ event: 'checkpoint', path: checkpoint });
    wrote?.(journal);
    journal.close();
  }
  leftovers.prepare?.(places.journals);
  const calls: string[] = [];
  const said: string[] = [];
  const announced: Message[] = [];
  const reporter = {
    say: (text: string) => said.push(text),
    announce: (message: Message) => announced.push(message),
  };
  const deadline = startDeadline(60_000);
  leftovers.deadline?.(deadline);
  const node = leftovers.unasked === true ? untouchable() : played(leftovers, calls);
  const error = await recoverEarlierRuns(node, reporter, deadline, places).then(
    () => null,
    (cause: AgentError) => cause,
  );
  deadline.clear();
  const text = (name: string): string | null => {
    const path = join(places.status, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  return {
    calls,
    said,
    announced,
    error,
    journals: readJournals(places.journals).records,
    directory: places.journals,
    status: JSON.parse(text('status.json') ?? 'null'),
    uplinks: text('uplinks'),
  };
}

function played(
  { standing = [['/checkpoint/1']], secondsLeft = 12, observation = atOnce, nm = {} }: Leftovers,
  calls: string[],
): Node {
  const answers = [...standing];
  const properties: Readonly<Record<string, () => unknown>> = {
    Checkpoints: () => (answers.length > 1 ? answers.shift() : answers[0]),
    Created: () => BigInt(Math.round(uptime() * 1000)),
    RollbackTimeout: () => secondsLeft,
    ActiveConnections: () => [],
  };
  const manager: Partial<NetworkManager> = {
    property: async (_path, _interface, name) => properties[name]?.(),
    request: async (_what, { member }) => {
      if (member !== 'CheckpointAdjustRollbackTimeout') calls.push(member);
      return [];
    },
    profilePaths: async () => [],
    profilePathOf: async (uuid) => `/profile/${uuid}`,
    deleteProfile: async () => {
      calls.push('deleteProfile');
    },
    onSignal: () => () => undefined,
    onVanished: () => () => undefined,
    ...nm,
  };
  return {
    bus: { call: async () => [] },
    nm: manager,
    ovs: { probeVswitchd: async () => undefined, facts: async () => observation.ovs },
    observe: async () => observation,
    recoverAfter: async (seconds: number) => calls.push(`recover after ${seconds} s`),
    close: () => calls.push('close'),
  } as unknown as Node;
}

function untouchable(): Node {
  return new Proxy({} as Node, {
    get: (_target, name) => {
      throw new TypeError(`the node was asked for its ${String(name)}`);
    },
  });
}

/** Writes journals with these ends, the oldest first, and returns their places. */
export function written(
  t: Test,
  states: Readonly<Record<string, TransactionState>>,
  commands: Readonly<Record<string, string>> = {},
): RecordPlaces {
  const root = t.testdir({});
  const places = { journals: join(root, 'tx'), status: join(root, 'run') };
  for (const [id, state] of Object.entries(states)) {
    const header = journalOf(id);
    const journal = openJournal(places.journals, { ...header, command: commands[id] ?? header.command });
    journal.append({ event: 'checkpoint', path: checkpoint });
    if (state !== 'open') journal.setState(state, now, null);
    journal.close();
  }
  return places;
}
