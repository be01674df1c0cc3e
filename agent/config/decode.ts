import { isUtf8 } from 'node:buffer';
import { type Problem, problemsError } from './problem.ts';
import { maxConfigBytes, tooLarge } from './read-files.ts';
import { type SourceText, sourceText } from './source-text.ts';

/** Decodes a file. Refuses a file that is too large, is not UTF-8, or contains control characters. */
export function decodeSource(path: string, content: Uint8Array | string): SourceText {
  if (content.length > maxConfigBytes) throw tooLarge(path);
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  // A leading byte order mark is removed, so that it does not shift the columns of the first line.
  const source = sourceText(path, text.startsWith('\ufeff') ? text.slice(1) : text);
  const fault = encodingFault(source, bytes) ?? controlCharacter(source);
  if (fault !== null) throw problemsError([fault]);
  return source;
}

function encodingFault(source: SourceText, bytes: Uint8Array): Problem | null {
  if (isUtf8(bytes)) return null;
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return isUtf16
    ? notText(source, 0, 'is UTF-16')
    : notText(source, firstBadOffset(source.text, bytes), 'is not valid UTF-8');
}

/**
 * Returns the offset of the first U+FFFD that the decoder inserted for an invalid byte. A U+FFFD that is in the file
 * itself consists of three valid bytes.
 */
function firstBadOffset(text: string, bytes: Uint8Array): number {
  let byte = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let from = 0;
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', at + 1)) {
    byte += Buffer.byteLength(text.slice(from, at));
    if (bytes[byte] !== 0xef || bytes[byte + 1] !== 0xbf || bytes[byte + 2] !== 0xbd) return at;
    from = at;
  }
  return 0;
}

/**
 * Returns a problem for the first control character that YAML does not allow (YAML 1.2.2, section 5.1; NEL is allowed);
 * null if the text has none.
 */
function controlCharacter(source: SourceText): Problem | null {
  const found = /(?![\t\n\r\u0085])\p{Cc}/u.exec(source.text);
  if (found === null) return null;
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return notText(source, found.index, `holds ${code === '0000' ? 'a NUL byte' : `the control character U+${code}`}`);
}

function notText(source: SourceText, offset: number, what: string): Problem {
  return {
    kind: 'config-syntax',
    source,
    offset,
    message: `the file ${what}`,
    hint: 'write the file again as plain UTF-8 text',
  };
}
