import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { capture } from '../drivers/host/process/exec.ts';
import { messageOf } from '../errors.ts';
import { maskJson, maskKeyfile, maskText, secretsOfKeyfile } from '../mask.ts';
import { type CommandItem, type FileItem, keyfileDirectories } from './items.ts';
import { itemLimitBytes, type Staging } from './staging.ts';

/**
 * Time limit of a command, in ms: enough for journalctl on a slow disk. A command that takes longer counts as hung,
 * which is itself a finding.
 */
const commandMs = 15_000;
/** Number of commands that run at once. With more, a small machine would finish none of them in time. */
const atOnce = 3;

/** Returns the secrets in this node's keyfiles, the longest first. */
export function knownSecrets(): readonly string[] {
  const secrets = keyfileDirectories.flatMap((directory) =>
    filesOf(directory).flatMap((path) => {
      const { text } = read(path);
      return text === null ? [] : secretsOfKeyfile(text);
    }),
  );
  return [...new Set(secrets)].toSorted((a, b) => b.length - a.length);
}

/**
 * Adds the output of every command to the support bundle. If a command fails, hangs or is missing, adds a note and the
 * output so far.
 */
export async function collectCommands(
  staging: Staging,
  items: readonly CommandItem[],
  secrets: readonly string[],
): Promise<void> {
  const waiting = [...items];
  const work = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      await collectCommand(staging, item, secrets);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function collectCommand(staging: Staging, item: CommandItem, secrets: readonly string[]): Promise<void> {
  const { file, command } = item;
  const [program = '', ...words] = command.split(' ');
  const { text, note } = await capture(program, words, commandMs, itemLimitBytes);
  staging.add(file, `$ ${command}\n${maskText(text, secrets)}`, note);
}

/**
 * Adds files to the support bundle, below files/. Masks the secrets in them. Leaves out the beginning of a file that
 * exceeds the size limit, and every file that does not exist.
 */
export function collectFiles(staging: Staging, items: readonly FileItem[], secrets: readonly string[]): void {
  for (const item of items) {
    for (const path of filesOf(item.path)) {
      const { text, note } = read(path);
      staging.add(`files${path}`, text === null ? '' : maskFile(text, item.as, secrets), note);
    }
  }
}

function maskFile(text: string, as: FileItem['as'], secrets: readonly string[]): string {
  if (as === 'keyfile') return maskKeyfile(text, secrets);
  if (as === 'text') return maskText(text, secrets);
  return text
    .split('\n')
    .map((line) => {
      try {
        return line === '' ? '' : JSON.stringify(maskJson(JSON.parse(line), secrets));
      } catch {
        return maskText(line, secrets);
      }
    })
    .join('\n');
}

/** Returns the path of a file, or the paths of the files in a directory. Links are not followed. */
function filesOf(path: string): readonly string[] {
  try {
    if (!lstatSync(path).isDirectory()) return [path];
    return readdirSync(path).map((name) => `${path}/${name}`);
  } catch {
    return [];
  }
}

function read(path: string): { readonly text: string | null; readonly note: string | null } {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (!fstatSync(descriptor).isFile()) return { text: null, note: 'not a regular file' };
      const { size } = fstatSync(descriptor);
      // Only the end of a long log is kept, because it describes the present fault.
      const leftOut = Math.max(0, size - itemLimitBytes);
      const buffer = Buffer.alloc(itemLimitBytes);
      const length = readSync(descriptor, buffer, 0, itemLimitBytes, leftOut);
      return {
        text: buffer.toString('utf8', 0, length),
        note: leftOut > 0 ? `without its first ${leftOut} of ${size} bytes` : null,
      };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return { text: null, note: messageOf(error) };
  }
}
