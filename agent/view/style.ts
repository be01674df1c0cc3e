import { styleText } from 'node:util';
import { escapeCharacter } from '../printable.ts';

/** Paints text for a stream; plain where the stream is no terminal or NO_COLOR is set (no-color.org). */
export type Style = (format: 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan', text: string) => string;

/** A style that suits the stream. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const plain = !stream.isTTY || (process.env.NO_COLOR ?? '') !== '';
  return (format, text) => (plain ? text : styleText(format, text));
}

/** No colour at all. */
export const plain: Style = (_format, text) => text;

/** Joins the lines of a text. What a value brings along begins no line of its own. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => line.replaceAll('\n', '\\n')).join('\n');
}

/** Every character, without newline and tab, that steers a terminal, hides itself or turns the direction of writing. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_C}\u00ad\u200b\u2028\u2029\u2060-\u2064\ufeff]/gu;
/** The same, and what a Style puts around its text (ECMA-48, SGR). */
const special = new RegExp(`\\p{Cc}\\[(?:1|2|22|31|32|33|36|39)m|${unprintable.source}`, 'gu');

/** JSON as it may reach a terminal: the same value, with escapes for what JSON itself lets stand. */
export function printableJson(value: object): string {
  const json = JSON.stringify(value, null, 2);
  return json.replaceAll(unprintable, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A text as it may reach a terminal: what could steer it, hide something or turn the direction of writing is made visible, wherever it came from.
 * Lines, tabs and colours stay.
 */
export function printable(text: string): string {
  return text.replaceAll(special, (found) => (found.length > 2 ? found : escapeCharacter(found)));
}
