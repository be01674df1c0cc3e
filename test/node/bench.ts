// npm run bench: measures the cost of a run for a node, and of another command if one is given.
//   npm run bench -- [-n ROUNDS] [--scenario dhcp,static4] [--host-kernel] [--beside 'NAME=shell text' --files DIR]
//                    [--json FILE]
// Each round uses a fresh node for each command, in turns; times are medians. Memory and numbers of messages come from
// one further node each, which is not timed.

import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { median } from '../median.ts';
import { fineGrained } from './lan.ts';
import { countMessages, type MessageCounts } from './message-counts.ts';
import { bootNode, type MeasuredRun, measuredSettleMs } from './node.ts';

interface Subject {
  name: string;
  shell: string;
}

interface Figures extends Partial<MessageCounts> {
  wallMs: number;
  cpuMs: number;
  outageMs: number;
  totalOutageMs: number;
  secondWallMs: number;
  secondCpuMs: number;
  secondOutageMs: number;
  peakRssMb: number;
  peakAnonMb: number;
  failures: number;
}

const commandLimitMs = 300_000;
const filesDir = '/bench';
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const { values: options } = parseArgs({
  options: {
    n: { type: 'string', short: 'n', default: '3' },
    scenario: { type: 'string', default: 'dhcp,static4' },
    beside: { type: 'string', multiple: true, default: [] },
    files: { type: 'string' },
    'host-kernel': { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

async function main(): Promise<void> {
  const subjects = [{ name: 'microshift-net', shell: 'microshift-net apply' }, ...options.beside.map(toSubject)];
  const rounds = Number(options.n);
  const results: Record<string, Record<string, Figures>> = {};
  for (const scenario of options.scenario.split(',')) {
    const runs = new Map<string, MeasuredRun[][]>(subjects.map((subject) => [subject.name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
        say(`# ${scenario}: round ${round + 1} of ${rounds}, ${subject.name}`);
        runs.get(subject.name)?.push(await twice(scenario, subject));
      }
    }
    const figures: Record<string, Figures> = {};
    for (const subject of subjects) {
      say(`# ${scenario}: memory and messages, ${subject.name}`);
      figures[subject.name] = await withCosts(scenario, subject, runs.get(subject.name) ?? []);
    }
    results[scenario] = figures;
    print(scenario, figures);
  }
  if (options.json !== undefined) fs.writeFileSync(options.json, `${JSON.stringify({ rounds, results }, null, 2)}\n`);
}

function toSubject(text: string): Subject {
  const [, name, shell] = /^([\w.-]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || shell === undefined) throw new Error(`--beside wants NAME=shell text, not "${text}"`);
  return { name, shell };
}

const boot = (scenario: string): ReturnType<typeof bootNode> =>
  bootNode({
    lan: scenario,
    lanAppend: fineGrained,
    kernel: options['host-kernel'] ? 'of this machine' : 'user-mode',
    folders: options.files === undefined ? {} : { [filesDir]: options.files },
  });
const settings = {
  settleMs: measuredSettleMs,
  cwd: options.files === undefined ? '/root' : filesDir,
  timeoutMs: commandLimitMs,
};

/** Measures the first and the second run of a command on a fresh node. */
async function twice(scenario: string, subject: Subject): Promise<MeasuredRun[]> {
  const node = await boot(scenario);
  try {
    await node.callLan('before_cmd');
    const first = await node.measure(subject.shell, settings);
    return [first, await node.measure(subject.shell, settings)];
  } finally {
    await node.halt();
  }
}

async function withCosts(scenario: string, subject: Subject, runs: MeasuredRun[][]): Promise<Figures> {
  const of = (index: number, pick: (run: MeasuredRun) => number): number =>
    median(runs.flatMap((pair) => (pair[index] === undefined ? [] : [pick(pair[index])])));
  const worst = (record: Record<string, number>): number => Math.max(0, ...Object.values(record));
  const memory = await onFreshNode(scenario, (node) =>
    node.measure(subject.shell, { ...settings, settleMs: 0, sampleMemory: true }),
  );
  const counts = await onFreshNode(scenario, (node) => countMessages(node, subject.shell, settings));
  return {
    wallMs: of(0, (run) => run.wallMs),
    cpuMs: of(0, (run) => run.cpuMs),
    outageMs: of(0, (run) => worst(run.outageMs)),
    totalOutageMs: of(0, (run) => worst(run.totalOutageMs)),
    secondWallMs: of(1, (run) => run.wallMs),
    secondCpuMs: of(1, (run) => run.cpuMs),
    secondOutageMs: of(1, (run) => worst(run.outageMs)),
    peakRssMb: memory.peakRssBytes / 1e6,
    peakAnonMb: memory.peakAnonBytes / 1e6,
    ...counts,
    failures: runs.flat().filter((run) => run.exitCode !== 0).length,
  };
}

async function onFreshNode<T>(
  scenario: string,
  use: (node: Awaited<ReturnType<typeof boot>>) => Promise<T>,
): Promise<T> {
  const node = await boot(scenario);
  try {
    await node.callLan('before_cmd');
    return await use(node);
  } finally {
    await node.halt();
  }
}

const rows: [keyof Figures, string, number][] = [
  ['wallMs', 'whole run, ms', 0],
  ['cpuMs', 'CPU, ms', 0],
  ['outageMs', 'longest outage, ms', 0],
  ['totalOutageMs', 'all outages, ms', 0],
  ['secondWallMs', 'second run, ms', 0],
  ['secondCpuMs', 'second run CPU, ms', 0],
  ['secondOutageMs', 'second run outage, ms', 0],
  ['peakRssMb', 'peak resident, MB', 1],
  ['peakAnonMb', 'peak anonymous, MB', 1],
  ['dbusSent', 'D-Bus messages sent', 0],
  ['dbusReceived', 'D-Bus messages received', 0],
  ['ovsdbTransactions', 'OVSDB transactions, all', 0],
  ['failures', 'runs that failed', 0],
];

/** Prints one row per figure, with the ratio of each other command to the first in brackets. */
function print(scenario: string, figures: Record<string, Figures>): void {
  const names = Object.keys(figures);
  const first = figures[names[0] ?? ''];
  say(`\n${scenario.padEnd(26)}${names.map((name) => name.padStart(22)).join('')}`);
  for (const [key, title, digits] of rows) {
    const cells = names.map((name, i) => {
      const value = figures[name]?.[key] ?? 0;
      const ratio = i > 0 && (first?.[key] ?? 0) > 0 ? ` (${(value / (first?.[key] ?? 1)).toFixed(1)} x)` : '';
      return `${value.toFixed(digits)}${ratio}`.padStart(22);
    });
    say(`${title.padEnd(26)}${cells.join('')}`);
  }
  say('');
}

await main();
