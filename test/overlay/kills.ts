// Runs of the program on a node that stop before their next effect: a file is created or removed, rows are written, a
// program or a unit is started.
import { asCommand, type Ended, type Host, program } from './hosts.ts';

/** Marker in the output of a run that is stopped or interrupted instead of killed, by KILL_WITH. */
export const stopped = 'stopped before an effect';

/**
 * Module that the run loads first; KILL_BEFORE is the number of the effect before which the run is killed. Reads are
 * not effects, so only reads are between two kills. For other signals, the start of a program that only reads is an
 * effect too, because the run has to stop that program. The removal of a folder counts as one effect, because a
 * folder that is removed in part is treated in the same way as a whole one. openssl(1) does not count for a kill,
 * because it writes only into such a folder. The removal of files in /run and /tmp does not count, because they are
 * temporary.
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
const reads = /show-dp-features|-o,monitor|diff-flows|-j,list|openssl/;
const isRead = (...words) => signal === 'SIGKILL' && reads.test(String(words));
const isLost = (path) => fs.existsSync(path) && !/^\\/(run|tmp)\\//.test(path);
before(fs, 'renameSync');
before(fs, 'unlinkSync', (path) => isEach && !left.isRemoving && isLost(path));
const remove = fs.rmSync;
fs.rmSync = (...words) => {
  left.isRemoving = true;
  try {
    remove(...words);
  } finally {
    left.isRemoving = false;
  }
};
before(fs, 'rmSync', (path) => isEach && isLost(path));
before(require('node:child_process'), 'spawn', (program, words) => isEach && !isRead(program, words));
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
 * Runs the same command repeatedly, with Ctrl-C before its first effect and before each effect that is `usual` later;
 * INTERRUPT_STRIDE=1 tests each effect. Calls `after` after each run. Returns the number of effects and the result of
 * the complete run.
 */
export function interruptAtEffects(
  host: Host,
  words: readonly string[],
  usual: number,
  after: (step: number, ended: Ended) => void,
): { readonly effects: number; readonly last: Ended } {
  host.write(file, countdown);
  const stride = Number(process.env.INTERRUPT_STRIDE ?? usual);
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

/** Change of a node. */
export interface Change {
  /** Command that makes the change. */
  readonly words: readonly string[];
  /** Prepares the next run, which makes the change. */
  prepare?(): void;
  /** Handles a run that was killed before the effect with this number, and prepares for the next change. */
  killed(step: number): void;
  /** Handles the first complete run, which has this number of effects. */
  complete(ended: Ended, effects: number): void;
}

/**
 * Makes the changes in turn, and kills each before its first effect, then each before its second effect, until all are
 * complete: the state after one change is the state before the next.
 */
export function killInTurn(host: Host, changes: readonly Change[], isLasting = false): void {
  host.write(file, countdown);
  const complete = new Set<Change>();
  for (let step = 1; complete.size < changes.length; step += 1) {
    for (const change of changes) {
      change.prepare?.();
      const ended = runUntil(host, change.words, step, isLasting ? [onlyLasting] : []);
      if (!isComplete(ended)) change.killed(step);
      else if (!complete.has(change)) {
        complete.add(change);
        change.complete(ended, step - 1);
      }
    }
  }
}
