import type { IncomingMessage } from 'node:http';
import { isAgentError } from '../../errors.ts';
import { fieldAt } from '../../manifests/object.ts';
import { lineBatchesOf } from './http.ts';

/** One line of a watch (Kubernetes API concepts, "Efficient detection of changes"). */
export interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  /** BOOKMARK: nothing but its version; ERROR: a Status. */
  readonly object: object;
}

/** What a watch says, all that came at once together, until it ends or breaks: whoever asks again hears why. Rejects when a line is too long. */
export async function* watchLines(incoming: IncomingMessage): AsyncGenerator<readonly WatchLine[]> {
  try {
    for await (const lines of lineBatchesOf(incoming)) yield lines.map(lineOf);
  } catch (error) {
    if (isAgentError(error)) throw error;
  }
}

function lineOf(text: string): WatchLine {
  const line = JSON.parse(text) as WatchLine | null;
  if (typeof line?.object !== 'object' || line.object === null) throw new Error('it is no line of a watch');
  return line;
}

/** True for what changes an object. */
export function isChange<Line extends WatchLine>(
  line: Line,
): line is Line & { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' } {
  return line.type === 'ADDED' || line.type === 'MODIFIED' || line.type === 'DELETED';
}

/** The version up to which a watch has told everything, after these lines; null: it has to be listed again, most often since it was too old (410). */
export function versionAfter(lines: readonly WatchLine[]): string | null {
  if (lines.some(({ type }) => type === 'ERROR')) return null;
  const version = fieldAt(lines.at(-1), 'object', 'metadata', 'resourceVersion');
  return typeof version === 'string' ? version : null;
}
