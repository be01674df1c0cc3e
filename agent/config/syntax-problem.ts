import { escapeText } from '../printable.ts';
import type { Problem } from './problem.ts';
import { lineOf, type SourceText } from './source-text.ts';

/** Beginnings of the parser's error texts, each with the message and the hint that the agent prints instead. */
const wordings: readonly (readonly [reason: string, message: string, hint: string])[] = [
  ['tab characters', 'a tab is used for indentation', 'indent with spaces; YAML allows no tabs there'],
  [
    'bad indentation of a mapping entry',
    'this does not belong here: the value before it has ended, or the indentation is wrong',
    'write one "key: value" per line, indent keys of one level alike, and put quotes around a value with special characters',
  ],
  [
    'end of the stream or a document separator',
    'the indentation does not fit the lines above',
    'start all keys of one level in the same column',
  ],
  [
    'can not read a block mapping entry',
    'a multi-line value stands where a key is expected',
    'write "key: value" on one line',
  ],
  ['a whitespace character is expected after', 'a space is missing after the colon', 'write "key: value" with a space'],
  [
    "expected ':' after a mapping key",
    'a colon is missing after the key',
    'write "key: value" with a colon and a space',
  ],
  ['unexpected end of the stream within a flow', 'a bracket is opened and never closed', 'close it with } or ]'],
  ['unexpected end of the stream within a double', 'a quoted value is never closed', 'close it with a double quote'],
  ['unexpected end of the stream within a single', 'a quoted value is never closed', 'close it with a single quote'],
  ['unexpected end of the document within', 'a quoted value is never closed', 'close it with the quote it starts with'],
  [
    'deficient indentation',
    'a quoted value or a bracket is not closed before this line ends',
    'close it on the same line',
  ],
  ['missed comma', 'a comma is missing', 'separate the entries inside brackets with commas'],
  ['unknown escape', 'an unknown escape stands in a double-quoted value', 'use single quotes, which know no escapes'],
  ['nesting exceeded', 'the values are nested too deeply', 'settings are nested two levels deep at most'],
];

/** Returns the parser's error as a problem, with words and a position that help to fix it. */
export function syntaxProblem(source: SourceText, reason: string, offset: number): Problem {
  // The position is moved back, because the parser notices an unclosed value only at the end of the text or of its
  // indentation, often many blank lines later.
  const isUnclosed = reason.startsWith('unexpected end') || reason.startsWith('deficient');
  const place = isUnclosed ? source.text.slice(0, offset).trimEnd().length : offset;
  const tabAt = indentationTab(source, place);
  const known = wordings.find(([start]) => (tabAt === -1 ? reason.startsWith(start) : start === 'tab characters'));
  return {
    kind: 'config-syntax',
    source,
    offset: tabAt === -1 ? place : tabAt,
    message: known?.[1] ?? `not valid YAML: ${escapeText(reason, 120)}`,
    hint: known?.[2] ?? 'write one "key: value" per line',
  };
}

/**
 * Returns the offset of a tab in the indentation of the line that contains `offset`, or -1. Such a tab is the cause of
 * the error, whatever the parser reports.
 */
function indentationTab(source: SourceText, offset: number): number {
  const { start, end } = lineOf(source, offset);
  for (let at = start; at < end; at++) {
    if (source.text[at] === '\t') return at;
    if (source.text[at] !== ' ') return -1;
  }
  return -1;
}
