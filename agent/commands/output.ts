import type { AgentError } from '../errors.ts';
import { errorDetail, errorJson, errorText } from '../view/error-view.ts';
import { type Style, styleFor } from '../view/style.ts';

/** Where a command prints, and how. Text for people goes line by line, JSON is one document. */
export interface Output {
  readonly format: 'text' | 'json';
  readonly verbose: boolean;
  readonly style: Style;
  /** The command's result on standard output: the text, or the value as JSON. */
  result(text: string, value: object): void;
  /** A line about what is going on, on standard error. */
  say(message: string): void;
  error(error: AgentError): void;
}

/** Priorities of sd-daemon(3), for lines that end in the journal. */
const notice = '<5>';
const failure = '<3>';

/** Output for this process. */
export function openOutput(format: 'text' | 'json', verbose: boolean): Output {
  const journal = isJournal();
  const style = styleFor(process.stdout);
  const errorStyle = styleFor(process.stderr);
  return {
    format,
    verbose,
    style,
    result: (text, value) => {
      process.stdout.write(format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
    },
    say: (message) => {
      process.stderr.write(`${journal ? notice : ''}${message}\n`);
    },
    error: (error) => {
      if (format === 'json') process.stderr.write(`${JSON.stringify(errorJson(error), null, 2)}\n`);
      else {
        const text = verbose ? errorDetail(error, errorStyle) : errorText(error, errorStyle);
        process.stderr.write(
          `${text
            .split('\n')
            .map((line) => `${journal ? failure : ''}${line}`)
            .join('\n')}\n`,
        );
      }
    },
  };
}

/** systemd.exec(5): JOURNAL_STREAM is set when standard output or error goes to the journal. */
function isJournal(): boolean {
  return process.env.JOURNAL_STREAM !== undefined && !process.stderr.isTTY;
}
