import { processStart } from '../../../drivers/host/process/process-start.ts';
import { notifyServiceManager } from '../../../drivers/host/process/service-manager.ts';
import { AgentError } from '../../../errors.ts';
import type { OverlayDaemon, WatcherState } from '../../../model/overlay-daemon.ts';
import { readDaemon, runsStill, writeDaemon } from '../record/daemon-state.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { createWriting } from './writing.ts';

/** Output of the daemon to systemd's journal. */
export interface DaemonOutput {
  say(step: string): void;
  fail(error: AgentError): void;
}

/**
 * State of the daemon. It is reported to people in systemd's journal, to systemd in the status of the unit, and to
 * other commands in a file.
 */
export interface Report {
  /** Values of NB_Global.nb_cfg that were requested by this daemon and by the previous one. */
  readonly asked: readonly number[];
  noteAsked(asked: readonly number[]): void;
  noteWatcher(watcher: WatcherState): void;
  /**
   * Reports the sentences about refusals from the last correction of the node. Leaves out the sentences of the previous
   * call.
   */
  refused(claims: readonly string[]): void;
  /** Reports that the node is in the desired state, if `isNews` is true or a failure was reported before. */
  wanted(node: string, isNews: boolean): Promise<void>;
  /** Reports a failure, unless it is the one that was reported last. */
  failed(error: AgentError): Promise<void>;
}

/**
 * Begins to report the state of this process. The first reported result also notifies systemd that the service is
 * ready. Fails with `busy` if another daemon runs.
 */
export function openReport({ daemon }: OverlayPlaces, { say, fail }: DaemonOutput): Report {
  let state = firstState(daemon);
  let isReady = false;
  let refused: readonly string[] = [];
  // A failure to write the file of the state is reported and must not end the daemon, which serves pods.
  const file = createWriting(() => writeDaemon(daemon, state), {
    failed: fail,
    recovered: () => say(`${daemon} can be written again`),
  });
  const note = (change: Partial<OverlayDaemon>): void => {
    state = { ...state, ...change };
    file.ask();
  };
  const notify = async (status: string): Promise<void> => {
    await notifyServiceManager(isReady ? { status } : { ready: true, status });
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
        say('in the desired state again');
        note({ failure: null });
      }
      if (hadFailed || isNews) await notify(`${node} is in the desired state`);
    },
    failed: async (error) => {
      const { message, hint = null } = error;
      if (state.failure?.message === message) return;
      fail(error);
      note({ failure: { message, hint, since: new Date().toISOString() } });
      await notify(message);
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
