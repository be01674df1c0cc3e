import type { Observation } from '../../model/observation.ts';
import { visibleText } from '../../printable.ts';

/** A phrase as one word of a trace line. */
export function word(phrase: string): string {
  return phrase.replaceAll(' ', '-');
}

/** As much of a name that is none as a message needs; the kernel allows 15 characters. */
const shownCharacters = 40;

/** A name out of a file for a trace line: as it is when it can be one, quoted and shortened when it is something else. */
export function shownName(name: string): string {
  return /^[\w.@-]{1,15}$/.test(name) ? name : quotedName(name);
}

/** Returns a name from a file for a sentence: quoted, with non-ASCII characters as code points, and shortened if it cannot be an interface name. */
export function quotedName(name: string): string {
  const quoted = (text: string): string => visibleText(JSON.stringify(text), Number.POSITIVE_INFINITY);
  return name.length <= shownCharacters
    ? quoted(name)
    : `${quoted(name.slice(0, shownCharacters))}… (${name.length} characters)`;
}

/** Names of all links but lo, for messages. */
export function interfaceNames({ links }: Pick<Observation, 'links'>): readonly string[] {
  return links.map(({ name }) => name).filter((name) => name !== 'lo');
}
