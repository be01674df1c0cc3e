// A separate folder for a target, and a check that the target changes nothing in the folder.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export function scratchFolder(name: string): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), `fuzz-${name}-`));
  return { path: folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** Runs a function that may only read. Throws if a file was created, removed or changed. */
export async function readingOnly<T>(folder: string, read: () => Promise<T> | T): Promise<T> {
  const before = listing(folder);
  const result = await read();
  const after = listing(folder);
  if (before !== after) throw new Error(`it wrote: ${before} became ${after}`);
  return result;
}

function listing(folder: string): string {
  return readdirSync(folder)
    .map((name) => {
      const { size, mtimeNs } = statSync(path.join(folder, name), { bigint: true });
      return `${name} ${size} ${mtimeNs}`;
    })
    .join('; ');
}
