import { fieldAt, listAt } from '../../manifests/object.ts';
import { refusal } from './errors.ts';
import type { Access } from './http.ts';
import { sendOnce } from './send.ts';
import type { Session } from './session.ts';

/** A collection as it is asked for. */
export interface AskedCollection {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** For messages: `pods`. */
  readonly title: string;
}

/**
 * Lists a collection page by page, so that no more than a page is in memory as the API has it; `read` makes of an object what is kept. null: it took so
 * long that the server has forgotten what the first page was of (410).
 */
export async function listPages<T>(
  { limits }: Pick<Session, 'limits'>,
  access: Access,
  { path, query, title }: AskedCollection,
  read: (object: unknown) => T,
  stop: AbortSignal,
): Promise<{ readonly objects: readonly T[]; readonly version: string } | null> {
  const objects: T[] = [];
  let next = '';
  do {
    const page = { limit: String(limits.pageSize), ...(next === '' ? {} : { continue: next }) };
    const answer = await sendOnce(access, { method: 'GET', path, query: { ...query, ...page } }, limits.answerMs, stop);
    const { status, body } = answer;
    if (status === 410) return null;
    if (status !== 200) throw refusal(access, answer, `list ${title}`);
    for (const object of listAt(body, 'items')) objects.push(read(object));
    next = String(fieldAt(body, 'metadata', 'continue') ?? '');
    if (next === '') return { objects, version: String(fieldAt(body, 'metadata', 'resourceVersion')) };
  } while (!stop.aborted);
  throw stop.reason;
}
