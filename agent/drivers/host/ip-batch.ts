import { type Finished, run } from './exec.ts';

/** ip(8) answers in milliseconds; the kernel does not wait for anything here. */
const commandMs = 3_000;

/** Exit code of ip(8) for a word that it does not know, as an older version may not; it skips the remaining lines (iproute2, lib/utils.c, invarg). */
const misunderstood = 255;

/** Ends a line, begins a comment or a quotation (ip(8), -batch): a name that has it would make another command of the line. */
const misread = /[#"'\\\p{Cc}]/u;

/** Runs many commands of ip(8) in one process, to the last one. Best effort: what the kernel refuses is left out. `options`: of ip(8). */
export async function ipBatch(lines: readonly string[], options: readonly string[] = []): Promise<void> {
  const plain = lines.filter((line) => !misread.test(line));
  if (plain.length === 0) return;
  const { exitCode } = await batch([...options, '-force'], plain);
  if (exitCode !== misunderstood || plain.length === 1) return;
  for (const line of plain) await batch([...options, '-force'], [line]);
}

/** Runs many commands of ip(8) in one process, to the first that the kernel refuses: gives that one and what it says, or null. */
export async function ipBatchOrRefusal(lines: readonly string[], limitMs = commandMs): Promise<string | null> {
  if (lines.length === 0) return null;
  const unfit = lines.find((line) => misread.test(line));
  if (unfit !== undefined) return `\`ip ${unfit}\`: a name in it would be misread`;
  const { exitCode, stderr, failure } = await batch([], lines, limitMs);
  if (exitCode === 0) return null;
  if (stderr === '') return failure ?? 'ip';
  const [reason = '', line] = stderr.split(/\s*Command failed -:(\d+)/);
  return `\`ip ${lines[Number(line) - 1] ?? ''}\`: ${reason.trim()}`;
}

function batch(options: readonly string[], lines: readonly string[], limitMs = commandMs): Promise<Finished> {
  return run('ip', [...options, '-batch', '-'], limitMs, { input: `${lines.join('\n')}\n` });
}
