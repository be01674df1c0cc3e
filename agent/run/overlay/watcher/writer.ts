import { monotonicMs } from '../../../deadline.ts';
import { type AgentError, asAgentError } from '../../../errors.ts';
import type { ObjectChange } from '../../../model/workload.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import type { Unit } from '../../../workload/plan-workload.ts';
import { retryAfterMs } from '../daemon/work.ts';
import { createErrands, type Errand, type Errands } from './errands.ts';
import { errandOf, everyErrand, togetherWith } from './everything.ts';
import type { Northbound, RowUpdate } from './northbound.ts';
import type { Refused } from './refusals.ts';
import { createSlices } from './slices.ts';
import { touchedBy } from './touched.ts';
import { bring, type Outcome } from './transaction.ts';
import { createTurns } from './turns.ts';

/** What the writer tells of. */
export interface WriterListener {
  /** A transaction of so many rows is written. */
  written(rows: number): void;
  /** The database does not take a unit; it is tried again, later each time. */
  refused(refused: Refused, error: AgentError): void;
  /** Nothing can be written at the moment. */
  stuck(error: AgentError): void;
  /** There is nothing to write, but for units that were refused. */
  settled(refused: ReadonlySet<Unit>): void;
}

/** Brings the rows of OVN_Northbound to what the objects call for, one transaction after the other, while it has the lock. */
export interface Writer {
  /** Objects have changed; the facts have it already. */
  changed(changes: readonly ObjectChange[]): void;
  /** Anything may have changed: everything is compared. */
  all(): void;
  /** Begins nothing any more; settles when what was being written is. */
  close(): Promise<void>;
}

/** `facts` is what is so now; null: not everything is known yet, and nothing is written. */
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
      // That the lock is lost is told at once.
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

/** Changes of objects of which the errands are not known yet, in their order: finding them takes long where there are many policies. */
function createUnread(put: (errand: Errand) => void) {
  let changes: ObjectChange[] = [];
  return {
    isEmpty: () => changes.length === 0,
    add: (more: readonly ObjectChange[]): void => {
      changes = [...changes, ...more];
    },
    /** Resolves with false if a change was left out, because not everything was known any more. */
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

/** Looks at what changes; at what is told while a transaction is under way when that has ended: the last of it is the transaction itself. */
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
