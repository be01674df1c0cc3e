import { onFileEvent } from '../drivers/host/files/file-events.ts';
import { followKernel, monitorEnded } from '../drivers/host/kernel/kernel-events.ts';
import type { AgentError } from '../errors.ts';
import { journalDirectory } from '../model/journal.ts';
import type { Node } from './node.ts';

/**
 * Shortest time between two calls of `onChange`, so that a short burst of events causes one call at its start and one
 * at its end.
 */
const pauseMs = 1_000;

/**
 * Calls `onChange` after events that can change the state of a node: changes of links, addresses and routes
 * (rtnetlink), signals of NetworkManager, and journals that are created or renamed. Makes at most one call a second,
 * and never two at the same time. Resolves when `stop` is aborted, and rejects when a source of events ends or
 * `onChange` fails.
 */
export async function followNode(
  { nm }: Pick<Node, 'nm'>,
  onChange: () => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const ends: (() => void)[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const changed = atMostOnce(pauseMs, onChange, reject);
      ends.push(changed.end);
      const lost = (error: AgentError): void => reject(error);
      stop.addEventListener('abort', () => resolve(), { once: true });
      ends.push(
        nm.onSignal(() => changed.report()),
        nm.onVanished(lost),
        onFileEvent(journalDirectory, () => true, changed.report),
      );
      let isOver = false;
      ends.push(() => {
        isOver = true;
      });
      followKernel(changed.report, () => lost(monitorEnded())).then((end) => {
        if (isOver) end();
        else ends.push(end);
        // The caller is notified once now, because the state may have changed before the kernel's events were followed.
        changed.report();
      }, reject);
      if (stop.aborted) resolve();
    });
  } finally {
    for (const end of ends) end();
  }
}

/**
 * Returns `report`, which runs `work` at once if no run is in progress and the pause after the start of the previous
 * run is over. Otherwise one further run follows, for all events in between, as soon as the run in progress and the
 * pause have ended. `pause` is in milliseconds. `end` prevents further runs. After a failure of `work`, which `onError`
 * receives, no further run takes place.
 */
export function atMostOnce(
  pause: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): { readonly report: () => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let isWaiting = false;
  let hasEnded = false;
  const run = (): void => {
    isWaiting = false;
    const rest = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, pause);
    });
    Promise.all([work(), rest]).then(() => {
      timer = null;
      if (isWaiting && !hasEnded) run();
    }, onError);
  };
  return {
    report: () => {
      if (hasEnded) return;
      if (timer === null) run();
      else isWaiting = true;
    },
    end: () => {
      hasEnded = true;
      clearTimeout(timer ?? undefined);
    },
  };
}
