import { AgentError } from '../errors.ts';
import { escapeCharacter, escapeText } from '../printable.ts';
import { columnOf, lineOf, type SourceText } from './source-text.ts';

/** Largest number of problems that are collected; a file with more is damaged as a whole. */
export const maxProblems = 100;

/** Problem at a position of a file. */
export interface Problem {
  readonly kind: 'config-syntax' | 'config-invalid';
  readonly source: SourceText;
  readonly offset: number;
  /** Description of the problem, without its position in the file. */
  readonly message: string;
  /** Correct form of the setting. */
  readonly hint: string;
}

const maxReported = 20;
/** Number of characters of a source line that are shown on either side of a problem's position. */
const snippetReach = 70;

/**
 * Returns the error for a file's problems. Its message is the first problem in the file; its facts have up to 19 more
 * problems.
 */
export function problemsError(problems: readonly Problem[]): AgentError {
  const [first, ...others] = [...problems].sort((a, b) => a.offset - b.offset);
  if (first === undefined) return new AgentError('internal', 'a configuration error without a problem');
  const reported = others.slice(0, maxReported - 1);
  return new AgentError(first.kind, located(first), {
    hint: first.hint,
    facts: {
      file: first.source.path,
      line: lineOf(first.source, first.offset).number,
      column: columnOf(first.source, first.offset),
      snippet: snippet(first),
      problemCount: problems.length,
      ...(reported.length > 0 && {
        moreProblems: reported.map((problem) => `${located(problem)}; ${problem.hint}`),
        moreSnippets: reported.map(snippet),
      }),
    },
  });
}

function located({ source, offset, message }: Problem): string {
  return `${escapeText(source.path, 200)}:${lineOf(source, offset).number}:${columnOf(source, offset)}: ${message}`;
}

/** Returns the source line with its number and a caret below the position. A long line is cut around the position. */
function snippet({ source, offset }: Problem): string {
  const { number, start, end } = lineOf(source, offset);
  const from = Math.max(start, offset - snippetReach);
  const to = Math.min(end, offset + snippetReach);
  const before = `${from > start ? '…' : ''}${printable(source.text.slice(from, offset))}`;
  const after = `${printable(source.text.slice(offset, to))}${to < end ? '…' : ''}`;
  const margin = ' '.repeat(String(number).length);
  return `${number} | ${before}${after}\n${margin} | ${' '.repeat(Array.from(before).length)}^`;
}

function printable(text: string): string {
  return Array.from(text, (one) => (one === '\t' ? ' ' : escapeCharacter(one))).join('');
}
