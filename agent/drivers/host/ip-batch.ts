import { type Finished, run } from './exec.ts';

/** ip(8) answers in milliseconds; the kernel does not wait for anything here. */
const commandMs = 3_000;

/** Runs many commands of ip(8) in one process, to the last one. Best effort: what the kernel refuses is left out. */
export async function ipBatch(lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await batch(['-force'], lines);
}

/** Runs many commands of ip(8) in one process, to the first that the kernel refuses: gives that one and what it says, or null. */
export async function ipBatchOrRefusal(lines: readonly string[]): Promise<string | null> {
  if (lines.length === 0) return null;
  const { exitCode, stderr } = await batch([], lines);
  if (exitCode === 0) return null;
  const [reason = '', line] = stderr.split(/\s*Command failed -:(\d+)/);
  return `\`ip ${lines[Number(line) - 1] ?? ''}\`: ${reason.trim()}`;
}

function batch(options: readonly string[], lines: readonly string[]): Promise<Finished> {
  return run('ip', [...options, '-batch', '-'], commandMs, { input: `${lines.join('\n')}\n` });
}
