import type { CheckResult, Verdict } from '../model/examination.ts';
import { joinLines, type Style } from './style.ts';

const colours = { ok: 'green', warning: 'yellow', failed: 'red', 'not-applicable': 'dim' } as const;
const words: Readonly<Record<Verdict, string>> = {
  ok: 'ok',
  warning: 'warning',
  failed: 'FAILED',
  'not-applicable': 'n/a',
};

/**
 * Returns the report as text: a line per passed check, and evidence and fix for every other; if verbose, evidence for
 * all.
 */
export function doctorText(results: readonly CheckResult[], style: Style, verbose: boolean): string {
  const shown = results.filter((result) => verbose || result.verdict !== 'not-applicable');
  const width = Math.max(...shown.map((result) => result.id.length));
  const wordWidth = Math.max(...Object.values(words).map((word) => word.length));
  const lines = shown.flatMap((result) => {
    const { id, title, verdict } = result;
    const word = style(colours[verdict], words[verdict].padEnd(wordWidth));
    return [`${word}  ${id.padEnd(width)}  ${title}`, ...detailLines(result, wordWidth + 2, style, verbose)];
  });
  return joinLines([...lines, '', summary(results, style)]);
}

function detailLines(
  { verdict, found, fix }: CheckResult,
  indent: number,
  style: Style,
  verbose: boolean,
): readonly string[] {
  const margin = ' '.repeat(indent);
  if (!verbose && (verdict === 'ok' || verdict === 'not-applicable')) return [];
  return [
    ...found.map((line) => `${margin}${line}`),
    ...fix.map((line) => `${margin}${style('bold', 'fix:')} ${line}`),
  ];
}

function summary(results: readonly CheckResult[], style: Style): string {
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  const [bad, warned] = [count('failed'), count('warning')];
  const parts = [
    style(bad > 0 ? 'red' : 'green', `${bad} failed`),
    style(warned > 0 ? 'yellow' : 'green', `${warned} warning${warned === 1 ? '' : 's'}`),
    `${count('ok')} ok`,
    `${count('not-applicable')} not applicable`,
  ];
  return parts.join(', ');
}
