import { watch } from 'node:fs';

/**
 * Calls `onEvent` when a file is created, changed or removed in a directory and `isWanted` accepts the name of the
 * file, until the returned function is called. A directory that does not exist, or that is removed, causes no events;
 * the caller has to watch the directory again later.
 */
export function onFileEvent(directory: string, isWanted: (name: string) => boolean, onEvent: () => void): () => void {
  try {
    const watcher = watch(directory, (_, name) => {
      if (name !== null && isWanted(name)) onEvent();
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
