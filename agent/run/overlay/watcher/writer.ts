import { monotonicMs } from '../../../deadline.ts';
import { type AgentError, asAgentError } from '../../../errors.ts';
import type { ObjectChange } from '../../../model/workload.ts';
import { createSlices } from '../../../slices.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import type { ObjectKey } from '../../../workload/plan-workload.ts';
import { retryAfterMs } from '../loop/pace.ts';
import { allWork, togetherWith, workOf } from './all-work.ts';
import { awaitsEndpoints, longestWaitMs } from './awaited-endpoints.ts';
import { createGathering } from './gathering.ts';
import type { Northbound, RowUpdate } from './northbound-mirror.ts';
import type { Refused } from './refusals.ts';
import { createSingleFlight } from './single-flight.ts';
import { touchedBy } from './touched.ts';
import { createWorkQueue, type WorkItem, type WorkQueue } from './work-queue.ts';
import { bring, type Outcome } from './write-rows.ts';

/** Functions that are called with the progress of the writer. */
export interface WriterListener {
  /** Function that is called with the number of rows of a written transaction. */
  written(rows: number): void;
  /**
   * Function that is called when the northbound database has refused the rows of an object key. The attempts to write
   * them are repeated after growing pauses.
   */
  refused(refused: Refused, error: AgentError): void;
  /** Function that is called when the northbound database does not carry out any transaction at present. */
  stuck(error: AgentError): void;
  /** Function that is called when all rows are written, except those of refused object keys. */
  settled(refused: ReadonlySet<ObjectKey>): void;
}

/**
 * Writer that brings the rows of OVN_Northbound into the desired state, one transaction after the other, while it has
 * the OVSDB lock.
 */
export interface Writer {
  /** Handles changes of objects. The known objects already contain the changes. */
  changed(changes: readonly ObjectChange[]): void;
  /** Compares all rows with all objects, because anything may have changed. */
  all(): void;
  /** Cancels further transactions. Settles when the transaction in progress has ended. */
  close(): Promise<void>;
}

/** Creates a writer. `facts` returns the present facts, or null while they are incomplete; nothing is written then. */
export function createWriter(
  northbound: Northbound,
  facts: () => WorkloadFacts | null,
  listener: WriterListener,
): Writer {
  const errands = createWorkQueue((objectKey) => togetherWith(objectKey, facts()));
  const put = ({ of, objectKeys }: WorkItem): void => errands.add(of, objectKeys);
  const unread = createUnread((change, now) => addChange(errands, change, now, northbound));
  const gathering = createGathering(() => errands.fills(unread.length));
  let isEverything = false;
  let failures = 0;
  const look = (changes: readonly RowUpdate[], own: ReadonlySet<ObjectKey>): void => {
    const [touched, now] = [touchedBy(changes, northbound.existing), facts()];
    if (touched === 'everything' || now === null) isEverything = true;
    else for (const objectKey of touched) if (!own.has(objectKey)) errands.add(objectKey, togetherWith(objectKey, now));
  };
  const wake = (): void => {
    gathering.arrived();
    flight.start();
  };
  const rows = hearRows(northbound, look, wake);
  const write = async (batch: readonly WorkItem[], now: WorkloadFacts): Promise<void> => {
    const objectKeys = new Set(batch.flatMap((item) => [...item.objectKeys]));
    try {
      const outcome = await rows.during(objectKeys, () => bring(northbound, now, objectKeys, batch.length === 1));
      judge(errands, batch, outcome, listener);
      // A lost OVSDB lock counts as a failure, so that no attempt is made before the report of the loss arrives.
      failures = outcome.end === 'not owner' ? failures + 1 : 0;
      if (outcome.end === 'written') await gathering.rest();
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
    for (const item of allWork(northbound, now)) {
      if (item !== null) put(item);
      await breathe();
    }
  };
  const job = async (): Promise<void> => {
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
  const flight = createSingleFlight(job, () => {
    if (!northbound.isOwner || facts() === null) return null;
    if (failures > 0) return monotonicMs() + retryAfterMs(failures);
    return unread.length === 0 ? errands.dueMs() : 0;
  });
  return {
    changed: (changes) => {
      if (facts() === null) isEverything = true;
      else unread.add(changes);
      wake();
    },
    all: () => {
      isEverything = true;
      failures = 0;
      wake();
    },
    close: async () => {
      gathering.close();
      await flight.close();
    },
  };
}

/** Adds the work of a change. The work of a new service waits for the first EndpointSlice of the service. */
function addChange(
  errands: WorkQueue,
  change: ObjectChange,
  now: WorkloadFacts,
  { existing }: Pick<Northbound, 'existing'>,
): void {
  const { of, objectKeys } = workOf(change, now);
  errands.add(of, objectKeys, awaitsEndpoints(change, now, existing) ? monotonicMs() + longestWaitMs : undefined);
}

/**
 * Creates an ordered list of changes whose object keys still have to be determined. Determining the keys takes long if
 * there are many policies.
 */
function createUnread(put: (change: ObjectChange, now: WorkloadFacts) => void) {
  let changes: ObjectChange[] = [];
  return {
    get length() {
      return changes.length;
    },
    add: (more: readonly ObjectChange[]): void => {
      changes = [...changes, ...more];
    },
    /**
     * Determines the object keys of changes, and adds them to the work. Resolves with false if it has left out a
     * change, because the facts for planning were incomplete.
     */
    read: async (facts: () => WorkloadFacts | null, breathe: () => Promise<void> | null): Promise<boolean> => {
      let isWhole = true;
      while (changes.length > 0) {
        const next = changes;
        changes = [];
        for (const change of next) {
          const now = facts();
          if (now === null) isWhole = false;
          else put(change, now);
          await breathe();
        }
      }
      return isWhole;
    },
  };
}

function judge(errands: WorkQueue, batch: readonly WorkItem[], outcome: Outcome, listener: WriterListener): void {
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
 * Calls `look` with row changes. Changes that arrive during a transaction of this process are handled after its end.
 * The last of them is the change by the transaction itself; with this change, `look` also gets the object keys of the
 * transaction (`own`).
 */
function hearRows(
  northbound: Northbound,
  look: (changes: readonly RowUpdate[], own: ReadonlySet<ObjectKey>) => void,
  start: () => void,
) {
  const none: ReadonlySet<ObjectKey> = new Set();
  let heard: (readonly RowUpdate[])[] | null = null;
  northbound.onChange((changes) => {
    if (heard !== null) heard.push(changes);
    else {
      look(changes, none);
      start();
    }
  });
  return {
    during: async (own: ReadonlySet<ObjectKey>, transaction: () => Promise<Outcome>): Promise<Outcome> => {
      const reported: (readonly RowUpdate[])[] = [];
      heard = reported;
      try {
        const outcome = await transaction();
        if (outcome.end === 'written') look(reported.pop() ?? [], own);
        return outcome;
      } finally {
        heard = null;
        for (const changes of reported) look(changes, none);
      }
    },
  };
}
