import type { AgentError } from '../../../errors.ts';
import type { WatcherState } from '../../../model/overlay-daemon.ts';
import type { DaemonOutput } from '../loop/daemon-report.ts';

/** Separate causes for which a watcher cannot work. */
export type Concern = 'api' | 'database' | 'rows' | 'annotations';

/** Report of a watcher's state. */
export interface WatcherReport {
  role(role: WatcherState['role']): void;
  objects(counts: Readonly<Record<string, number>>): void;
  nodesOutside(names: readonly string[]): void;
  wrote(): void;
  refused(objectKeys: ReadonlySet<string>): void;
  /** Sets the failure of a concern; null if it works again. The same failure is reported once. */
  concern(concern: Concern, error: AgentError | null): void;
  /** Reports the last state at once. */
  close(): void;
}

/** Interval between two reports, so that many changes write one file a second. */
const quietMs = 1_000;

/** State of a watcher that has read nothing yet. */
export const firstState: WatcherState = {
  role: 'waiting',
  objects: {},
  nodesOutside: [],
  wroteAt: null,
  refused: [],
  failure: null,
};

/** Creates the report. Calls `note` with the state as soon as it changes, and at most once a second. */
export function createReport({ say, fail }: DaemonOutput, note: (state: WatcherState) => void): WatcherReport {
  let state = firstState;
  const concerns = new Map<Concern, NonNullable<WatcherState['failure']>>();
  let timer: NodeJS.Timeout | undefined;
  let isNews = false;
  const hand = (): void => {
    timer = undefined;
    if (!isNews) return;
    isNews = false;
    note(state);
    timer = setTimeout(hand, quietMs);
  };
  const change = (changed: Partial<WatcherState>): void => {
    state = { ...state, ...changed };
    isNews = true;
    if (timer === undefined) hand();
  };
  return {
    role: (role) => {
      if (role === state.role) return;
      if (role === 'active') say('keeping the rows for objects of Kubernetes');
      change({ role });
    },
    objects: (objects) => change({ objects }),
    nodesOutside: (nodesOutside) => {
      if (String(nodesOutside) !== String(state.nodesOutside)) change({ nodesOutside });
    },
    wrote: () => change({ wroteAt: new Date().toISOString() }),
    refused: (objectKeys) => {
      if (objectKeys.size + state.refused.length > 0) change({ refused: [...objectKeys].toSorted() });
    },
    concern: (concern, error) => {
      const before = concerns.get(concern);
      if (error === null ? before === undefined : before?.message === error.message) return;
      if (error === null) concerns.delete(concern);
      else {
        const { message, hint = null } = error;
        concerns.set(concern, { message, hint, since: new Date().toISOString() });
        fail(error);
      }
      change({ failure: [...concerns.values()][0] ?? null });
    },
    close: () => {
      clearTimeout(timer);
      hand();
      clearTimeout(timer);
    },
  };
}
