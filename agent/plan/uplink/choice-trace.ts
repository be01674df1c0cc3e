import type { Observation } from '../../model/observation.ts';
import { visibleText } from '../../printable.ts';

/** Returns a phrase as one word for a trace line, with hyphens in place of spaces. */
export function word(phrase: string): string {
  return phrase.replaceAll(' ', '-');
}

/** Largest number of characters that a message shows of a name; the kernel allows 15 in an interface name. */
const shownCharacters = 40;

/**
 * Returns a name from a file for a trace line: unchanged if it can be an interface name, otherwise quoted, escaped and
 * shortened (quotedName()).
 */
export function shownName(name: string): string {
  return /^[\w.@-]{1,15}$/.test(name) ? name : quotedName(name);
}

/**
 * Returns a name from a file for a sentence: quoted, with non-ASCII characters as code points, and shortened if it has
 * more than 40 characters.
 */
export function quotedName(name: string): string {
  const quoted = (text: string): string => visibleText(JSON.stringify(text), Number.POSITIVE_INFINITY);
  return name.length <= shownCharacters
    ? quoted(name)
    : `${quoted(name.slice(0, shownCharacters))}… (${name.length} characters)`;
}

/** Returns the names of all links except lo, for messages. */
export function interfaceNames({ links }: Pick<Observation, 'links'>): readonly string[] {
  return links.map(({ name }) => name).filter((name) => name !== 'lo');
}
