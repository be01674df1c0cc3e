import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unwritable } from '../drivers/host/files.ts';

/** In memory, so that a bundle can be made when the disk is full or read-only; only root can look into it. */
const stagingDirectory = '/run/microshift-net';
/** A file with more says nothing its beginning or end does not. */
export const itemLimitBytes = 2 * 1024 * 1024;
/** What an ill node can spare of its memory; a bundle of a healthy one is below 1 MiB before it is compressed. */
const totalLimitBytes = 24 * 1024 * 1024;

/** One line of the bundle's list of contents. */
export interface Entry {
  readonly file: string;
  readonly bytes: number;
  /** Why it is not complete, or not there; null: it is complete. */
  readonly note: string | null;
}

/** A folder of our own that a bundle is put together in. */
export interface Staging {
  /** The folder's parent, and the folder's name in it: what tar is given. */
  readonly parent: string;
  readonly name: string;
  readonly entries: readonly Entry[];
  /** Puts a file in, as far as there is room, and never one of its own name twice. */
  add(file: string, text: string, note: string | null): void;
  remove(): void;
}

/** Makes the folder. Fails with `state-unwritable`. */
export function openStaging(name: string): Staging {
  const parent = makeParent();
  const entries: Entry[] = [];
  let total = 0;
  let removed = false;
  return {
    parent,
    name,
    entries,
    add: (file, text, note) => {
      // What was still being collected when the run was stopped must not bring the folder back.
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

function makeParent(): string {
  try {
    mkdirSync(stagingDirectory, { recursive: true, mode: 0o755 });
    return mkdtempSync(`${stagingDirectory}/support-`);
  } catch (error) {
    throw unwritable(stagingDirectory, error);
  }
}
