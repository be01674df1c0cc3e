// Place on a CPU for a node. User-Mode Linux switches between processes at every system call, so a node that is bound
// to one CPU is more than twice as fast and its speed varies less. A node waits for its timers for a third of its time,
// so each of two CPUs has two places; a further node waits.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { sourceDir } from './source.ts';

const cpusForNodes = 2;
/**
 * Suffixes of a CPU's locks, one for each node that may run on it. A node takes a second place only if no CPU is free.
 */
const placesOnCpu = ['', '-2'];
const firstPlaceMs = 500;
// Limit longer than the longest test file, which may hold both CPUs first.
const slotLimitMs = 1_200_000;
const readyLimitMs = 20_000;

/** Process that holds a CPU's lock and a node's disk until it is released or this process ends. */
export interface Keeper {
  cpu: number;
  pid: number;
  /** The node's root directory as a path of this machine. */
  root: string;
  release(): Promise<void>;
}

interface Candidate {
  cpu: number;
  child: ChildProcess & { stdin: NodeJS.WritableStream };
  held: Promise<string>;
  lines: AsyncIterator<string>;
}

/** Waits for a free CPU and creates a fresh disk over the base. */
export async function openKeeper(base: string, cache: string): Promise<Keeper> {
  const candidates: Candidate[] = [];
  const firstOf = (place: string): Promise<Candidate> => {
    const added = cpus.slice(-cpusForNodes).map((cpu) => candidate(cpu, place, base, cache));
    candidates.push(...added);
    return Promise.race(added.map((one) => one.held.then(() => one)));
  };
  const [first = '', ...others] = placesOnCpu;
  const free = firstOf(first);
  const chosen = await Promise.race([free, timeout(firstPlaceMs, 'a CPU without a test node')])
    .catch(() => Promise.race([free, ...others.map(firstOf), timeout(slotLimitMs, `a free CPU (locks in ${cache})`)]))
    .catch((error) => {
      for (const one of candidates) one.child.kill('SIGKILL');
      throw error;
    });
  for (const one of candidates) if (one !== chosen) one.child.kill('SIGKILL');
  const { child, cpu } = chosen;
  const pid = child.pid as number;
  child.stdin.write('go\n');
  const answer = await Promise.race([chosen.lines.next(), timeout(readyLimitMs, 'the node disk to be mounted')]);
  if (answer.value !== 'ready') throw new Error('test node: the disk could not be mounted (see the message above)');
  // On another CPU, each wake-up of this process would interrupt other nodes.
  execFileSync('taskset', ['-a', '-c', '-p', String(cpu), String(process.pid)], { stdio: 'ignore' });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    cpu,
    pid,
    root: `/proc/${pid}/root/mnt/root`,
    release: () => {
      child.stdin.end();
      return gone;
    },
  };
}

function candidate(cpu: number, place: string, base: string, cache: string): Candidate {
  const lock = path.join(cache, `cpu${cpu}${place}.lock`);
  const command = ['--pdeathsig', 'KILL', 'flock', '--no-fork', lock, 'taskset', '-c', String(cpu)];
  const child = spawn('setpriv', [...command, 'unshare', '--mount', path.join(sourceDir, 'keeper.sh'), base], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const held = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    lines.next().then(({ value, done }) => (done ? undefined : resolve(value)), reject);
  });
  return { cpu, child, held, lines };
}

/** Rejects after a time with the name of the awaited event; never keeps the process alive. */
export function timeout(ms: number, what: string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`test node: waited ${ms / 1000} s for ${what}`)), ms).unref();
  });
}

// The file is read once, because a keeper pins this process later.
const cpus = allowedCpus(fs.readFileSync('/proc/self/status', 'utf8'));

/** Returns the CPUs that this process may use, from its status file. */
function allowedCpus(status: string): number[] {
  const list = /^Cpus_allowed_list:\s+(.*)$/m.exec(status)?.[1] ?? '0';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
