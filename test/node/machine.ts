// The machine of a node: boot, power cut and end. This file does not depend on the programs inside of the node.
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { type Keeper, timeout } from './slot.ts';
import { sourceDir } from './source.ts';
import { Wire } from './wire.ts';

// Limit of a boot. A boot takes 5 to 15 s, and several times that on a busy machine.
const bootLimitMs = 180_000;
const powerOffLimitMs = 120_000;
const consoleTailChars = 4000;

/** One boot of a node. */
export interface Boot {
  number: number;
  wire: Wire;
  /** The second serial line, for a person's shell. */
  interactive: Duplex;
  /** Wall time in ms until the node accepted commands. */
  helloMs: number;
  /** Waits until the machine has turned itself off. */
  off(): Promise<void>;
  /** Cuts the power. */
  cut(): Promise<void>;
}

/** Kernel of a node: its own, or that of this machine, which has nf_tables and may lack Open vSwitch's module. */
export type NodeKernel = 'user-mode' | 'of this machine';

const bootOn: Record<NodeKernel, string[]> = {
  'user-mode': ['unshare', '-m', '-p', '-f', '--kill-child=KILL', '/bin/sh', path.join(sourceDir, 'boot.sh')],
  'of this machine': [path.join(sourceDir, 'boot-here.sh')],
};

/** Boots the node on its disk and waits until it accepts commands. */
export async function bootMachine(keeper: Keeper, number: number, memory: string, kernel: NodeKernel): Promise<Boot> {
  const started = performance.now();
  const enter = [
    '--pdeathsig',
    'KILL',
    'taskset',
    '-c',
    String(keeper.cpu),
    'nsenter',
    '-t',
    String(keeper.pid),
    '-m',
    '--',
  ];
  const child = spawn('setpriv', [...enter, ...bootOn[kernel], memory, `testnode.boot=${number}`], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' },
  });
  const log = consoleOf(child);
  const wire = new Wire(child.stdio[3] as Duplex, path.join(keeper.root, 'testnode/inbox'));
  const interactive = child.stdio[4] as Duplex;
  interactive.on('error', () => {});
  const off = new Promise<void>((resolve) => {
    child.once('close', () => {
      wire.fail(new Error(`test node: the node went off\n${log()}`));
      resolve();
    });
  });
  child.once('error', (error) => wire.fail(error));
  const cut = (): Promise<void> => {
    child.kill('SIGKILL'); // With --kill-child, the guest ends when unshare(1) ends.
    return off;
  };
  try {
    await Promise.race([wire.hello, timeout(bootLimitMs, 'the node to boot')]);
  } catch (error) {
    await cut();
    throw new Error(`${(error as Error).message}\n${log()}`);
  }
  const offInTime = (): Promise<void> => Promise.race([off, timeout(powerOffLimitMs, 'the node to power off')]);
  return { number, wire, interactive, helloMs: performance.now() - started, off: offInTime, cut };
}

/** Keeps the last part of the console's output; the returned function returns this part. */
function consoleOf(child: ChildProcess): () => string {
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-consoleTailChars);
    });
  }
  return () => tail;
}
