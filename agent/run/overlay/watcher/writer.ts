import { monotonicMs } from '../../../deadline.ts';
import { type AgentError, asAgentError } from '../../../errors.ts';
import type { ObjectChange } from '../../../model/workload.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import type { Unit } from '../../../workload/plan-workload.ts';
import { retryAfterMs } from '../loop/pace.ts';
import { errandOf, everyErrand, togetherWith } from './all-work.ts';
import type { Northbound, RowUpdate } from './northbound-mirror.ts';
import type { Refused } from './refusals.ts';
import { createTurns } from './single-flight.ts';
import { createSlices } from './slices.ts';
import { touchedBy } from './touched.ts';
import { createErrands, type Errand, type Errands } from './work-queue.ts';
import { bring, type Outcome } from './write-rows.ts';

/** Listener for the progress of the writer. */
export interface WriterListener {
  /** Called with the number of rows of a written transaction. */
  written(rows: number): void;
  /** Called when the database refuses an object key, which is tried again after a growing pause. */
  refused(refused: Refused, error: AgentError): void;
  /** Called when nothing can be written at present. */
  stuck(error: AgentError): void;
  /** Called when there is nothing left to write except refused object keys. */
  settled(refused: ReadonlySet<Unit>): void;
}

/**
 * Writer that brings the rows of OVN_Northbound into the desired state, one transaction after the other, while it has
 * the OVSDB lock.
 */
export interface Writer {
  /** Handles changes of objects, which the facts contain already. */
  changed(changes: readonly ObjectChange[]): void;
  /** Compares everything, because anything may have changed. */
  all(): void;
  /** Cancels further transactions. Settles when the transaction in progress has ended. */
  close(): Promise<void>;
}

/** Creates a writer. `facts` returns the present facts; null if they are incomplete, and nothing is written then. */
export function createWriter(
  northbound: Northbound,
  facts: () => WorkloadFacts | null,
  listener: WriterListener,
): Writer {
  const errands = createErrands((unit) => togetherWith(unit, facts()));
  const put = ({ of, units }: Errand): void => errands.add(of, units);
  const unread = createUnread(put);
  let isEverything = false;
  let failures = 0;

  const look = (changes: readonly RowUpdate[], own: ReadonlySet<Unit>): void => {
    const [touched, now] = [touchedBy(changes, northbound.existing), facts()];
    if (touched === 'everything' || now === null) isEverything = true;
    else for (const unit of touched) if (!own.has(unit)) errands.add(unit, togetherWith(unit, now));
  };
  const rows = hearRows(northbound, look, () => turns.start());
  const write = async (batch: readonly Errand[], now: WorkloadFacts): Promise<void> => {
    const units = new Set(batch.flatMap((errand) => [...errand.units]));
    try {
      const outcome = await rows.during(units, () => bring(northbound, now, units, batch.length === 1));
      judge(errands, batch, outcome, listener);
      // The driver reports at once that the lock was lost.
      failures = outcome.end === 'not owner' ? failures + 1 : 0;
    } catch (error) {
      errands.putBack(batch);
      isEverything = true;
      failures += 1;
      listener.stuck(asAgentError(error));
    }
  };
  const compareEverything = async (breathe: () => Promise<void> | null): Promise<void> => {
    const now = facts();
    if (now === null || !northbound.isOwner) return;
    isEverything = false;
    for (const errand of everyErrand(northbound, now)) {
      put(errand);
      await breathe();
    }
  };
  const turn = async (): Promise<void> => {
    const breathe = createSlices(monotonicMs);
    do {
      await breathe();
      if (!(await unread.read(facts, breathe))) isEverything = true;
      if (isEverything) await compareEverything(breathe);
      const now = facts();
      if (now === null || !northbound.isOwner) return;
      const batch = errands.take(monotonicMs());
      if (batch.length === 0) return listener.settled(errands.refused);
      await write(batch, now);
    } while (failures === 0);
  };
  const turns = createTurns(turn, () => {
    if (!northbound.isOwner || facts() === null) return null;
    if (failures > 0) return monotonicMs() + retryAfterMs(failures);
    return unread.isEmpty() ? errands.dueMs() : 0;
  });
  return {
    changed: (changes) => {
      if (facts() === null) isEverything = true;
      else unread.add(changes);
      turns.start();
    },
    all: () => {
      isEverything = true;
      failures = 0;
      turns.start();
    },
    close: turns.close,
  };
}

/**
 * Creates a list of changes whose object keys are not determined yet, in their order. Determining them takes long if
 * there are many policies.
 */
function createUnread(put: (errand: Errand) => void) {
  let changes: ObjectChange[] = [];
  return {
    isEmpty: () => changes.length === 0,
    add: (more: readonly ObjectChange[]): void => {
      changes = [...changes, ...more];
    },
    /**
     * Determines the object keys of the changes. Resolves with false if a change was left out because the facts were
     * incomplete.
     */
    read: async (facts: () => WorkloadFacts | null, breathe: () => Promise<void> | null): Promise<boolean> => {
      let isWhole = true;
      while (changes.length > 0) {
        const next = changes;
        changes = [];
        for (const change of next) {
          const now = facts();
          if (now === null) isWhole = false;
          else put(errandOf(change, now));
          await breathe();
        }
      }
      return isWhole;
    },
  };
}

function judge(errands: Errands, batch: readonly Errand[], outcome: Outcome, listener: WriterListener): void {
  if (outcome.end === 'refused') {
    const alone = errands.refuse(batch, monotonicMs());
    if (alone !== null) listener.refused(alone, outcome.error);
  } else if (outcome.end === 'too much') errands.halve(batch);
  else if (outcome.end === 'not owner') errands.putBack(batch);
  else {
    errands.done(batch);
    if (outcome.end === 'written') listener.written(outcome.rows);
  }
}

/**
 * Calls `look` with row changes of other programs. Changes during a transaction of this process are held until it has
 * ended: the last of them is the transaction itself.
 */
function hearRows(
  northbound: Northbound,
  look: (changes: readonly RowUpdate[], own: ReadonlySet<Unit>) => void,
  start: () => void,
) {
  const none: ReadonlySet<Unit> = new Set();
  let heard: (readonly RowUpdate[])[] | null = null;
  northbound.onChange((changes) => {
    if (heard !== null) heard.push(changes);
    else {
      look(changes, none);
      start();
    }
  });
  return {
    during: async (own: ReadonlySet<Unit>, transaction: () => Promise<Outcome>): Promise<Outcome> => {
      const told: (readonly RowUpdate[])[] = [];
      heard = told;
      try {
        const outcome = await transaction();
        if (outcome.end === 'written') look(told.pop() ?? [], own);
        return outcome;
      } finally {
        heard = null;
        for (const changes of told) look(changes, none);
      }
    },
  };
}
