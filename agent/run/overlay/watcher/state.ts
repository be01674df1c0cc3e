import type { AgentError } from '../../../errors.ts';
import type { WatcherState } from '../../../model/overlay-daemon.ts';
import type { Teller } from '../daemon/report.ts';

/** What can keep a watcher from its work, each on its own. */
export type Concern = 'api' | 'database' | 'rows' | 'annotations';

/** The state of a watcher, told where it changes. */
export interface WatcherReport {
  role(role: WatcherState['role']): void;
  objects(counts: Readonly<Record<string, number>>): void;
  nodesOutside(names: readonly string[]): void;
  wrote(): void;
  refused(units: ReadonlySet<string>): void;
  /** null: that is well. The same failure is told once. */
  concern(concern: Concern, error: AgentError | null): void;
  /** What has not been handed on yet is. */
  close(): void;
}

/** A storm of changes is one file a second. */
const quietMs = 1_000;

/** `note` is given the state as soon as it changes, and once a second at the most. */
export function createReport({ say, fail }: Teller, note: (state: WatcherState) => void): WatcherReport {
  let state: WatcherState = {
    role: 'waiting',
    objects: {},
    nodesOutside: [],
    wroteAt: null,
    refused: [],
    failure: null,
  };
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
    refused: (units) => {
      if (units.size + state.refused.length > 0) change({ refused: [...units].toSorted() });
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
