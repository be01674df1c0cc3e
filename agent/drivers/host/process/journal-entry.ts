import { ownService } from './control-group.ts';
import { run } from './exec.ts';

/** Time limit of a write. journald answers within milliseconds; a journald that hangs must not delay a run's end. */
const limitMs = 2_000;

/**
 * Writes an entry with these fields to systemd's journal; returns false if that fails. The entry names its unit in the
 * field that `journalctl -u` searches (systemd.journal-fields(7)). journald itself determines the unit from the sending
 * process only when it handles the entry. On a busy machine, logger(1) and this process may have ended by then.
 */
export async function enterInJournal(fields: Readonly<Record<string, string>>): Promise<boolean> {
  const unit = ownService();
  const all = {
    ...fields,
    SYSLOG_IDENTIFIER: 'microshift-net',
    ...(unit === undefined ? {} : { OBJECT_SYSTEMD_UNIT: unit }),
  };
  const input = Object.entries(all).flatMap(([name, value]) => linesOf(name, value));
  try {
    return (await run('logger', ['--journald'], limitMs, { input: `${input.join('\n')}\n` })).exitCode === 0;
  } catch {
    return false;
  }
}

/**
 * Returns the input lines of logger(1) for a field of the journal (`NAME=value`). Each line of MESSAGE becomes an input
 * line, and logger joins these lines again. Every other field becomes one input line, so that text of another program
 * cannot add a field.
 */
function linesOf(name: string, value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/);
  return name === 'MESSAGE' ? lines.map((line) => `MESSAGE=${line}`) : [`${name}=${lines.join(' ')}`];
}
