import type { IncomingMessage } from 'node:http';
import { isAgentError } from '../../errors.ts';
import { fieldAt } from '../../model/kubernetes/object.ts';
import { lineBatchesOf } from './http.ts';

/** One line of a watch (Kubernetes API concepts, "Efficient detection of changes"). */
export interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  /** Changed object; for BOOKMARK only its version is set, and for ERROR it is a Status. */
  readonly object: object;
}

/**
 * Largest number of lines in a batch. Parsing the objects of four lines blocks the event loop for some tens of
 * milliseconds at most.
 */
const mostLines = 4;

/**
 * Yields the lines of a watch in batches as they arrive. Ends without an error when the watch ends, when the connection
 * breaks, or at a line that cannot be parsed, because the next request shows the reason. Rejects if a line is too long.
 */
export async function* watchLines(incoming: IncomingMessage): AsyncGenerator<readonly WatchLine[]> {
  try {
    for await (const lines of lineBatchesOf(incoming))
      for (let first = 0; first < lines.length; first += mostLines)
        yield lines.slice(first, first + mostLines).map(lineOf);
  } catch (error) {
    if (isAgentError(error)) throw error;
  }
}

function lineOf(text: string): WatchLine {
  const line = JSON.parse(text) as WatchLine | null;
  if (typeof line?.object !== 'object' || line.object === null) throw new Error('it is not a line of a watch');
  return line;
}

/** Returns true for a line that reports a change of an object. */
export function isChange<Line extends WatchLine>(
  line: Line,
): line is Line & { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' } {
  return line.type === 'ADDED' || line.type === 'MODIFIED' || line.type === 'DELETED';
}

/**
 * Returns the version that the watch has reached after these lines; null if the collection has to be listed again,
 * usually because the version is too old (410).
 */
export function versionAfter(lines: readonly WatchLine[]): string | null {
  if (lines.some(({ type }) => type === 'ERROR')) return null;
  const version = fieldAt(lines.at(-1), 'object', 'metadata', 'resourceVersion');
  return typeof version === 'string' ? version : null;
}
