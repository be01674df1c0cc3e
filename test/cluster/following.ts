// Follower of a collection for tests, which records every report.
import type { KubernetesApi } from '../../agent/drivers/kubernetes/api.ts';
import { type SessionLimits, sessionLimits } from '../../agent/drivers/kubernetes/api-session.ts';
import { openApi } from '../../agent/drivers/kubernetes/open-api.ts';
import { type Collection, fieldAt } from '../../agent/model/kubernetes/object.ts';
import { createWaiting } from './waiting.ts';

/** Short pauses, so that no test waits for minutes. */
export const shortLimits: SessionLimits = {
  ...sessionLimits,
  firstPauseMs: 50,
  longestPauseMs: 500,
  answerMs: 20_000,
  pageSize: 3,
};

export interface Heard {
  /** Every report in order: `whole a b`, `ADDED c`, `lost cluster-unreachable`, `found`. */
  readonly log: readonly string[];
  /** Names of the objects that exist according to the reports. */
  readonly names: ReadonlySet<string>;
  /** Value of `data.value` of each object, by the name of the object. */
  readonly values: ReadonlyMap<string, string>;
  /** Resolves when a condition is true after a report; rejects with the log after a minute. */
  until(isSo: (heard: Heard) => boolean, what: string): Promise<void>;
  stop(): void;
}

export function openTestApi(
  kubeconfig: string,
  special: Partial<SessionLimits> = {},
  say: (message: string) => void = () => undefined,
): KubernetesApi {
  return openApi({ kubeconfig, nodeName: 'n1', say }, { ...shortLimits, ...special });
}

export function hear(api: KubernetesApi, collection: Collection): Heard {
  const log: string[] = [];
  const values = new Map<string, string>();
  const names = new Set<string>();
  const waiting = createWaiting();
  const note = (line: string): void => {
    log.push(line);
    waiting.look();
  };
  const put = ([name, value]: readonly [string, string]): void => {
    names.add(name);
    values.set(name, value);
  };
  const stop = api.follow<readonly [string, string]>(collection, {
    read: (object) => [String(fieldAt(object, 'metadata', 'name')), String(fieldAt(object, 'data', 'value'))],
    whole: (objects) => {
      names.clear();
      values.clear();
      for (const one of objects) put(one);
      note(`whole ${[...names].toSorted().join(' ')}`);
    },
    changes: (changes) => {
      for (const { type, object } of changes) {
        if (type === 'DELETED') names.delete(object[0]);
        else put(object);
        note(`${type} ${object[0]}`);
      }
    },
    lost: ({ kind }) => note(`lost ${kind}`),
    found: () => note('found'),
  });
  const heard: Heard = {
    log,
    names,
    values,
    stop,
    until: (isSo, what) =>
      waiting.until(
        () => isSo(heard),
        () => `${what}; heard was:\n${log.join('\n')}`,
      ),
  };
  return heard;
}
