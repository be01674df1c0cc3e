/**
 * Makes text from outside safe to print: control characters, marks of the writing direction, invisible characters, lone
 * surrogates and unusual spaces are escaped, and a text of more than `maxCharacters` characters is cut.
 */
export function escapeText(text: string, maxCharacters = 60): string {
  let result = '';
  let count = 0;
  for (const character of text) {
    if (count++ === maxCharacters) return `${result}…`;
    result += escapeCharacter(character);
  }
  return result;
}

/**
 * Escapes a name or value that may be mistyped. Every character beyond ASCII is escaped as well, as its code point.
 * Otherwise, a no-break space would look like a space, and a Cyrillic letter like a Latin one (Unicode Technical
 * Standard 39, confusable characters).
 */
export function visibleText(text: string, maxCharacters = 60): string {
  return escapeText(text, maxCharacters).replaceAll(/[^\x20-\x7e…]|…(?!$)/gu, codePoint);
}

function codePoint(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Returns a text as one word of a shell command that a user may copy: unchanged, or in quotes. */
export function shellWord(text: string): string {
  return /^[\w.@%+=:,/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Spaces other than the ordinary one (no-break, thin, ideographic), and the soft hyphen, which is invisible. */
const oddSpace = /(?! )\p{Zs}|\u00ad/u;

/** Returns a character in a printable form. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0a) return '\\n';
  if (code === 0x0d) return '\\r';
  if (code === 0x09) return '\\t';
  return isPrintable(code) && !oddSpace.test(character) ? character : codePoint(character);
}

function isPrintable(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  // Marks and overrides of the writing direction can change the apparent meaning of a message.
  if ((code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e)) return false;
  if ((code >= 0x2060 && code <= 0x206f) || code === 0xfeff || code === 0x61c) return false;
  return code < 0xd800 || code > 0xdfff;
}
