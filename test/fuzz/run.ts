// npm run fuzz: random inputs, until the time is over or an input causes a finding.
//   npm run fuzz -- [--minutes N] [--seed N] [target]...     every target by default
//   npm run fuzz -- --input FILE target                      one saved input
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type FuzzResult, fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

const { values: options, positionals } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    input: { type: 'string' },
  },
  allowPositionals: true,
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const names = positionals.length === 0 ? Object.keys(targets) : positionals;
const unknown = names.filter((name) => !(name in targets));
if (unknown.length > 0) throw new Error(`no such target: ${unknown.join(', ')}; there are ${Object.keys(targets)}`);
const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));

for (const name of names) {
  const limitMs = Number(options.minutes) * 60_000;
  say(`${name}: seed ${seed}, ${options.input ?? `${options.minutes} min`}`);
  const input = options.input === undefined ? {} : { input: readFileSync(options.input) };
  print(await fuzz(name, { seed, limitMs, ...input }));
}

function print(result: FuzzResult): void {
  const outcomes = Object.entries(result.outcomes).toSorted(([, a], [, b]) => b - a);
  for (const [outcome, count] of outcomes) say(`  ${String(count).padStart(9)}  ${outcome}`);
  const grownMb = Math.round(result.grownBytes / 1e6);
  say(`  ${result.inputs} inputs, slowest ${Math.round(result.slowestMs)} ms, ${grownMb} MB at the most`);
  if (result.finding === null) return;
  process.exitCode = 1;
  say(`  FINDING: ${result.finding.what}`);
  say(`  again: npm run fuzz -- --input ${result.finding.file} ${result.target}`);
}
