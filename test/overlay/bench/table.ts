import { median } from '../../median.ts';

export type Figures = Readonly<Record<string, number>>;

/** Returns the median of each figure over the rounds that have this figure. */
export function medians(rounds: readonly Figures[]): Figures {
  const names = [...new Set(rounds.flatMap((round) => Object.keys(round)))];
  return Object.fromEntries(
    names.map((name) => [name, median(rounds.flatMap((round) => round[name] ?? []).filter(Number.isFinite))]),
  );
}

/**
 * Returns a table as in docs/lab/measurements.md: a row for each figure, a column for each contestant, and in brackets
 * the ratio of a figure to that of the first contestant.
 */
export function tableOf(results: ReadonlyMap<string, Figures>): string {
  const [first = {}] = results.values();
  const names = [...new Set([...results.values()].flatMap((figures) => Object.keys(figures)))];
  const cell = (name: string, figures: Figures): string => {
    const [value, own] = [figures[name], first[name]];
    if (value === undefined || Number.isNaN(value)) return '–';
    const ratio = figures === first || !own || !value ? '' : ` (${short(value / own)}×)`;
    return `${short(value)}${ratio}`;
  };
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const rows = names.map((name) => line([name, ...[...results.values()].map((figures) => cell(name, figures))]));
  return [line(['', ...results.keys()]), `|${'---|'.repeat(results.size + 1)}\n`, ...rows].join('');
}

function short(value: number): string {
  return value.toFixed(value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2);
}
