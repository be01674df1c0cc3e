import { runWithInput } from './exec.ts';

/** journald answers within milliseconds; one that is stuck must not hold the end of a run. */
const limitMs = 2_000;

/**
 * Enters one message with fields of its own into systemd's journal. False: it could not be. Standard error cannot carry fields, and
 * journald's own socket takes datagrams, which Node cannot send to a path; logger(1) can.
 *
 * The entry is attributed to this process and so to its unit by OBJECT_PID: logger has often ended before journald looks at it.
 */
export async function enterInJournal(fields: Readonly<Record<string, string>>): Promise<boolean> {
  const all = { ...fields, SYSLOG_IDENTIFIER: 'microshift-net', OBJECT_PID: String(process.pid) };
  const input = Object.entries(all).flatMap(([name, value]) => linesOf(name, value));
  try {
    return (await runWithInput('logger', ['--journald'], `${input.join('\n')}\n`, limitMs)).exitCode === 0;
  } catch {
    return false;
  }
}

/** logger joins lines of MESSAGE again. No other field has several, and text from elsewhere must not become a field. */
function linesOf(name: string, value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/);
  return name === 'MESSAGE' ? lines.map((line) => `MESSAGE=${line}`) : [`${name}=${lines.join(' ')}`];
}
