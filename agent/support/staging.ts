import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unwritable } from '../drivers/host/files/files.ts';

/** Directory on tmpfs, so that a support bundle can be made if the disk is full or read-only. */
const stagingDirectory = '/run/microshift-net';
/**
 * Size limit, in bytes, of a collected file or of the output of a command. Of a larger file, only the end is kept:
 * older lines rarely explain the present fault. Of a larger output, only the beginning is kept.
 */
export const itemLimitBytes = 2 * 1024 * 1024;
/**
 * Size limit of a support bundle before compression, in bytes: small enough for a node with little free memory. The
 * bundle of a healthy node has less than 1 MiB.
 */
const totalLimitBytes = 24 * 1024 * 1024;

/** Line in the table of contents of a support bundle. */
export interface Entry {
  readonly file: string;
  readonly bytes: number;
  /** Reason why the file is incomplete or missing in the bundle; null if it is complete. */
  readonly note: string | null;
}

/** Temporary folder in which a support bundle is assembled. */
export interface Staging {
  /** Parent of the folder and the name of the folder in it, as arguments for tar. */
  readonly parent: string;
  readonly name: string;
  readonly entries: readonly Entry[];
  /** Adds a file as far as the size limit allows. Never writes to a path twice. */
  add(file: string, text: string, note: string | null): void;
  remove(): void;
}

/**
 * Creates a temporary folder below `directory` that only root can enter. The first added file creates the folder of the
 * support bundle in it. Fails with `state-unwritable`.
 */
export function openStaging(name: string, directory = stagingDirectory): Staging {
  const parent = makeParent(directory);
  const entries: Entry[] = [];
  let total = 0;
  let removed = false;
  return {
    parent,
    name,
    entries,
    add: (file, text, note) => {
      // Nothing is added after the folder was removed. A collector that is still running after an interruption would
      // otherwise create the folder again.
      if (removed) return;
      const content = Buffer.from(text).subarray(0, Math.max(0, Math.min(itemLimitBytes, totalLimitBytes - total)));
      const cut = content.length < Buffer.byteLength(text) ? `cut after ${content.length} bytes` : null;
      const path = join(parent, name, file);
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
        total += content.length;
        const notes = [note, cut].filter((part) => part !== null).join('; ');
        entries.push({ file, bytes: content.length, note: notes || null });
      } catch (error) {
        entries.push({ file, bytes: 0, note: unwritable(path, error).message });
      }
    },
    remove: () => {
      removed = true;
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

function makeParent(directory: string): string {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    return mkdtempSync(`${directory}/support-`);
  } catch (error) {
    throw unwritable(directory, error);
  }
}
