// Tables of test/cases: many small cases in one text file that is read from top to bottom.
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * A case: its name, a description, and its parts in order, each of complete lines. `=== name: about` begins a case and
 * `--- part` begins a part of it; an empty line separates cases. Characters that a reader would not see are written as
 * `{U+9}`. A table can have a part without a heading: the lines between the name and the first heading.
 */
export interface TableCase {
  readonly name: string;
  /** Description of the case; empty if the name is sufficient. */
  readonly about: string;
  readonly parts: Readonly<Record<string, string>>;
}

// Control characters except the newline, and Unicode characters that have no width or change the direction of text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/g;

/**
 * Returns the cases of a table, whose part `bare` has no heading; throws a TypeError for a repeated name or part, and
 * for a line outside of any case or part.
 */
export function casesOf(text: string, bare: string | null = null): readonly TableCase[] {
  const cases = new Map<string, TableCase>();
  for (const block of text.replace(/\n$/, '').split(/\n\n(?==== )/)) {
    const [, name, about = '', body = ''] = /^=== ([^\s:]+)(?:: ([^\n]*))?(?:\n(.*))?$/s.exec(block) ?? [];
    if (name === undefined) throw new TypeError(`no case begins here: ${block.slice(0, 80)}`);
    if (cases.has(name)) throw new TypeError(`${name} is there twice`);
    cases.set(name, { name, about, parts: partsOf(name, body, bare) });
  }
  return [...cases.values()];
}

/** Returns the text of a table, from which casesOf() reads the same cases. */
export function tableText(cases: readonly TableCase[], bare: string | null = null): string {
  const blocks = cases.map(({ name, about, parts }) => {
    const head = about === '' ? `=== ${name}\n` : `=== ${name}: ${about}\n`;
    const body = Object.entries(parts).map(([part, text], index) => {
      const isBare = part === bare && index === 0 && /^(?!--- )./.test(text);
      return `${isBare ? '' : `--- ${part}\n`}${text.replace(unseen, escaped)}`;
    });
    return [head, ...body].join('');
  });
  return blocks.join('\n');
}

/** Reads the cases of a file. */
export function readTable(path: string, bare: string | null = null): readonly TableCase[] {
  return casesOf(readFileSync(path, 'utf8'), bare);
}

/**
 * Writes the present result of each case into its table if UPDATE_CASES=1 is set; a person reviews the diff before the
 * commit.
 */
export function writeTable(path: string, cases: readonly TableCase[], bare: string | null = null): void {
  writeFileSync(path, tableText(cases, bare));
}

function partsOf(name: string, body: string, bare: string | null): Readonly<Record<string, string>> {
  const parts: Record<string, string> = {};
  let part: string | null = null;
  for (const line of body === '' ? [] : body.split('\n')) {
    const begun = /^--- (\S+)$/.exec(line)?.[1];
    if (begun !== undefined) {
      if (begun in parts) throw new TypeError(`${name} has ${begun} twice`);
      part = begun;
      parts[begun] = '';
    } else {
      part ??= bare;
      if (part === null) throw new TypeError(`${name} has a line outside of its parts: ${line}`);
      parts[part] ??= '';
      parts[part] +=
        `${line.replaceAll(/\{U\+([0-9a-f]+)\}/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))}\n`;
    }
  }
  return parts;
}

function escaped(character: string): string {
  return `{U+${character.codePointAt(0)?.toString(16)}}`;
}
