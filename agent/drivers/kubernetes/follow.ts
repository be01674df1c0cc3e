import { type AgentError, asAgentError, type ErrorKind, isAgentError } from '../../errors.ts';
import type { Collection } from '../../model/kubernetes/object.ts';
import { collectionCall } from '../../model/kubernetes/object-kinds.ts';
import { createSlices } from '../../slices.ts';
import type { Follower } from './api.ts';
import type { Session } from './api-session.ts';
import { definitionAppears, versionWithoutDefinition } from './definition.ts';
import type { Access } from './http.ts';
import { isBehind } from './is-behind.ts';
import { retryAfterMsIn } from './kubernetes-errors.ts';
import { listPages } from './list-pages.ts';
import { openWatch } from './open-watch.ts';
import { isChange, versionAfter, watchLines } from './watch-lines.ts';

/**
 * Follows a collection until the returned function is called. After an interruption, the watch continues from the last
 * known version. If the server no longer has that version (410), or has not reached it yet, everything is listed again.
 */
export function followCollection<T>(session: Session, collection: Collection, follower: Follower<T>): () => void {
  const { access, limits } = session;
  const end = new AbortController();
  const stop = AbortSignal.any([session.stop, end.signal]);
  const asked = { ...collectionCall(collection), title: collection.plural };
  /**
   * Version of the collection up to which all objects and changes have been reported; null before the first list, and
   * if the collection has to be listed again.
   */
  let version: string | null = null;
  /**
   * Server and credentials with which the version was read. The version is meaningless for a server of another cluster.
   */
  let teller: Access | null = null;
  /** Kind of the error that interrupted the watch; null while the watch is open. */
  let loss: ErrorKind | null = null;

  const isAbsent = (error: unknown): boolean =>
    collection.isOptional === true && isAgentError(error) && error.facts.httpStatus === 404;

  const list = async (): Promise<string | null> => {
    const now = await access.current();
    teller = now;
    try {
      const pages = await listPages(session, now, asked, follower.read, stop);
      if (pages !== null && !stop.aborted) await follower.whole(pages.objects);
      return pages?.version ?? null;
    } catch (error) {
      if (!isAbsent(error)) throw error;
      const from = await versionWithoutDefinition(session, now, collection, stop);
      if (from === null) throw error;
      if (loss !== null && !stop.aborted) follower.found();
      loss = null;
      if (!stop.aborted) await follower.whole([]);
      await definitionAppears(session, now, collection, from, stop);
      return null;
    }
  };

  /**
   * Watches until the stream ends for any reason. Resolves with the version from which to continue, or null for a new
   * list. `isNew` is true if the version comes from a list that was read just before.
   */
  const watch = async (from: string, isNew: boolean): Promise<string | null> => {
    const now = await access.current();
    if (now !== teller) return null;
    const incoming = await openWatch(session, now, asked, from, stop);
    if (incoming === null) return null;
    try {
      if (!isNew && (await isBehind(session, now, asked, from, stop))) return null;
      if (loss !== null && !stop.aborted) follower.found();
      loss = null;
      let reported = from;
      const breathe = createSlices(() => performance.now());
      for await (const lines of watchLines(incoming)) {
        // The loop over the lines of a watch pauses so that other work of the process gets a turn. Without pauses, all
        // lines that have already arrived would be read in a single turn of the event loop.
        await breathe();
        if (stop.aborted) break;
        const changes = lines.filter(isChange).map(({ type, object }) => ({ type, object: follower.read(object) }));
        if (changes.length > 0) follower.changes(changes);
        const after = versionAfter(lines);
        if (after === null) return null;
        reported = after;
      }
      return reported;
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
      // The kubeconfig is read again for each attempt, because its credentials may have changed.
      access.doubt();
      try {
        const isNew = version === null;
        version ??= await list();
        if (version !== null) version = await watch(version, isNew);
        // The next watch is opened at once if this one has lasted at least as long as the first pause between attempts.
        // Otherwise there is a pause first, so that a server that ends each watch at once does not get a flood of
        // requests.
        if (performance.now() - began >= limits.firstPauseMs) {
          pauses.reset();
          continue;
        }
      } catch (thrown) {
        if (stop.aborted) return;
        const error = asAgentError(thrown);
        // An error of the kind `internal` means that the follower has not processed the changes, so everything is
        // listed again.
        if (error.kind === 'internal') version = null;
        // A watch fails if the definition of its collection was removed. The list that is read next shows the removal.
        const mayBeGone = isAbsent(error) && version !== null;
        if (mayBeGone) version = null;
        else lose(error);
        askedMs = retryAfterMsIn(error);
      }
      await pauses.wait(askedMs);
    }
  };
  void run();
  return () => end.abort();
}
