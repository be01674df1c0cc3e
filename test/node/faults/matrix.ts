// npm run faults: every fault at every point of a run, on every shape of uplink; keeps the cells in build/faults.json,
// and writes docs/lab/faults.md from them once they cover every shape.
//   npm run faults -- [--shape dhcp,static4] [--fault kill,nm-kill] [--point 'after step 5,before journal'] [--sweep 0:1500:50]
//                     [--missing] [--minutes 9] [--page-only]
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { busProxy, busProxyPath } from '../bus-proxy.ts';
import { fineGrained } from '../lan.ts';
import { microshiftStandIn, withIpv6 } from '../microshift-stand-in.ts';
import { bootNode, type TestNode } from '../node.ts';
import { type Ends, endsOf, type Outcome, type Point, pristine, runCell, unlike } from './cell.ts';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';
import { publish } from './page.ts';
import { type NamedPoint, pointsOf } from './points.ts';
import { type Cell, merged, readCells, writeCells } from './record.ts';

const recordFile = 'build/faults.json';
const shapes = ['dhcp', 'static4', 'vlan', 'bond-ab', 'bond-8023ad', 'microshift'];
/** Faults that can happen at a time instead of at a point, because the run need not be held for them. */
const blind = ['kill', 'power'];
/** Longest accepted silence after a kill of the agent. */
const killedLimitMs = 15_000;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const { values: options } = parseArgs({
  options: {
    shape: { type: 'string', default: shapes.join(',') },
    fault: { type: 'string', default: faults.map((fault) => fault.name).join(',') },
    point: { type: 'string' },
    sweep: { type: 'string' },
    missing: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    'page-only': { type: 'boolean', default: false },
  },
});
const started = performance.now();
const timeIsUp = (): boolean =>
  options.minutes !== undefined && performance.now() - started > Number(options.minutes) * 60_000;

async function main(): Promise<void> {
  let bad = 0;
  if (!options['page-only']) for (const shape of options.shape.split(',')) bad += await runShape(shape);
  const cells = readCells(recordFile);
  if (shapes.every((shape) => cells.some((cell) => cell.shape === shape))) publish(cells, faults);
  else say(`docs/lab/faults.md stays as it is: ${recordFile} does not cover ${shapes.join(', ')}`);
  if (options['page-only']) return;
  say(bad === 0 ? 'every cell of this run ended old or new, by itself' : `${bad} cells did not keep the promise`);
  process.exitCode = bad === 0 ? 0 : 1;
}

/** Runs the requested cells on one kind of uplink; returns the number of cells that violate a promise. */
async function runShape(shape: string): Promise<number> {
  const version = versionNow();
  let node = await boot(shape);
  let bad = 0;
  try {
    const points = wantedPoints(await pointsOf(node));
    const chosen = options.fault.split(',').map((name) => named(name));
    let ends = await endsOf(node);
    for (const { point, after } of points) {
      for (const fault of chosen) {
        if (timeIsUp()) return bad;
        const label = typeof point === 'string' ? point : `at ${point.afterMs} ms`;
        if (fault.impossible?.(shape) != null) continue;
        if (typeof point !== 'string' && !blind.includes(fault.name)) continue;
        if (options.missing && has(shape, label, fault)) continue;
        const outcome = await attempt(node, ends, fault, point);
        const broken = breaksPromise(fault, outcome);
        bad += broken ? 1 : 0;
        say(`${shape} ${label} (${after}), ${fault.title}: ${summary(outcome)}${broken ? '  <-- BROKEN' : ''}`);
        record({
          shape,
          point: label,
          after,
          fault: fault.name,
          ...outcome,
          version,
          date: new Date().toISOString().slice(0, 10),
        });
        if (!(await pristine(node, ends, fault))) {
          say(`# ${shape}: a fresh node, because disable did not bring the old state back`);
          bad += 1;
          await node.halt();
          node = await boot(shape);
          ends = await endsOf(node);
        }
      }
    }
  } finally {
    await node.halt();
  }
  return bad;
}

async function attempt(node: TestNode, ends: Ends, fault: Fault, point: Point): Promise<Outcome> {
  const outcome = await runCell(node, ends, fault, point);
  if (breaksPromise(fault, outcome)) {
    fs.mkdirSync('build/faults', { recursive: true });
    const log = `build/faults/${fault.name}-${JSON.stringify(point).replaceAll(/\W+/g, '-')}.log`;
    const facts =
      'microshift-net history; nmcli connection; nmcli device; ip addr; ip route; ovs-vsctl show; ovs-dpctl show';
    fs.writeFileSync(
      log,
      `${JSON.stringify(await unlike(node, ends), null, 1)}\n${(await node.run(facts)).stdout}${await node.journal()}`,
    );
    say(`# see ${log}`);
  }
  return outcome;
}

function breaksPromise(fault: Fault, outcome: Outcome): boolean {
  const killed = fault.action === 'kill' || fault.action === 'exhaust-memory';
  return outcome.state === 'mixed' || outcome.hands > 0 || (killed && outcome.awayMs > killedLimitMs);
}

function wantedPoints(all: readonly NamedPoint[]): readonly { point: Point; after: string }[] {
  if (options.sweep !== undefined) {
    const [from = 0, to = 0, step = 50] = options.sweep.split(':').map(Number);
    const count = Math.floor((to - from) / step) + 1;
    return Array.from({ length: count }, (_, i) => ({ point: { afterMs: from + i * step }, after: 'blind' }));
  }
  if (options.point === undefined) return all;
  const asked = options.point.split(',');
  return all.filter(({ point, after }) => asked.some((text) => point === text || after.startsWith(text)));
}

async function boot(shape: string): Promise<TestNode> {
  const files = { [busProxyPath]: busProxy };
  if (shape !== 'microshift') return bootNode({ lan: shape, lanAppend: fineGrained, enableRepair: true, files });
  // Files of a node with MicroShift's own br-ex, in which other programs have entries.
  const stoodIn = { ...files, ...microshiftStandIn };
  const node = await bootNode({
    lan: 'dhcp',
    lanAppend: `${withIpv6}\n${fineGrained}`,
    enableRepair: true,
    files: stoodIn,
  });
  await node.text('systemctl start microshift-stand-in');
  return node;
}

function named(name: string): Fault {
  const fault = faults.find((entry) => entry.name === name);
  if (fault === undefined)
    throw new Error(`no fault named ${name}; there are ${faults.map((entry) => entry.name).join(', ')}`);
  return fault;
}

function has(shape: string, point: string, fault: Fault): boolean {
  return readCells(recordFile).some(
    (cell) => cell.shape === shape && cell.point === point && cell.fault === fault.name,
  );
}

/** Adds the result of a cell to the record; a call after each cell keeps the results of an interrupted command. */
function record(cell: Cell): void {
  writeCells(recordFile, merged(readCells(recordFile), [cell]));
}

function versionNow(): string {
  const { version } = JSON.parse(fs.readFileSync('package.json', 'utf8')) as { version: string };
  return `${version} (${execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim()})`;
}

function summary(outcome: Outcome): string {
  const ended =
    outcome.endedAfterMs === null
      ? ''
      : `, the run ended with ${outcome.end} after ${(outcome.endedAfterMs / 1000).toFixed(1)} s`;
  return `${outcome.state}, away for ${(outcome.awayMs / 1000).toFixed(1)} s${ended}`;
}

await main();
