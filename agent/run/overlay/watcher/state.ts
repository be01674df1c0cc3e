import type { AgentError } from '../../../errors.ts';
import type { WatcherState } from '../../../model/overlay-daemon.ts';
import type { DaemonOutput } from '../loop/daemon-report.ts';

/**
 * Area of a watcher's work in which it can fail: the API server, the northbound database, the rows, the annotations of
 * pods, or the annotations of Nodes.
 */
export type Concern = 'api' | 'database' | 'rows' | 'annotations' | 'node-annotations';

/** Reporter of a watcher's state. */
export interface WatcherReport {
  role(role: WatcherState['role']): void;
  objects(counts: Readonly<Record<string, number>>): void;
  nodesOutside(names: readonly string[]): void;
  wrote(): void;
  refused(objectKeys: ReadonlySet<string>): void;
  /** Sets the failure in an area; null if the area works again. Reports the same failure only once. */
  concern(concern: Concern, error: AgentError | null): void;
  /** Reports a state that has not been reported yet, and ends the reports. */
  close(): void;
}

/** Shortest time between two reports, so that the daemon's state file is written at most once a second. */
const quietMs = 1_000;

/** State of a watcher that has not read anything yet. */
export const firstState: WatcherState = {
  role: 'waiting',
  objects: {},
  nodesOutside: [],
  wroteAt: null,
  refused: [],
  failure: null,
};

/** Creates the reporter. Calls `note` with the watcher's state when it has changed, at most once a second. */
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
