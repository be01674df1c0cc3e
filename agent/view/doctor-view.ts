import type { CheckResult, Verdict } from '../model/examination.ts';
import { shellLines } from './shell-lines.ts';
import { joinLines, type Style } from './style.ts';
import { hanging } from './table.ts';
import { withMoments } from './time.ts';

const colours = { ok: 'green', warning: 'yellow', failed: 'red', 'not-applicable': 'dim' } as const;
const words: Readonly<Record<Verdict, string>> = {
  ok: 'ok',
  warning: 'warning',
  failed: 'FAILED',
  'not-applicable': 'n/a',
};

export interface DoctorScreen {
  /** True to show the evidence of every check. */
  readonly verbose: boolean;
  /** Number of columns of the terminal; null for an unlimited width. */
  readonly width: number | null;
  /** Present time in milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Returns the report as text: a line per check, followed by its evidence and its fix unless it has passed. Checks that
 * do not apply are left out. If verbose, all checks are shown with their evidence. Lines wider than the screen are
 * broken and indented; a shell reads the lines of a broken fix as one command.
 */
export function doctorText(results: readonly CheckResult[], style: Style, screen: DoctorScreen): string {
  const { verbose } = screen;
  const shown = results.filter((result) => verbose || result.verdict !== 'not-applicable');
  const idWidth = Math.max(...shown.map((result) => result.id.length));
  const wordWidth = Math.max(...Object.values(words).map((word) => word.length));
  const lines = shown.flatMap((result) => {
    const { id, title, verdict } = result;
    const word = style(colours[verdict], words[verdict].padEnd(wordWidth));
    return [
      ...hanging(`${word}  ${id.padEnd(idWidth)}  `, title, wordWidth + idWidth + 4, screen.width),
      ...detailLines(result, wordWidth + 2, style, screen),
    ];
  });
  return joinLines([...lines, '', summary(results, style)]);
}

function detailLines(
  { verdict, found, fix }: CheckResult,
  indent: number,
  style: Style,
  { verbose, width, nowMs }: DoctorScreen,
): readonly string[] {
  const margin = ' '.repeat(indent);
  if (!verbose && (verdict === 'ok' || verdict === 'not-applicable')) return [];
  return [
    ...found.flatMap((line) => hanging(margin, withMoments(line, nowMs), indent + 2, width)),
    ...fix.flatMap((line) => fixLines(line, margin, style, width)),
  ];
}

function fixLines(fix: string, margin: string, style: Style, width: number | null): readonly string[] {
  const lead = 'fix: ';
  const lines = width === null ? [fix] : shellLines(fix, width - margin.length - lead.length);
  return lines.map((line, index) =>
    index === 0 ? `${margin}${style('bold', 'fix:')} ${line}` : `${margin}${' '.repeat(lead.length)}${line}`,
  );
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
