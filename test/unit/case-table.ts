// Tables of test/cases: many small cases in one text file that is read from top to bottom.
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * One case: its name, what is said about it, and its parts in their order, each of whole lines. `=== name: about`
 * begins a case and `--- part` a part of it; an empty line is before each case. What a reader would not see is written
 * as `{U+9}`. A table can have a part that needs no heading: the lines between the name and the first heading.
 */
export interface TableCase {
  readonly name: string;
  /** Empty where the name says it all. */
  readonly about: string;
  readonly parts: Readonly<Record<string, string>>;
}

// Control characters but for the newline, and those of Unicode that have no width or turn the direction of text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/g;

/**
 * The cases of a table, whose part `bare` needs no heading; throws a TypeError for a name or a part that is there
 * twice, and for a line outside of any case or part.
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

/** The text of a table, from which casesOf() reads the same cases. */
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

/** The cases of a file. */
export function readTable(path: string, bare: string | null = null): readonly TableCase[] {
  return casesOf(readFileSync(path, 'utf8'), bare);
}

/** Writes what each case comes to now into its table: UPDATE_CASES=1, to be read before it is committed. */
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
