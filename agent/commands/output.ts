import { fstatSync } from 'node:fs';
import { asAgentError, type ExitCode, errorTable } from '../errors.ts';
import { failureMessage, type Message, messageTable } from '../run/messages.ts';
import { errorDetail, errorJson, errorText } from '../view/error-view.ts';
import { joinLines, printable, printableJson, type Style, styleFor } from '../view/style.ts';

/**
 * Where a command prints, and how. Text for people goes line by line, JSON is one document. What could steer a terminal is escaped here, once, for every
 * command and view.
 */
export interface Output {
  readonly format: 'text' | 'json';
  readonly verbose: boolean;
  readonly style: Style;
  /** Whether standard error goes to systemd's journal. */
  readonly isJournal: boolean;
  /** The command's result on standard output: the text, or the value as JSON. */
  result(text: string, value: object): void;
  /** A line about what is going on, on standard error. */
  say(message: string): void;
  /** As `say`; in the journal an entry with a MESSAGE_ID. */
  announce(message: Message): void;
  /** Says what was thrown, on standard error, and answers with the exit code of its kind. */
  fail(thrown: unknown): ExitCode;
  /** Settles when everything that was announced is written; never fails. */
  written(): Promise<void>;
}

/** Priority of sd-daemon(3), for lines that end in the journal. */
const notice = 5;

/** Output for this process. */
export function openOutput(format: 'text' | 'json', verbose: boolean): Output {
  const isJournal = goesToJournal();
  const style = styleFor(process.stdout);
  const entries: Promise<void>[] = [];
  const write = (text: string, priority: number): void => {
    const lines = printable(text).split('\n');
    process.stderr.write(`${lines.map((line) => (isJournal ? `<${priority}>${line}` : line)).join('\n')}\n`);
  };
  const announce = (from: Message): void => {
    const message = { ...from, text: printable(from.text) };
    if (isJournal) entries.push(enter(message, write));
    else write(message.text, notice);
  };
  return {
    format,
    verbose,
    style,
    isJournal,
    result: (text, value) => {
      process.stdout.write(format === 'json' ? `${printableJson(value)}\n` : `${printable(text)}\n`);
    },
    say: (message) => write(joinLines([message]), notice),
    announce,
    fail: (thrown) => {
      const error = asAgentError(thrown);
      if (format === 'json') process.stderr.write(`${printableJson(errorJson(error))}\n`);
      else {
        const errorStyle = styleFor(process.stderr);
        announce(failureMessage(error, verbose ? errorDetail(error, errorStyle) : errorText(error, errorStyle)));
      }
      return errorTable[error.kind].exitCode;
    },
    written: async () => {
      await Promise.all(entries);
    },
  };
}

/** Enters a message into the journal; where that cannot be done it becomes lines with a priority. */
async function enter(message: Message, write: (text: string, priority: number) => void): Promise<void> {
  const { id, priority } = messageTable[message.kind];
  const { enterInJournal } = await import('../drivers/host/journal-entry.ts');
  const entered = await enterInJournal({
    MESSAGE: message.text,
    MESSAGE_ID: id,
    PRIORITY: String(priority),
    ...(message.transaction === null ? {} : { MICROSHIFT_NET_TX: message.transaction }),
    ...(message.error === undefined ? {} : { MICROSHIFT_NET_ERROR: message.error }),
  });
  if (!entered) write(message.text, priority);
}

/** systemd.exec(5): JOURNAL_STREAM names the socket; programs that we are started by may have put something else in its place. */
function goesToJournal(): boolean {
  const stream = process.env.JOURNAL_STREAM;
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(process.stderr.fd);
  return stream === `${dev}:${ino}`;
}
