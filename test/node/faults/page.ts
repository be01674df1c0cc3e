// The page docs/lab/faults.md: text that is written by hand, and below a marker the tables from the record.
import fs from 'node:fs';
import type { Fault } from './fault.ts';
import type { Cell } from './record.ts';

const pageFile = 'docs/lab/faults.md';
const marker = '<!-- Everything below is written by `npm run faults` from build/faults.json. -->';

/** Writes the tables of these cells into docs/lab/faults.md. */
export function publish(cells: readonly Cell[], faults: readonly Fault[]): void {
  const [byHand = ''] = fs.readFileSync(pageFile, 'utf8').split(marker);
  fs.writeFileSync(pageFile, `${byHand}${marker}\n\n${tables(cells, faults)}`);
}

/** Returns all tables, as Markdown. */
export function tables(cells: readonly Cell[], faults: readonly Fault[]): string {
  const armed = cells.filter((cell) => !isBlind(cell));
  const blind = cells.filter(isBlind);
  const parts = [`### Summary\n\n${totals(cells)}\n\n${perFault(cells, faults)}`];
  for (const shape of unique(armed.map((cell) => cell.shape))) {
    const own = armed.filter((cell) => cell.shape === shape);
    parts.push(`### ${shape}\n\n${matrixOf(own, faults)}\n\n${legendOf(own)}`);
  }
  if (blind.length > 0) parts.push(`### Blind sweeps\n\n${sweeps(blind, faults)}`);
  return `${parts.join('\n\n')}\n`;
}

function totals(cells: readonly Cell[]): string {
  const count = (state: Cell['state']): number => cells.filter((cell) => cell.state === state).length;
  const hands = cells.reduce((sum, cell) => sum + cell.hands, 0);
  const versions = unique(cells.map((cell) => cell.version));
  return (
    `${cells.length} cells: ${count('old')} ended in the old state, ${count('new')} in the new one, ${count('mixed')} in neither; ` +
    `repaired by hand: ${hands}. Run with ${versions.join(', ')}.`
  );
}

function perFault(cells: readonly Cell[], faults: readonly Fault[]): string {
  const rows = faults.flatMap(({ name, title }) => {
    const own = cells.filter((cell) => cell.fault === name);
    if (own.length === 0) return [];
    const of = (state: Cell['state']): string => String(own.filter((cell) => cell.state === state).length);
    const away = own.map((cell) => cell.awayMs).sort((a, b) => a - b);
    const ended = own.map((cell) => cell.endedAfterMs ?? 0);
    return [
      [
        title,
        String(own.length),
        of('old'),
        of('new'),
        of('mixed'),
        seconds(away[Math.floor(away.length / 2)] ?? 0),
        seconds(away.at(-1) ?? 0),
        name === 'power' ? '' : seconds(Math.max(...ended)),
      ],
    ];
  });
  const head = [
    'fault',
    'cells',
    'old',
    'new',
    'mixed',
    'away, median s',
    'away, worst s',
    'run ended after at most, s',
  ];
  return table(head, rows);
}

/**
 * Returns a table with a row per fault and a column per point: a cell has the final state and the silence in seconds.
 */
function matrixOf(cells: readonly Cell[], faults: readonly Fault[]): string {
  const points = pointsIn(cells);
  const rows = faults.flatMap(({ name, title }) => {
    const own = cells.filter((cell) => cell.fault === name);
    if (own.length === 0) return [];
    const entry = (point: string): string => {
      const cell = own.find((one) => one.point === point);
      return cell === undefined ? '' : `${cell.state} ${seconds(cell.awayMs)}`;
    };
    return [[title, ...points.map(entry)]];
  });
  return table(['fault', ...points.map((_, index) => String(index + 1))], rows);
}

function legendOf(cells: readonly Cell[]): string {
  return pointsIn(cells)
    .map((point, index) => `${index + 1}. ${point}: ${cells.find((cell) => cell.point === point)?.after}`)
    .join('\n');
}

/** Returns one line per sweep, with the number of times and the longest silence. */
function sweeps(cells: readonly Cell[], faults: readonly Fault[]): string {
  const rows: string[][] = [];
  for (const shape of unique(cells.map((cell) => cell.shape))) {
    for (const { name, title } of faults) {
      const own = cells.filter((cell) => cell.shape === shape && cell.fault === name);
      if (own.length === 0) continue;
      const times = own.map((cell) => atMs(cell.point)).sort((a, b) => a - b);
      const of = (state: Cell['state']): string => String(own.filter((cell) => cell.state === state).length);
      const range = `${times[0]} to ${times.at(-1)}`;
      const worst = seconds(Math.max(...own.map((cell) => cell.awayMs)));
      rows.push([shape, title, range, String(own.length), of('old'), of('new'), of('mixed'), worst]);
    }
  }
  return table(['shape', 'fault', 'ms after the start', 'cells', 'old', 'new', 'mixed', 'away, worst s'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (entries: readonly string[]): string => `| ${entries.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const order = ['before journal', 'after journal', 'after checkpoint'];

/** Returns the points in the order of a run. */
function pointsIn(cells: readonly Cell[]): readonly string[] {
  const rank = (point: string): number => {
    const step = /^after step (\d+)$/.exec(point)?.[1];
    if (step !== undefined) return order.length + Number(step);
    const index = order.indexOf(point);
    return index === -1 ? Number.MAX_SAFE_INTEGER : index;
  };
  return unique(cells.map((cell) => cell.point)).sort((a, b) => rank(a) - rank(b));
}

function isBlind(cell: Cell): boolean {
  return cell.after === 'blind';
}

function atMs(point: string): number {
  return Number(/\d+/.exec(point)?.[0] ?? 0);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
