import type { Readable, Writable } from 'node:stream';
import type { TestNode } from './node.ts';
import { heading } from './telling.ts';

/** Path of the second serial line; a node on this machine's kernel has pipes in its place (boot-here.sh). */
const serialLine = '/dev/ttyS1';
const dayMs = 86_400_000;

/** Connects this terminal to a shell in the node, until the shell ends. */
export async function shell(node: TestNode): Promise<void> {
  heading('A shell in the node; leave it with "exit"');
  const { stdin, stdout } = process;
  stdin.setRawMode?.(true);
  try {
    await runShell(node, stdin, stdout, `rows ${stdout.rows ?? 24} cols ${stdout.columns ?? 80}`);
  } finally {
    stdin.setRawMode?.(false);
    stdin.pause();
  }
}

/** Runs a login shell with this input and output until it ends. Fails if the node has no terminal for it. */
export async function runShell(node: TestNode, input: Readable, output: Writable, size: string): Promise<void> {
  const hasSerialLine = (await node.run(`test -c ${serialLine}`)).exitCode === 0;
  const onSerialLine = `stty -F ${serialLine} sane ${size} && setsid -c -w bash -il < ${serialLine} > ${serialLine} 2>&1`;
  const onPipes = `exec script -qec "stty ${size}; exec bash -il" /dev/null < /run/to-shell > /run/from-shell`;
  const line = node.interactive;
  line.pipe(output, { end: false });
  input.pipe(line, { end: false });
  try {
    const env = { TERM: process.env.TERM ?? 'linux' };
    const ready = hasSerialLine ? `stty -F ${serialLine} -a` : 'test -p /run/to-shell && test -p /run/from-shell';
    await node.text(ready);
    // The exit code is that of the last command in the shell.
    await node.run(hasSerialLine ? onSerialLine : onPipes, { timeoutMs: dayMs, env });
  } finally {
    input.unpipe(line);
    line.unpipe(output);
  }
}
