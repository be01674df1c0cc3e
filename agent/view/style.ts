import { styleText } from 'node:util';

/** Paints text for a stream; plain where the stream is no terminal or NO_COLOR is set (no-color.org). */
export type Style = (format: 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan', text: string) => string;

/** A style that suits the stream. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const plain = !stream.isTTY || (process.env.NO_COLOR ?? '') !== '';
  return (format, text) => (plain ? text : styleText(format, text));
}

/** No colour at all. */
export const plain: Style = (_format, text) => text;

/** Control characters of text that came from outside, made visible, so that a name cannot steer a terminal. */
export function escapeControl(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
