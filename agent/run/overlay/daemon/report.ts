import { processStart } from '../../../drivers/host/process-start.ts';
import { tellServiceManager } from '../../../drivers/host/service-manager.ts';
import { AgentError } from '../../../errors.ts';
import type { OverlayDaemon, WatcherState } from '../../../model/overlay-daemon.ts';
import type { OverlayPlaces } from '../places.ts';
import { readDaemon, runsStill, writeDaemon } from './state.ts';
import { createWriting } from './writing.ts';

/** Where the daemon tells what it does. */
export interface Teller {
  say(step: string): void;
  fail(error: AgentError): void;
}

/** How the daemon is: for people in the journal, for systemd, and in its file for other commands. */
export interface Report {
  /** The numbers that gateways were asked for, those of the daemon before included. */
  readonly asked: readonly number[];
  noteAsked(asked: readonly number[]): void;
  noteWatcher(watcher: WatcherState): void;
  /** Reports unauthorized write access to the cluster by other programs, and unauthorized claims; each sentence is reported when it is new. */
  refused(claims: readonly string[]): void;
  /** All is as wanted; told where that is news. */
  wanted(node: string, isNews: boolean): Promise<void>;
  /** The same failure is told once. */
  failed(error: AgentError): Promise<void>;
}

/** The report of this process. The first thing that it tells makes the service ready. Fails with `busy` where a daemon runs already. */
export function openReport({ daemon }: OverlayPlaces, { say, fail }: Teller): Report {
  let state = firstState(daemon);
  let isReady = false;
  let refused: readonly string[] = [];
  // A file that cannot be written is no reason to keep no pods.
  const file = createWriting(() => writeDaemon(daemon, state), {
    failed: fail,
    recovered: () => say(`${daemon} can be written again`),
  });
  const note = (change: Partial<OverlayDaemon>): void => {
    state = { ...state, ...change };
    file.ask();
  };
  const tell = async (status: string): Promise<void> => {
    await tellServiceManager(isReady ? { status } : { ready: true, status });
    isReady = true;
  };
  note({});
  return {
    get asked() {
      return state.asked;
    },
    noteAsked: (asked) => note({ asked }),
    noteWatcher: (watcher) => note({ watcher }),
    refused: (claims) => {
      for (const claim of claims.filter((one) => !refused.includes(one))) say(claim);
      refused = claims;
    },
    wanted: async (node, isNews) => {
      const hadFailed = state.failure !== null;
      if (hadFailed) {
        say('as wanted again');
        note({ failure: null });
      }
      if (hadFailed || isNews) await tell(`${node} is as wanted`);
    },
    failed: async (error) => {
      const { message, hint = null } = error;
      if (state.failure?.message === message) return;
      fail(error);
      note({ failure: { message, hint, since: new Date().toISOString() } });
      await tell(message);
    },
  };
}

function firstState(path: string): OverlayDaemon {
  const before = readDaemon(path);
  if (before !== null && before.pid !== process.pid && runsStill(before)) {
    throw new AgentError('busy', `\`microshift-net overlay run\` runs already, process ${before.pid}`, {
      hint: 'look at systemctl status microshift-net-overlay; one of them is enough',
      facts: { pid: before.pid },
    });
  }
  return {
    format: 1,
    pid: process.pid,
    startTime: processStart(process.pid) ?? 0,
    since: new Date().toISOString(),
    failure: null,
    watcher: null,
    asked: before?.asked ?? [],
  };
}
