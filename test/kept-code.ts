// Starts of the built program that keep the code which V8 has compiled of it, because Node 20 cannot.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const dist = join(process.cwd(), 'dist');
/** The built program. */
export const builtProgram = join(dist, 'microshift-net');
/** Folder in which all tests keep the compiled code. */
export const keptCode = join(process.cwd(), 'build/compiled');
/** Folder of the module that reads and writes the compiled code, and the module's name. */
export const keeper = { folder: join(process.cwd(), 'test/overlay'), name: 'keep-compiled.cjs' } as const;

/** Creates the folder for compiled code, without the code of earlier builds. */
export function prepareKeptCode(): void {
  mkdirSync(keptCode, { recursive: true });
  const builtMs = statSync(builtProgram).mtimeMs;
  for (const file of readdirSync(keptCode).map((name) => join(keptCode, name)))
    if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < builtMs) rmSync(file, { force: true });
}

/** Returns the words that start a file on this machine which is the built program or a link to it. */
export function withKeptCode(file: string): readonly string[] {
  prepareKeptCode();
  return [process.execPath, '--require', join(keeper.folder, keeper.name), file];
}
