// Runs of the program on a node that stop before their next effect: a file is created or removed, rows are written, a
// program or a unit is started.
import { asCommand, type Ended, type Host, program } from './hosts.ts';

/** Marker in the output of a run that is stopped or interrupted instead of killed, by KILL_WITH. */
export const stopped = 'stopped before an effect';

/**
 * Module that the run loads first; KILL_BEFORE is the number of the effect before which the run is killed. Reads are
 * not effects, so only reads are between two kills. For other signals, the start of a program that only reads is an
 * effect too, because the run has to stop that program. A folder is removed by one effect: the remains of a folder that
 * is removed halfway are the same kind of state as the whole folder.
 */
export const countdown = `
const fs = require('node:fs');
const left = { effects: Number(process.env.KILL_BEFORE) };
const signal = process.env.KILL_WITH ?? 'SIGKILL';
const effect = () => {
  left.effects -= 1;
  if (left.effects !== 0) return;
  if (signal !== 'SIGKILL') fs.writeSync(2, '${stopped}\\n');
  process.kill(process.pid, signal);
};
const before = (object, name, counts = () => true) => {
  const original = object[name];
  object[name] = function (...words) {
    if (counts(...words)) effect();
    return original.apply(this, words);
  };
};
const isEach = process.env.KILL_ONLY === undefined;
const reads = /show-dp-features|-o,monitor|diff-flows|-j,list/;
const isRead = (words) => signal === 'SIGKILL' && reads.test(String(words));
before(fs, 'renameSync');
before(fs, 'unlinkSync', (path) => isEach && !left.isRemoving && !String(path).startsWith('/run/'));
const remove = fs.rmSync;
fs.rmSync = (...words) => {
  left.isRemoving = true;
  try {
    remove(...words);
  } finally {
    left.isRemoving = false;
  }
};
before(fs, 'rmSync', (path) => isEach && fs.existsSync(path) && !String(path).startsWith('/run/'));
before(require('node:child_process'), 'spawn', (program, words) => isEach && !isRead(words));
before(require('node:net').Socket.prototype, 'write', (chunk) =>
  /"op":"(insert|update|mutate|delete)"|"method":"(exit|ovsdb-server.reconnect)"|(Start|Stop)Unit|(En|Dis)ableUnitFiles/.test(String(chunk)));
`;
const file = '/tmp/countdown.cjs';

/** Runs the program, which receives a signal before the effect with this number. */
function runUntil(host: Host, words: readonly string[], step: number, settings: readonly string[]): Ended {
  const countedDown = [...asCommand, '--require', file, program];
  return host.run(['env', ...settings, `KILL_BEFORE=${step}`, ...countedDown, ...words]);
}

/**
 * Runs the same command repeatedly, with Ctrl-C before its first effect and before each effect that is `stride` later.
 * Calls `after` after each run. Returns the number of effects and the result of the complete run.
 */
export function interruptAtEffects(
  host: Host,
  words: readonly string[],
  stride: number,
  after: (step: number, ended: Ended) => void,
): { readonly effects: number; readonly last: Ended } {
  host.write(file, countdown);
  for (let step = 1; ; step += stride) {
    const ended = runUntil(host, words, step, ['KILL_WITH=SIGINT']);
    if (!ended.stderr.includes(stopped)) return { effects: step - 1, last: ended };
    after(step, ended);
  }
}

/**
 * Variable that limits the kills to lasting effects: files that are renamed to their final names, and rows that are
 * written. No other effect changes a lasting state.
 */
const onlyLasting = 'KILL_ONLY=lasting';

/**
 * Runs the same command once for each of its effects, and kills it before the effect. Calls `after` after each run.
 * Returns the number of effects and the result of the complete run.
 */
export function killAtEveryEffect(
  host: Host,
  words: readonly string[],
  after: (step: number) => void,
  isLasting = false,
): { readonly effects: number; readonly last: Ended } {
  host.write(file, countdown);
  for (let step = 1; ; step += 1) {
    const killed = runUntil(host, words, step, isLasting ? [onlyLasting] : []);
    if (isComplete(killed)) return { effects: step - 1, last: killed };
    after(step);
  }
}

const isComplete = ({ status, stderr }: Ended): boolean => status === 0 || stderr.includes('microshift-net: ');

/** Change between two states, by the same command. */
export interface Way {
  /** Prepares the next run, which makes the change. */
  prepare(): void;
  /** Handles a run that was killed before the effect with this number, and completes the change. */
  killed(step: number): void;
  /** Handles a complete run of this number of effects. */
  complete(ended: Ended, effects: number): void;
}

/**
 * Runs the same command alternately for a change and for the opposite change, and kills it before each lasting effect
 * of both: the completion of one change restores the state before the other one.
 */
export function killBothWays(host: Host, words: readonly string[], ways: readonly [Way, Way]): void {
  host.write(file, countdown);
  const complete = new Set<Way>();
  for (let step = 1; complete.size < 2; step += 1) {
    for (const way of ways) {
      way.prepare();
      const ended = runUntil(host, words, step, [onlyLasting]);
      if (!isComplete(ended)) way.killed(step);
      else if (!complete.has(way)) {
        complete.add(way);
        way.complete(ended, step - 1);
      }
    }
  }
}
