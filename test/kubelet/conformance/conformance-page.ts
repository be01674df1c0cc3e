// The page docs/lab/overlay-conformance.md: text that people write, and below a marker a table that this file makes
// from the results.
import { readFileSync, writeFileSync } from 'node:fs';
import { type Reason, reasons } from './known-reasons.ts';
import type { Result } from './results.ts';
import { type Group, groupNames, testsOf } from './selection.ts';

const pageFile = 'docs/lab/overlay-conformance.md';
const marker = '<!-- Everything below is written by `npm run conformance -- --page` from build/conformance.jsonl. -->';

/** Writes the tables of these results into docs/lab/overlay-conformance.md. */
export function publish(results: readonly Result[]): void {
  const [byHand = ''] = readFileSync(pageFile, 'utf8').split(marker);
  writeFileSync(pageFile, `${byHand}${marker}\n\n${tablesOf(results, reasons)}`);
}

/**
 * Returns a Markdown table for each group that has results; the last column has the reason for each test that did not
 * pass.
 */
export function tablesOf(results: readonly Result[], known: readonly Reason[]): string {
  return `${groupNames.flatMap((group) => tableOf(group, results, known)).join('\n\n')}\n`;
}

function tableOf(group: Group, results: readonly Result[], known: readonly Reason[]): string[] {
  const names = testsOf(
    group,
    results.map(({ name }) => name),
  ).toSorted();
  const own = names.flatMap((name) => results.filter((result) => result.name === name));
  if (own.length === 0) return [];
  const rows = own.map((result) => [shortName(result.name), ...verdictOn(result, known), `${result.seconds}`]);
  const verdicts = rows.map(([, verdict]) => verdict);
  const counts = [...new Set(verdicts)].map((one) => `${verdicts.filter((each) => each === one).length} ${one}`);
  const distinct = (values: readonly string[]): string => [...new Set(values)].toSorted().join(', ');
  const head = `### ${group}`;
  const summary =
    `${own.length} tests: ${counts.join(', ')}. Kubernetes ${distinct(own.map(({ kubernetes }) => kubernetes))}, ` +
    `OVN ${distinct(own.map(({ ovn }) => ovn))}, ${distinct(own.map(({ date }) => date))}.`;
  return [
    head,
    summary,
    `${[['test', 'result', 'why', 's'], ['---', '---', '---', '---'], ...rows].map(line).join('\n')}\n`,
  ];
}

/** Returns the name of a test without the labels that all tests of the group have. */
function shortName(name: string): string {
  return name.replace(/ ?\[[^\]]+\] ?/g, ' ').trim();
}

function verdictOn({ name, state, said }: Result, known: readonly Reason[]): [string, string] {
  if (state === 'passed') return ['passed', ''];
  const reason = known.find(({ test }) => test.test(name));
  return reason === undefined ? [state, said.split('\n')[0] ?? ''] : [reason.verdict, reason.why];
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
