// Repetition of the same actions on one node, after which its state has to stay the same.
import { bootNode, type TestNode } from '../node.ts';
import { type Picture, picture, pictureLike } from '../picture.ts';
import { type Trend, trendsOf } from './trend.ts';
import { type Usage, usageOf } from './usage.ts';

export interface SoakResult {
  readonly trends: readonly Trend[];
  /** Descriptions of differences, each with the number of its round. */
  readonly faults: readonly string[];
}

/** Rounds without samples, in which caches of NetworkManager and Open vSwitch fill. */
const warmUpRounds = 3;

export interface CycleOptions {
  readonly lan: string;
  readonly cycles: number;
  /** Number of rounds between two samples of the figures; the whole state is compared after ten times as many. */
  readonly sampleEvery: number;
  readonly say: (text: string) => void;
}

/** Runs `apply` and its reversal, by `disable` and by `undo` alternately. */
export async function soakCycles({ lan, cycles, sampleEvery, say }: CycleOptions): Promise<SoakResult> {
  const node = await bootNode({ lan });
  try {
    const start = await settledPicture(node);
    const samples: Usage[] = [];
    const times: Record<string, number[]> = { apply: [], disable: [], undo: [] };
    const faults: string[] = [];
    for (let round = -warmUpRounds; round < cycles; round++) {
      const back = round % 2 === 0 ? 'disable' : 'undo';
      for (const command of ['apply', back]) {
        const run = await node.run(`microshift-net ${command}`);
        if (run.exitCode !== 0) faults.push(`round ${round}, ${command}: ${run.stderr.trim()}`);
        if (round >= 0) times[command]?.push(run.wallMs);
      }
      if (round < 0 || (round + 1) % sampleEvery !== 0) continue;
      samples.push(await usageOf(node, samples.at(-1) ?? null));
      const whole = (round + 1) % (10 * sampleEvery) === 0 || round === cycles - 1;
      if (whole) faults.push(...(await driftFrom(start, node, round)));
      if (whole) say(`${round + 1} of ${cycles} cycles, ${faults.length} faults`);
    }
    return { trends: trendsOf(samples, times), faults };
  } finally {
    await node.halt();
  }
}

export interface RebootOptions {
  readonly lan: string;
  readonly reboots: number;
  readonly say: (text: string) => void;
}

/** Reboots a node repeatedly; the node's unit moves its NIC at every boot. */
export async function soakReboots({ lan, reboots, say }: RebootOptions): Promise<SoakResult> {
  const node = await bootNode({ lan, enableUnit: true });
  try {
    await unitEnded(node);
    const start = await settledPicture(node);
    const samples: Usage[] = [];
    const times: Record<string, number[]> = { 'boot until reachable': [], unit: [] };
    const faults: string[] = [];
    for (let round = 0; round < reboots; round++) {
      times['boot until reachable']?.push(await node.reboot());
      times.unit?.push(await unitEnded(node));
      faults.push(...(await driftFrom(start, node, round)));
      const verify = await node.run('microshift-net verify');
      if (verify.exitCode !== 0) faults.push(`boot ${round}, verify: ${verify.stdout}${verify.stderr}`);
      samples.push(await usageOf(node, samples.at(-1) ?? null));
      if ((round + 1) % 5 === 0) say(`${round + 1} of ${reboots} reboots, ${faults.length} faults`);
    }
    return { trends: trendsOf(samples, times), faults };
  } finally {
    await node.halt();
  }
}

/** Waits for the end of the unit's start; returns its duration in ms. */
async function unitEnded(node: TestNode): Promise<number> {
  const unit = 'microshift-ovs-init.service';
  // `start` waits for a unit that is starting, and does nothing for a unit that has started.
  await node.text(`systemctl start ${unit}`, { timeoutMs: 240_000 });
  const text = await node.text(
    `systemctl show ${unit} --value -p ExecMainStartTimestampMonotonic -p ExecMainExitTimestampMonotonic`,
  );
  const [from = 0, to = 0] = text.split('\n').map(Number);
  return Math.abs(to - from) / 1000;
}

/**
 * Takes a picture of a node after a pause of two seconds, because the address of the node answers a moment before the
 * node has its default route.
 */
async function settledPicture(node: TestNode): Promise<Picture> {
  await node.text('sleep 2');
  return pictureLike(node, await picture(node));
}

async function driftFrom(start: Picture, node: TestNode, round: number): Promise<string[]> {
  const now = await pictureLike(node, start);
  const parts = Object.keys(start) as (keyof typeof start)[];
  return parts
    .filter((part) => part !== 'files' && JSON.stringify(now[part]) !== JSON.stringify(start[part]))
    .map((part) => `round ${round}, ${part}: ${JSON.stringify(now[part])} instead of ${JSON.stringify(start[part])}`);
}
