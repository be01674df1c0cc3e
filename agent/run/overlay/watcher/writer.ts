import { monotonicMs } from '../../../deadline.ts';
import { type AgentError, asAgentError } from '../../../errors.ts';
import type { ObjectChange } from '../../../model/workload.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import type { Unit } from '../../../workload/plan-workload.ts';
import { retryAfterMs } from '../daemon/work.ts';
import { createErrands, type Errand, type Refused } from './errands.ts';
import { errandOf, everyErrand, isAsWanted, togetherWith } from './everything.ts';
import type { Northbound, RowUpdate } from './northbound.ts';
import { touchedBy } from './touched.ts';
import { bring, type Outcome } from './transaction.ts';

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
  let isEverything = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | null = null;
  let isClosed = false;
  /** What is told while a transaction is under way; the last of it is that transaction. */
  let heard: (readonly RowUpdate[])[] | null = null;

  const put = ({ of, units }: Errand): void => errands.add(of, units);
  const add = (changes: readonly ObjectChange[], now: WorkloadFacts): void => {
    for (const change of changes) put(errandOf(change, now));
  };
  const look = (changes: readonly RowUpdate[], own: ReadonlySet<string>): void => {
    const [touched, now] = [touchedBy(changes), facts()];
    if (touched === 'everything' || now === null) {
      isEverything = true;
      return;
    }
    for (const unit of touched) if (!own.has(unit)) errands.add(unit, togetherWith(unit, now));
  };
  const send = async (batch: readonly Errand[], now: WorkloadFacts): Promise<Outcome> => {
    const units = new Set(batch.flatMap((errand) => [...errand.units]));
    heard = [];
    let own: readonly RowUpdate[] = [];
    try {
      const outcome = await bring(northbound, now, units, batch.length === 1);
      if (outcome.end === 'written') own = heard.pop() ?? [];
      return outcome;
    } finally {
      for (const changes of heard) look(changes, new Set());
      look(own, units);
      heard = null;
    }
  };
  const judge = (batch: readonly Errand[], outcome: Outcome): void => {
    if (outcome.end === 'written') listener.written(outcome.rows);
    if (outcome.end === 'written' || outcome.end === 'nothing') errands.done(batch);
    else if (outcome.end === 'too much') errands.halve(batch);
    else if (outcome.end === 'refused') {
      const alone = errands.refuse(batch, monotonicMs());
      if (alone !== null) listener.refused(alone, outcome.error);
    } else errands.putBack(batch);
  };
  const run = async (): Promise<void> => {
    for (;;) {
      const now = facts();
      if (isClosed || now === null || !northbound.isOwner) return;
      if (isEverything) {
        isEverything = false;
        if (!isAsWanted(northbound, now)) for (const errand of everyErrand(northbound, now)) put(errand);
      }
      const batch = errands.take(monotonicMs());
      if (batch.length === 0) return listener.settled(errands.refused);
      try {
        const outcome = await send(batch, now);
        judge(batch, outcome);
        // Whoever has the lock now writes; that it is lost is told at once.
        failures = outcome.end === 'not owner' ? failures + 1 : 0;
      } catch (error) {
        errands.putBack(batch);
        isEverything = true;
        failures += 1;
        listener.stuck(asAgentError(error));
      }
      if (failures > 0) return undefined;
    }
  };
  function start(): void {
    if (current !== null || isClosed) return;
    clearTimeout(timer);
    current = run().finally(() => {
      current = null;
      const due = failures > 0 ? monotonicMs() + retryAfterMs(failures) : errands.dueMs();
      if (due !== null && !isClosed && northbound.isOwner && facts() !== null)
        timer = setTimeout(start, Math.max(0, due - monotonicMs()));
    });
  }
  northbound.onChange((changes) => {
    if (heard !== null) heard.push(changes);
    else look(changes, new Set());
    start();
  });
  return {
    changed: (changes) => {
      const now = facts();
      if (now === null) isEverything = true;
      else add(changes, now);
      start();
    },
    all: () => {
      isEverything = true;
      failures = 0;
      start();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await current;
    },
  };
}
