// Record of the results of the cells, so that several commands can collect the results for the page docs/lab/faults.md.
import fs from 'node:fs';
import type { Outcome } from './cell.ts';

export interface Cell extends Outcome {
  shape: string;
  point: string;
  /** Action before the point. */
  after: string;
  fault: string;
  /** Version of the agent with which the cell was run. */
  version: string;
  date: string;
}

/** Returns the cells that were run before; empty if no record exists. */
export function readCells(file: string): Cell[] {
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as { cells: Cell[] }).cells : [];
}

/** Writes one line per cell, so that a run changes only the lines of its own cells. */
export function writeCells(file: string, cells: readonly Cell[]): void {
  fs.writeFileSync(file, `{"cells":[\n${cells.map((cell) => JSON.stringify(cell)).join(',\n')}\n]}\n`);
}

/** Returns the cells, with newer results in the place of older ones. */
export function merged(earlier: readonly Cell[], later: readonly Cell[]): Cell[] {
  const key = (cell: Cell): string => `${cell.shape} ${cell.fault} ${cell.point}`;
  const cells = new Map([...earlier, ...later].map((cell) => [key(cell), cell]));
  return [...cells.values()].sort((a, b) => compare(key(a), key(b)));
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
