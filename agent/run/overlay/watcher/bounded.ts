import type { HeapUse } from '../../../drivers/host/process/heap.ts';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { AgentError } from '../../../errors.ts';
import type { WatcherState } from '../../../model/overlay-daemon.ts';
import type { Cluster } from './object-events.ts';
import { firstState } from './state.ts';
import { startWatcher, type Watcher, type WatcherPlaces } from './watcher.ts';

/**
 * Part of V8's memory limit that objects in use may occupy. V8 needs the rest for garbage collection, and for replies
 * of the API server that arrive meanwhile.
 */
const mostUsed = 0.75;

/**
 * Pause after a watcher was ended for lack of memory, in which a user may delete objects. The next watcher lists all
 * objects, which takes seconds of CPU time, and memory up to the limit.
 */
const pauseMs = 10 * 60_000;

export interface BoundedPlaces extends WatcherPlaces {
  /**
   * Calls the listener with the memory in use after each full garbage collection (drivers/host/process/heap.ts).
   * Returns a function that ends the calls.
   */
  readonly followHeap: (listener: (use: HeapUse) => void) => () => void;
}

/**
 * Starts a watcher, and ends it before the process has used up its memory. The rows then stay as they are. The failure
 * is reported, also as an Event of the namespace with the most objects, and the watcher starts again after a pause.
 * Nothing else limits the number of objects. Without this function, V8 would end the process, with all other functions
 * of the daemon, soon after each start.
 */
export function startBoundedWatcher({ followHeap, ...places }: BoundedPlaces): Pick<Watcher, 'know' | 'close'> {
  const { api, teller: output, note } = places;
  let cluster: Cluster | null = null;
  let state = firstState;
  let failure: WatcherState['failure'] = null;
  let timer: NodeJS.Timeout | undefined;
  let closing: Promise<void> = Promise.resolve();

  /**
   * Number of the watcher that was started last. Reports of an earlier watcher, which may arrive after its end, are
   * ignored.
   */
  let latest = 0;
  const start = (): Watcher => {
    const own = latest;
    const started = startWatcher({
      ...places,
      note: (now) => {
        if (latest !== own) return;
        if (now.role === 'active' && failure !== null) {
          failure = null;
          output.say('the memory is sufficient again');
        }
        state = { ...now, failure: now.failure ?? failure };
        note(state);
      },
    });
    if (cluster !== null) started.know(cluster);
    return started;
  };
  let running: Watcher | null = start();
  const end = (ended: Watcher, use: HeapUse): void => {
    const most = mostObjects(ended.namespaces());
    const error = exceeded(use, most);
    running = null;
    latest += 1;
    closing = ended.close();
    failure = { message: error.message, hint: error.hint ?? null, since: new Date().toISOString() };
    output.fail(error);
    if (most !== null) reportToNamespace(api, most);
    state = { ...state, role: 'waiting', failure };
    note(state);
    timer = setTimeout(() => {
      running = start();
    }, pauseMs);
  };
  const stopHeap = followHeap((use) => {
    if (running !== null && use.usedBytes > mostUsed * use.limitBytes) end(running, use);
  });
  return {
    know: (now) => {
      cluster = now;
      running?.know(now);
    },
    close: async () => {
      stopHeap();
      clearTimeout(timer);
      await Promise.all([closing, running?.close()]);
    },
  };
}

interface Most {
  readonly namespace: string;
  readonly count: number;
}

/** Returns the namespace with the most objects; null if no object has a namespace. */
function mostObjects(namespaces: ReadonlyMap<string, number>): Most | null {
  let most: Most | null = null;
  for (const [namespace, count] of namespaces) if (count > (most?.count ?? 0)) most = { namespace, count };
  return most;
}

function exceeded({ usedBytes, limitBytes }: HeapUse, most: Most | null): AgentError {
  const [used, limit] = [usedBytes, limitBytes].map((bytes) => Math.round(bytes / 1024 / 1024));
  const example = most === null ? '' : `; most of them, ${most.count}, are in namespace ${most.namespace}`;
  return new AgentError(
    'memory-exceeded',
    `the objects of Kubernetes need more memory than the daemon may use: ${used} of ${limit} MB${example}. Their rows stay as they are, and changes are not followed`,
    {
      hint: 'delete objects, and limit their number with a ResourceQuota, or raise NODE_OPTIONS, MemoryHigh and MemoryMax with systemctl edit microshift-net-overlay; then systemctl restart microshift-net-overlay',
    },
  );
}

function reportToNamespace({ report }: Pick<KubernetesApi, 'report'>, { namespace, count }: Most): void {
  report({
    regarding: { apiVersion: 'v1', kind: 'Namespace', namespace, name: namespace, uid: '' },
    type: 'Warning',
    reason: 'TooManyObjects',
    action: 'Serve',
    note: `the objects of the cluster need more memory than the network may use, and changes of pods, services and policies are not followed in any namespace; this namespace has most of them, ${count}: delete objects, and limit their number with a ResourceQuota`,
  });
}
