import { commandMs, type Finished, run } from '../process/exec.ts';

/**
 * Exit status of ip(8) for a word that the installed version does not know; it then skips the remaining commands of the
 * batch (iproute2, lib/utils.c, invarg).
 */
const misunderstood = 255;

/**
 * Characters that end a line, or begin a comment or a quotation (ip(8), -batch). In a name, such a character would
 * change the meaning of the command.
 */
const misread = /[#"'\\\p{Cc}]/u;

/**
 * Runs several commands of ip(8), and continues after a failed command. All commands run in one process; if ip(8) ends
 * at a word that it does not know, each command runs again in a process of its own. Best effort: commands that the
 * kernel rejects have no effect and cause no error, and commands with a name that ip(8) would misread are left out.
 * `options` are options of ip(8).
 */
export async function ipBatch(lines: readonly string[], options: readonly string[] = []): Promise<void> {
  const plain = lines.filter((line) => !misread.test(line));
  if (plain.length === 0) return;
  const { exitCode } = await batch([...options, '-force'], plain);
  if (exitCode !== misunderstood || plain.length === 1) return;
  for (const line of plain) await batch([...options, '-force'], [line]);
}

/**
 * Runs several commands of ip(8), or of bridge(8), in one process, and stops at the first that the kernel rejects.
 * Returns that command with the kernel's error; null if all succeeded.
 */
export async function ipBatchOrRefusal(
  lines: readonly string[],
  limitMs = commandMs,
  program: BatchProgram = 'ip',
): Promise<string | null> {
  if (lines.length === 0) return null;
  const unfit = lines.find((line) => misread.test(line));
  if (unfit !== undefined) return `\`${program} ${unfit}\`: a name in it would be misread`;
  const { exitCode, stderr, failure } = await batch([], lines, limitMs, program);
  if (exitCode === 0) return null;
  if (stderr === '') return failure ?? program;
  const [reason = '', line] = stderr.split(/\s*Command failed -:(\d+)/);
  return `\`${program} ${lines[Number(line) - 1] ?? ''}\`: ${reason.trim()}`;
}

/** Programs of iproute2 that read commands from a batch file. */
type BatchProgram = 'ip' | 'bridge';

function batch(
  options: readonly string[],
  lines: readonly string[],
  limitMs = commandMs,
  program: BatchProgram = 'ip',
): Promise<Finished> {
  return run(program, [...options, '-batch', '-'], limitMs, { input: `${lines.join('\n')}\n` });
}
