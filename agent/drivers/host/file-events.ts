import { watch } from 'node:fs';

/**
 * Calls back when a file of this name is put down in a directory or removed from it, until the function that it returns is called. A directory that is not
 * there, or goes, has no events: watch it anew then.
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
