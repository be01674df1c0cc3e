// One cell of the table of faults: a run, a fault at one point of the run, and the outcome for the node.
import { faultFile } from '../../../agent/run/fault-points.ts';
import { armFault, letGoOfRun } from '../armed-fault.ts';
import type { RunningCommand, RunResult } from '../command.ts';
import type { TestNode } from '../node.ts';
import {
  dataPath,
  differences,
  type Picture,
  picture,
  pictureLike,
  withoutDataPath,
  withoutPortMacs,
} from '../picture.ts';
import { type Fault, lastsMs } from './fault.ts';

export interface Outcome {
  state: 'old' | 'new' | 'mixed';
  /** Longest silence from the fault until the node has settled; if the LAN itself was cut, from the end of the cut. */
  awayMs: number;
  /** Exit code or signal of the run. */
  end: string;
  /** Time from the fault to the end of the run; null if the machine was turned off. */
  endedAfterMs: number | null;
  /** Number of repairs by hand that the node needed; 0 if it became reachable by itself. */
  hands: number;
}

/** The two permitted final states of a node. */
export interface Ends {
  readonly old: Picture;
  readonly new: Picture;
}

/** Fault that is armed at a named point, or kill of the agent at a time in ms after its start. */
export type Point = string | { readonly afterMs: number };

const apply = 'microshift-net apply';
const runLimitMs = 280_000;
/** Limit for NetworkManager's timer, a restart by systemd and a whole run, on a busy machine. */
const settleLimitMs = 60_000;
const powerOnLimitMs = 60_000;
/**
 * Interval between two pictures: each picture uses the node's CPU for half a second, and the awaited change needs the
 * CPU.
 */
const againMs = 1000;

/** Runs one cell. The node stays in the final state. */
export async function runCell(node: TestNode, ends: Ends, fault: Fault, point: Point): Promise<Outcome> {
  await fault.prepare?.(node);
  try {
    return fault.powerOff ? await powerCell(node, ends, fault, point) : await standingCell(node, ends, fault, point);
  } finally {
    if (!fault.powerOff) await node.text(letGoOfRun);
    await fault.cleanUp?.(node);
  }
}

async function standingCell(node: TestNode, ends: Ends, fault: Fault, point: Point): Promise<Outcome> {
  // If the fault hits the agent itself, the silence counts from the start of the run, because a run without a fault
  // causes none.
  let since = await node.now();
  const command = await started(node, fault, point);
  const selfInflicted = fault.action !== 'hold' || fault.keepsHolding === true || typeof point !== 'string';
  if (!selfInflicted) {
    await command.saw(`armed fault: held ${point}`);
    since = await node.now();
  }
  await fault.strike?.({ node, command });
  if (fault.name === 'clock') since = await node.now();
  if (fault.action === 'hold' && !fault.keepsHolding) await node.text(letGoOfRun);
  if (fault.passes !== undefined) {
    // Unless the fault lasts as long as the run, it ends after a fixed time.
    const seconds = new Promise((resolve) => setTimeout(resolve, lastsMs));
    await Promise.race(fault.lasts === 'run' ? [command.ended] : [command.ended, seconds]);
    await fault.passes({ node, command });
    if (fault.lasts !== 'run') since = await node.now();
  }
  const run = await command.ended;
  if (typeof point === 'string') await wasStruck(node, point, run);
  const state = await settled(node, ends, fault);
  const outage = (await node.outages(since, await node.now()))[node.lan.ip4];
  return {
    state,
    awayMs: outage?.longestMs ?? 0,
    end: String(run.exitCode ?? run.signal),
    endedAfterMs: Math.max(0, Math.round(run.endedAt - since)),
    hands: state === 'mixed' ? 1 : 0,
  };
}

async function powerCell(node: TestNode, ends: Ends, fault: Fault, point: Point): Promise<Outcome> {
  const command = await started(node, fault, point);
  command.ended.catch(() => {}); // The error is ignored, because the fault may end the connection.
  if (typeof point === 'string') await command.saw(`armed fault: held ${point}`);
  // In a sweep, the fault happens at a time after the start of the run, and not at a point of the run.
  else await new Promise((resolve) => setTimeout(resolve, point.afterMs));
  await fault.strike?.({ node, command });
  const awayMs = await node.boot();
  const state = await settled(node, ends, fault);
  return { state, awayMs, end: 'power', endedAfterMs: null, hands: state === 'mixed' ? 1 : 0 };
}

async function started(node: TestNode, fault: Fault, point: Point): Promise<RunningCommand> {
  const start = fault.start ?? apply;
  const options = { timeoutMs: runLimitMs, env: { ...fault.env } };
  if (typeof point !== 'string') {
    const seconds = (point.afterMs / 1000).toFixed(3);
    const kill = fault.powerOff ? 'wait' : `sleep ${seconds}; kill -KILL $!; wait $!`;
    return node.start(`${start} & ${kill}`, options);
  }
  await armFault(node, point, fault.action);
  return node.start(start, options);
}

/** Throws if the run has not reached the point: the node would seem to have survived a fault that did not happen. */
async function wasStruck(node: TestNode, point: string, run: RunResult): Promise<void> {
  // The run that reaches the point renames the file; a run that is killed there may not have printed its message yet.
  if ((await node.run(`test -e ${faultFile}`)).exitCode !== 0) return;
  throw new Error(`the run never came to "${point}":\n${`${run.stderr}${run.stdout}`.slice(-2000)}`);
}

/**
 * Waits until NetworkManager has no checkpoint and the node is in one of its two permitted final states; returns the
 * name of the state, or `mixed` after a limit.
 */
async function settled(node: TestNode, ends: Ends, fault: Fault): Promise<Outcome['state']> {
  const limit = performance.now() + settleLimitMs;
  const left = (): number => limit - performance.now();
  while (left() > 0 && !(await withoutCheckpoint(node))) {
    await new Promise((resolve) => setTimeout(resolve, 250)); // NetworkManager may be stopped, so no event is awaited.
  }
  for (;;) {
    const now = await picture(node);
    if (endsLike(withoutPortMacs(now), withoutPortMacs(ends.new), fault)) return 'new';
    if (fault.endsNew !== true && endsLike(now, ends.old, fault)) return 'old';
    if (left() <= 0) return endsLike(now, ends.old, fault) ? 'old' : 'mixed';
    await new Promise((resolve) => setTimeout(resolve, againMs)); // No single event reports that all units are done.
  }
}

async function withoutCheckpoint(node: TestNode): Promise<boolean> {
  const name = 'org.freedesktop.NetworkManager';
  const { stdout } = await node.run(`busctl get-property ${name} /org/freedesktop/NetworkManager ${name} Checkpoints`);
  return stdout.trim() === 'ao 0';
}

function endsLike(now: Picture, wanted: Picture, { leavesDataPath, leavesManaged }: Fault): boolean {
  const compared = (shown: Picture): Picture => {
    const without = leavesDataPath ? withoutDataPath(shown) : shown;
    return leavesManaged ? withIdleUnmanaged(without) : without;
  };
  return like(compared(now), compared(wanted));
}

/** Treats an interface of Open vSwitch that NetworkManager manages without a profile as one that it does not manage. */
function withIdleUnmanaged(shown: Picture): Picture {
  const devices = shown.devices.map((device) =>
    device.replace(/ ovs-interface disconnected $/, ' ovs-interface unmanaged '),
  );
  return { ...shown, devices };
}

function like(now: Picture, wanted: Picture): boolean {
  return JSON.stringify(now) === JSON.stringify(wanted);
}

/**
 * Returns the node to its old state by `disable`, which must succeed after every fault; false if the node needs a boot.
 * Remains of the fault may stay until the next bridge is built.
 */
export async function pristine(node: TestNode, ends: Ends, fault?: Fault): Promise<boolean> {
  const disable = 'microshift-net disable';
  const whole = `${apply} && ${disable}`;
  // Some faults leave remains that their own run could not remove; another run removes them before the next cell.
  const hung = fault?.lasts === 'run' || fault?.leavesManaged ? whole : 'true';
  const again = fault?.leavesDataPath ? `[ ! -e /sys/class/net/${dataPath} ] || { ${whole}; }` : hung;
  const run = await node.run(`${disable} && ${again}`, { timeoutMs: runLimitMs }).catch(() => null);
  return run?.exitCode === 0 && like(await pictureLike(node, ends.old), ends.old);
}

/** Returns the differences of the node from each of its two permitted final states. */
export async function unlike(node: TestNode, ends: Ends): Promise<Record<keyof Ends, readonly string[]>> {
  const now = await picture(node);
  return { old: differences(now, ends.old), new: differences(now, ends.new) };
}

/**
 * Returns the old and the new state of this node, and leaves the node in the old state. `whileNew` runs in the new
 * state, and does not change it.
 */
export async function endsOf(node: TestNode, whileNew?: () => Promise<unknown>): Promise<Ends> {
  const before = await picture(node);
  const run = await node.run(apply);
  if (run.exitCode !== 0) throw new Error(`apply does not work without a fault:\n${run.stderr}`);
  await node.ready(powerOnLimitMs);
  const after = await picture(node);
  await whileNew?.();
  const ends = { old: before, new: after };
  if (!(await pristine(node, ends))) {
    const { old } = await unlike(node, ends);
    throw new Error(`disable does not restore the old state without a fault:\n${old.join('\n')}`);
  }
  return ends;
}
