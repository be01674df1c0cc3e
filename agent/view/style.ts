import { styleText } from 'node:util';
import { escapeCharacter } from '../printable.ts';

/**
 * Function that formats text for a stream; it returns plain text if the stream is not a terminal, if NO_COLOR is set
 * (no-color.org), or if the terminal has no colours (TERM=dumb, terminfo(5)).
 */
export type Style = (format: 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan', text: string) => string;

/** Returns the style for a stream. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const plain = !stream.isTTY || (process.env.NO_COLOR ?? '') !== '' || process.env.TERM === 'dumb';
  // Without `validateStream`, styleText() would look at standard output instead of the stream (Node.js,
  // util.styleText).
  return (format, text) => (plain ? text : styleText(format, text, { validateStream: false }));
}

/** Style that returns the text unchanged. */
export const plain: Style = (_format, text) => text;

/** Joins lines to a text. Newlines within a line are escaped, so that a value cannot start a line. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => line.replaceAll('\n', '\\n')).join('\n');
}

/**
 * Pattern of characters, except newline and tab, that control a terminal, are invisible, or change the direction of
 * text.
 */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_C}\u00ad\u200b\u2028\u2029\u2060-\u2064\ufeff]/gu;
/** Pattern of unprintable characters, and of the sequences that a Style adds (ECMA-48, SGR). */
const special = new RegExp(`\\p{Cc}\\[(?:1|2|22|31|32|33|36|39)m|${unprintable.source}`, 'gu');

/**
 * Returns JSON with escapes for characters that JSON allows unescaped and that could control a terminal; the value is
 * the same. With an `indent` of 0 it is one line.
 */
export function printableJson(value: object, indent = 2): string {
  const json = JSON.stringify(value, null, indent);
  return json.replaceAll(unprintable, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Makes text safe for a terminal. Replaces each character that controls a terminal, is invisible, or changes the
 * direction of text by a visible escape. Keeps line feeds and tabs, and the colours of a style that adds colours. A
 * value that contains the sequence of such a colour can change the colour of the text after it, and nothing else.
 */
export function printable(text: string, style: Style): string {
  const isColoured = style('bold', '') !== '';
  return text.replaceAll(isColoured ? special : unprintable, (found) =>
    found.length > 2 ? found : escapeCharacter(found),
  );
}
