import { fstatSync } from 'node:fs';
import { asAgentError, type ExitCode, errorTable } from '../errors.ts';
import { failureMessage, type Message, messageTable } from '../run/messages.ts';
import { errorDetail, errorText } from '../view/error-view.ts';
import type { CommandDocument } from '../view/json/command-document.generated.ts';
import { type JsonDocument, printedDocument } from '../view/json/document.ts';
import { errorDocument } from '../view/json/error-json.ts';
import { joinLines, printable, printableJson, type Style, styleFor } from '../view/style.ts';
import { fitted } from '../view/table.ts';
import { terminalWidth } from './terminal-width.ts';

/**
 * Output of a command: lines of text for people, or one JSON document. Control characters, which could control a
 * terminal, are escaped here for every command and view.
 */
export interface Output {
  readonly format: 'text' | 'json';
  readonly verbose: boolean;
  /** Style of results, which go to standard output. */
  readonly style: Style;
  /**
   * Style of progress and errors, which go to standard error. It is separate from the style of results, because only
   * one of the two streams may be a terminal.
   */
  readonly progressStyle: Style;
  /** True if standard error is connected to systemd's journal. */
  readonly isJournal: boolean;
  /**
   * Prints the result of the command on standard output: the text, or the document as JSON. `diagnostics` are facts for
   * support, which are printed only as JSON with `--verbose`. `document` is null in a program that has no option
   * `--output`. Text is wrapped to the width of a terminal unless `form` is `verbatim`, which is for text that a shell
   * or another program reads.
   */
  result(
    text: string,
    document: CommandDocument | null,
    diagnostics?: object | null,
    form?: 'prose' | 'verbatim',
  ): void;
  /**
   * Prints one of the consecutive results of a command such as `status --watch`. On a terminal, the text replaces the
   * previous one; JSON is one line per result.
   */
  state(text: string, document: CommandDocument): void;
  /** Prints a line about the progress on standard error. */
  say(message: string): void;
  /** Prints a message on standard error; in systemd's journal, its entry has a MESSAGE_ID. */
  announce(message: Message): void;
  /**
   * Prints an error, as text on standard error or as a document on standard output. Returns the exit code of its kind.
   * `command` is null if the command line names no command.
   */
  fail(thrown: unknown, command: string | null): ExitCode;
  /** Returns a promise that settles when every message that `announce` prints is written; never rejects. */
  written(): Promise<void>;
}

/** Priority `notice` of a line in systemd's journal (sd-daemon(3)). */
const notice = 5;

/** Creates the output of this process. */
export function openOutput(format: 'text' | 'json', verbose: boolean): Output {
  const isJournal = goesToJournal();
  const style = styleFor(process.stdout);
  const progressStyle = styleFor(process.stderr);
  const entries: Promise<void>[] = [];
  const write = (text: string, priority: number): void => {
    const shown = printable(text, progressStyle);
    const lines = (isJournal ? shown : fitted(shown, terminalWidth(process.stderr))).split('\n');
    process.stderr.write(`${lines.map((line) => (isJournal ? `<${priority}>${line}` : line)).join('\n')}\n`);
  };
  const announce = (from: Message): void => {
    const message = { ...from, text: printable(from.text, progressStyle) };
    if (isJournal) entries.push(enter(message, write));
    else write(message.text, notice);
  };
  return {
    format,
    verbose,
    style,
    progressStyle,
    isJournal,
    result: (text, document, diagnostics, form = 'prose') => {
      const width = form === 'prose' ? terminalWidth(process.stdout) : null;
      if (format === 'text') process.stdout.write(`${fitted(printable(text, style), width)}\n`);
      else if (document !== null) print(document, verbose ? (diagnostics ?? null) : null);
    },
    state: (text, document) => {
      // Control sequences that move the cursor to the first row and column, and clear the screen (ECMA-48, CUP and ED).
      const before = process.stdout.isTTY ? '\u001b[H\u001b[2J' : '';
      const shown = fitted(printable(text, style), terminalWidth(process.stdout));
      const line = format === 'json' ? printableJson(document, 0) : `${before}${shown}`;
      process.stdout.write(`${line}\n`);
    },
    say: (message) => write(joinLines([message]), notice),
    announce,
    fail: (thrown, command) => {
      const error = asAgentError(thrown);
      if (format === 'json') print(errorDocument(error, command), null);
      else {
        announce(failureMessage(error, verbose ? errorDetail(error, progressStyle) : errorText(error, progressStyle)));
      }
      return errorTable[error.kind].exitCode;
    },
    written: async () => {
      await Promise.all(entries);
    },
  };
}

function print(document: JsonDocument, diagnostics: object | null): void {
  process.stdout.write(`${printableJson(printedDocument(document, diagnostics))}\n`);
}

/**
 * Writes a message to systemd's journal as one entry. If that fails, writes the message to standard error, as lines
 * with a priority.
 */
async function enter(message: Message, write: (text: string, priority: number) => void): Promise<void> {
  const { id, priority } = messageTable[message.kind];
  const { enterInJournal } = await import('../drivers/host/process/journal-entry.ts');
  const entered = await enterInJournal({
    MESSAGE: message.text,
    MESSAGE_ID: id,
    PRIORITY: String(priority),
    ...(message.transaction === null ? {} : { MICROSHIFT_NET_TX: message.transaction }),
    ...(message.error === undefined ? {} : { MICROSHIFT_NET_ERROR: message.error }),
  });
  if (!entered) write(message.text, priority);
}

/**
 * Returns true if standard error is the socket of systemd's journal. JOURNAL_STREAM names it (systemd.exec(5)), but the
 * program that started this process may have redirected standard error.
 */
function goesToJournal(): boolean {
  const stream = process.env.JOURNAL_STREAM;
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(process.stderr.fd);
  return stream === `${dev}:${ino}`;
}
