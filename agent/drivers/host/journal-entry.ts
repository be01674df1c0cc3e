import { ownService } from './control-group.ts';
import { run } from './exec.ts';

/** journald answers within milliseconds; one that is stuck must not hold the end of a run. */
const limitMs = 2_000;

/**
 * Enters one message with fields of its own into systemd's journal. False: it could not be. Standard error cannot carry fields, and
 * journald's own socket takes datagrams, which Node cannot send to a path; logger(1) can.
 *
 * The entry names its unit itself, in the field `journalctl -u` looks at (systemd.journal-fields(7)): journald reads the unit of a
 * process when it takes the entry, and on a busy machine logger and this process have both ended by then.
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

/** logger joins lines of MESSAGE again. No other field has several, and text from elsewhere must not become a field. */
function linesOf(name: string, value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/);
  return name === 'MESSAGE' ? lines.map((line) => `MESSAGE=${line}`) : [`${name}=${lines.join(' ')}`];
}
