import { runCommandLine } from './cli/run.ts';

// The process edge: the only place that reads argv and ends the process.

const streams = [process.stdout, process.stderr];

// Whoever read our output may be gone (an SSH session that died, `| head`): that ends neither a run nor its way back.
for (const stream of streams) stream.on('error', () => undefined);

const [, path = '', ...words] = process.argv;

runCommandLine(words, path).then(end, async (error: unknown) => {
  process.stderr.write(`microshift-net: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  await end(1);
});

/** A pipe takes 64 KiB and then as much as is read; what it has not taken yet would go with the process (Node.js, "A note on process I/O"). */
async function end(code: number): Promise<void> {
  await Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
  process.exit(code);
}
