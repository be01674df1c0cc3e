import { randomBytes } from 'node:crypto';
import { asAgentError } from '../../errors.ts';
import { fieldManager } from '../../model/kubernetes/object.ts';
import { collectionPath } from '../../model/kubernetes/object-kinds.ts';
import type { ApiOptions, Notice } from './api.ts';
import type { Session } from './api-session.ts';
import { createEventBudget } from './event-budget.ts';
import type { HttpCall } from './http.ts';
import { persist } from './persist.ts';
import { createSlots } from './slots.ts';

/** Largest burst of writes of Events and their counts for the whole cluster; after it, one write every two seconds. */
const longestBurst = 30;
/** Time after which one more write of an Event is permitted. */
const perEventMs = 2_000;
/** Time for which the server keeps an Event: one hour by default (--event-ttl). */
const keptMs = 60 * 60_000;
/**
 * Number of Events whose count is in memory. If there are more, the oldest one is forgotten, and its next repetition
 * creates another Event.
 */
const knownLimit = 500;
/** Longest note that the API accepts (events.k8s.io/v1). */
const longestNote = 1024;

interface ReportedEvent {
  readonly path: string;
  readonly madeAt: number;
  writtenAt: number;
  count: number;
}

/**
 * Reports problems of objects as Events: one Event for each object, reason and note, whose count increases with each
 * repetition.
 */
export function createEvents(session: Session, { nodeName, say }: ApiOptions): (notice: Notice) => void {
  const known = new Map<string, ReportedEvent>();
  const slot = createSlots(1);
  const complained = new Set<string>();
  const ofNamespaces = createEventBudget();
  let budget = longestBurst;
  let budgetAt = performance.now();
  let waiting = 0;

  const complain = (about: string, message: string): void => {
    if (!complained.has(about)) say(message);
    complained.add(about);
  };
  const isWithinBudget = (now: number): boolean => {
    budget = Math.min(longestBurst, budget + (now - budgetAt) / perEventMs);
    budgetAt = now;
    const isWithin = budget >= 1 && waiting < longestBurst;
    if (isWithin) budget -= 1;
    else complain('budget', 'more goes wrong in the cluster than Events are made of; some are left out');
    return isWithin;
  };
  const send = async (call: HttpCall): Promise<number> => {
    waiting += 1;
    try {
      return (await slot(() => persist(session, { call, doing: 'make an Event', answers: [404, 409] }))).status;
    } catch (thrown) {
      const { kind, message, facts } = asAgentError(thrown);
      // A refused Event is not reported if its namespace is being removed, because the namespace then accepts no
      // Events.
      if (!session.stop.aborted && facts.terminating !== true) complain(kind, message);
      return 0;
    } finally {
      waiting -= 1;
    }
  };

  const report = (notice: Notice): void => {
    const { regarding } = notice;
    const key = keyOf(notice);
    const now = performance.now();
    const reported = known.get(key);
    if (reported !== undefined && now - reported.madeAt < keptMs) {
      reported.count += 1;
      if (now - reported.writtenAt < session.limits.countEveryMs) return;
      if (!mayWrite(regarding.namespace, now)) return;
      reported.writtenAt = now;
      void send(countCall(reported)).then((status) => {
        // The Event no longer exists, so another one is created.
        if (status === 404 && known.delete(key)) report(notice);
      });
      return;
    }
    if (mayWrite(regarding.namespace, now)) make(notice, now);
  };
  /**
   * Returns true if the budgets of the namespace and of the cluster permit one more write of an Event or of an Event's
   * count. At the first request beyond the budget of a namespace, creates the Event that reports the omission.
   */
  const mayWrite = (namespace: string, now: number): boolean => {
    const grant = ofNamespaces.ask(namespace, now);
    if (grant === 'none' || !isWithinBudget(now)) return false;
    if (grant === 'last') make(othersLeftOut(namespace), now);
    return grant === 'make';
  };
  const make = (notice: Notice, now: number): void => {
    const key = keyOf(notice);
    const { path, name, body } = eventOf(notice, nodeName);
    known.delete(key);
    known.set(key, { path: `${path}/${name}`, madeAt: now, writtenAt: now, count: 1 });
    const [oldest = ''] = known.keys();
    if (known.size > knownLimit) known.delete(oldest);
    void send({ method: 'POST', path, body });
  };
  return report;
}

function keyOf({ regarding, reason, note }: Notice): string {
  return [regarding.kind, regarding.uid, reason, note].join(' ');
}

/** Returns the Event which reports that further Events of the namespace are left out. */
function othersLeftOut(namespace: string): Notice {
  return {
    regarding: {
      apiVersion: 'v1',
      kind: 'Namespace',
      namespace,
      name: namespace === '' ? 'default' : namespace,
      uid: '',
    },
    type: 'Warning',
    reason: 'EventsLeftOut',
    action: 'Report',
    note: 'more goes wrong in this namespace than Events are made of, and the next ones are left out; correct what the Events before this one say, and look at "microshift-net overlay status" on the central node',
  };
}

function countCall({ path, count }: ReportedEvent): HttpCall {
  const body = { series: { count, lastObservedTime: microTime() } };
  return { method: 'PATCH', path, contentType: 'application/merge-patch+json', body };
}

function eventOf(
  { regarding, type, reason, action, note }: Notice,
  nodeName: string,
): { readonly path: string; readonly name: string; readonly body: object } {
  // An object without a namespace gets its Event in the namespace `default`.
  const namespace = regarding.namespace === '' ? 'default' : regarding.namespace;
  const start = regarding.name.slice(0, 200).replace(/[^a-z0-9]+$/, '');
  const name = `${start}.${randomBytes(8).toString('hex')}`;
  const body = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace },
    eventTime: microTime(),
    reportingController: fieldManager,
    reportingInstance: nodeName.slice(0, 128),
    regarding,
    type,
    reason,
    action,
    note: note.slice(0, longestNote),
  };
  return { path: collectionPath('events.k8s.io/v1', 'events', namespace), name, body };
}

/** Returns the current time as metav1.MicroTime. */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
