// Style of comments and documentation, as CONTRIBUTING.md describes it under "Words": none of the patterns below is in
// agent/, in test/ or in the documentation.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';

/**
 * Words for which docs/glossary.md or plain English has a better one, and sentences without a noun or verb at their
 * start.
 */
const patterns: readonly RegExp[] = [
  /\b(?:whoever|nobody|somebody|told|tells|anew|way back|given? back|takes? back|taken back|dies)\b/,
  /\b(?:is|are|was|were) none\b/,
  /, too\b/,
  /\bReturns (?:the fact that|how)\b/,
  /\bnull without\b/,
];
/** Beginnings of a comment that do not say what the comment is about. */
const starts =
  /^(?:Of|By which|Up to which|What|Who|Those|Whatever|Whoever|Whether|Called|Set if|One that|That which)\b/;

const filesOf = (...folders: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', ...folders], { encoding: 'utf8' })
    .trim()
    .split('\n');

/** Yields the text of each comment of a source file with its line. */
function* commentsOf(source: string): Generator<readonly [line: number, text: string]> {
  const found = source.matchAll(/^[ \t]*\/\*\*?([\s\S]*?)\*\/|(?:^|\s)\/\/ (.*)$/gm);
  for (const { 0: whole, 1: block, 2: line, index } of found) {
    const text = (block ?? line ?? '').replaceAll(/^[ \t]*\* ?/gm, '').trim();
    yield [source.slice(0, index + whole.search(/\S/)).split('\n').length, text];
  }
}

/** Returns the text of a page without quoted commands and output. */
function proseOf(page: string): string {
  return page.replaceAll(/^(?:```[\s\S]*?^```| {4}.*$)/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

const isOldStyle = (text: string): boolean => patterns.some((pattern) => pattern.test(text));

const sources = filesOf('agent', 'test')
  .filter((file) => file.endsWith('.ts') && file !== 'test/prose.test.ts')
  .map((file) => ({ file, source: readFileSync(file, 'utf8') }));

t.test('comments', (t) => {
  const faults = sources.flatMap(({ file, source }) =>
    [...commentsOf(source)]
      .filter(([, text]) => starts.test(text) || isOldStyle(text))
      .map(([line, text]) => `${file}:${line}: ${text.slice(0, 120)}`),
  );
  t.strictSame(faults, []);
  t.end();
});

t.test('width of comments, except that of command lines', (t) => {
  const written = sources.filter(({ file }) => !file.includes('.generated.'));
  const faults = written.flatMap(({ file, source }) =>
    source
      .split('\n')
      .map((text, index) => ({ text, line: index + 1 }))
      .filter(({ text }) => text.length > 120 && /^\s*(?:\/\*|\*|\/\/ (?! ))/.test(text))
      .map(({ text, line }) => `${file}:${line}: ${text.slice(0, 120)}`),
  );
  t.strictSame(faults, []);
  t.end();
});

t.test('titles of tests', (t) => {
  const faults = sources.flatMap(({ file, source }) =>
    [...source.matchAll(/\bt\.test\(\s*(['"`])(.*?)\1/g)]
      .filter(([, , title = '']) => isOldStyle(title) || /^(?:what|who|those|whatever|whoever|one that)\b/.test(title))
      .map(([, , title]) => `${file}: ${title}`),
  );
  t.strictSame(faults, []);
  t.end();
});

t.test('documentation', (t) => {
  const pages = ['README.md', 'CONTRIBUTING.md', ...filesOf('docs')];
  const faults = pages.flatMap((page) =>
    proseOf(readFileSync(page, 'utf8'))
      .split('\n')
      .filter(isOldStyle)
      .map((line) => `${page}: ${line.slice(0, 140)}`),
  );
  t.strictSame(faults, []);
  t.end();
});
