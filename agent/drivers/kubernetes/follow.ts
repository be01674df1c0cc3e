import { type AgentError, asAgentError, type ErrorKind } from '../../errors.ts';
import type { Collection } from '../../manifests/cluster-port.ts';
import { collectionCall } from '../../manifests/kinds.ts';
import type { Follower } from './api.ts';
import { retryAfterMsIn } from './errors.ts';
import type { Access } from './http.ts';
import { isBehind } from './is-behind.ts';
import { listPages } from './list-pages.ts';
import { openWatch } from './open-watch.ts';
import type { Session } from './session.ts';
import { isChange, versionAfter, watchLines } from './watch-lines.ts';

/**
 * Follows a collection until the function that it returns is called. What was missed while nothing was heard is asked for from the last version that was
 * heard of; where the server does not have that any more (410), or is not as far yet, everything is listed again.
 */
export function followCollection<T>(session: Session, collection: Collection, follower: Follower<T>): () => void {
  const { access, limits } = session;
  const end = new AbortController();
  const stop = AbortSignal.any([session.stop, end.signal]);
  const asked = { ...collectionCall(collection), title: collection.plural };
  /** Up to which everything was told; null: nothing was, or too much was missed. */
  let version: string | null = null;
  /** By whom, and to whom: of another cluster a version says nothing. */
  let teller: Access | null = null;
  /** Why nothing is heard; null: it is. */
  let loss: ErrorKind | null = null;

  const list = async (): Promise<string | null> => {
    teller = await access.current();
    const pages = await listPages(session, teller, asked, follower.read, stop);
    if (pages !== null && !stop.aborted) await follower.whole(pages.objects);
    return pages?.version ?? null;
  };

  /** Resolves with the version from which to go on when the stream ends, whoever ends it. `isNew`: the server has just told it. */
  const watch = async (from: string, isNew: boolean): Promise<string | null> => {
    const now = await access.current();
    if (now !== teller) return null;
    const incoming = await openWatch(session, now, asked, from, stop);
    if (incoming === null) return null;
    try {
      if (!isNew && (await isBehind(session, now, asked, from, stop))) return null;
      if (loss !== null && !stop.aborted) follower.found();
      loss = null;
      let told = from;
      for await (const lines of watchLines(incoming)) {
        if (stop.aborted) break;
        const changes = lines.filter(isChange).map(({ type, object }) => ({ type, object: follower.read(object) }));
        if (changes.length > 0) follower.changes(changes);
        const after = versionAfter(lines);
        if (after === null) return null;
        told = after;
      }
      return told;
    } finally {
      incoming.destroy();
    }
  };

  const lose = (error: AgentError): void => {
    if (loss !== error.kind) follower.lost(error);
    loss = error.kind;
  };

  const run = async (): Promise<void> => {
    const pauses = session.pauses.series(stop);
    while (!stop.aborted) {
      const began = performance.now();
      let askedMs: number | null = null;
      // Each attempt with what the kubeconfig says by then.
      access.doubt();
      try {
        const isNew = version === null;
        version ??= await list();
        if (version !== null) version = await watch(version, isNew);
        // What had its time is begun anew at once; what ends as soon as it begins is not.
        if (performance.now() - began >= limits.firstPauseMs) {
          pauses.reset();
          continue;
        }
      } catch (thrown) {
        if (stop.aborted) return;
        const error = asAgentError(thrown);
        // Whoever follows has not taken in what it was told.
        if (error.kind === 'internal') version = null;
        lose(error);
        askedMs = retryAfterMsIn(error);
      }
      await pauses.wait(askedMs);
    }
  };
  void run();
  return () => end.abort();
}
