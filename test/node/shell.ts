import type { TestNode } from './node.ts';
import { heading } from './telling.ts';

/** A person's shell on the node's second serial line, until it is left. */
export async function shell(node: TestNode): Promise<void> {
  heading('A shell in the node; leave it with "exit"');
  const { stdin, stdout } = process;
  const size = `rows ${stdout.rows ?? 24} cols ${stdout.columns ?? 80}`;
  const bash = `stty -F /dev/ttyS1 sane ${size}; setsid -c -w bash -il < /dev/ttyS1 > /dev/ttyS1 2>&1`;
  const line = node.interactive;
  line.pipe(stdout, { end: false });
  stdin.setRawMode?.(true);
  stdin.pipe(line, { end: false });
  await node.run(bash, { timeoutMs: 86_400_000, env: { TERM: process.env.TERM ?? 'linux' } });
  stdin.setRawMode?.(false);
  stdin.unpipe(line);
  line.unpipe(stdout);
  stdin.pause();
}
