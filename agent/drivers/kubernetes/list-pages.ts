import { isAgentError } from '../../errors.ts';
import { fieldAt, listAt } from '../../model/kubernetes/object.ts';
import { createSlices } from '../../slices.ts';
import type { Session } from './api-session.ts';
import type { Access } from './http.ts';
import { refusal } from './kubernetes-errors.ts';
import { sendOnce } from './send.ts';

/** Path and query that request a collection. */
export interface AskedCollection {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Name of the collection for messages: `pods`. */
  readonly title: string;
}

/**
 * Size limit of a page, in bytes. A page is parsed in one piece, which takes some tens of milliseconds for 4 MiB. Pages
 * of pods have about a megabyte. Objects of a hostile user may have 1.5 MiB each (etcd). If a page of such objects
 * exceeds the limit, pages with fewer objects are requested.
 */
const longestPageBytes = 4 * 1024 * 1024;

/** Factor by which the number of objects is divided after a page that was too long. */
const fewer = 5;

/**
 * Lists a collection in pages, so that at most one page is in memory in its complete form; `read` returns the reduced
 * form of an object. If a page is too long, requests shorter pages, down to single objects. Returns null if the list
 * took so long that the server no longer has the version of the first page (410).
 */
export async function listPages<T>(
  { limits }: Pick<Session, 'limits'>,
  access: Access,
  { path, query, title }: AskedCollection,
  read: (object: unknown) => T,
  stop: AbortSignal,
): Promise<{ readonly objects: readonly T[]; readonly version: string } | null> {
  const objects: T[] = [];
  const breathe = createSlices(() => performance.now());
  let next = '';
  let size = limits.pageSize;
  do {
    const page = { limit: String(size), ...(next === '' ? {} : { continue: next }) };
    const longest = size === 1 ? {} : { longestBytes: longestPageBytes };
    const call = { method: 'GET', path, query: { ...query, ...page }, ...longest } as const;
    const answer = await sendOnce(access, call, limits.answerMs, stop).catch((error: unknown) => {
      if (isAgentError(error) && error.facts.isTooLong === true && size > 1) return null;
      throw error;
    });
    if (answer === null) {
      size = Math.max(1, Math.floor(size / fewer));
      continue;
    }
    const { status, body } = answer;
    if (status === 410) return null;
    if (status !== 200) throw refusal(access, answer, `list ${title}`);
    for (const object of listAt(body, 'items')) {
      objects.push(read(object));
      await breathe();
    }
    next = String(fieldAt(body, 'metadata', 'continue') ?? '');
    if (next === '') return { objects, version: String(fieldAt(body, 'metadata', 'resourceVersion')) };
  } while (!stop.aborted);
  throw stop.reason;
}
