import { endOnInterrupt } from './cli/interrupt.ts';
import { runCommandLine } from './cli/run.ts';

// Entry point of the process: the only file that reads argv, and that ends the process with an exit code.

const streams = [process.stdout, process.stderr];

// The reader of the output may end early (a lost SSH session, `| head`). The resulting error of the stream stops
// neither a run nor its rollback.
for (const stream of streams) stream.on('error', () => undefined);

endOnInterrupt();

const [, path = '', ...words] = process.argv;

runCommandLine(words, path).then(end, async (error: unknown) => {
  process.stderr.write(`microshift-net: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  await end(1);
});

/**
 * Exits after all output has been written. A pipe accepts 64 KiB at once, and more only as its reader reads. Output
 * that is not in the pipe yet would be lost with the process (Node.js, "A note on process I/O").
 */
async function end(code: number): Promise<void> {
  await Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
  process.exit(code);
}
