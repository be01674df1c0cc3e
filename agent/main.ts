import { runCommandLine } from './cli/run.ts';

// The process edge: the only place that reads argv and ends the process.

// Whoever read our output may be gone (an SSH session that died, `| head`): that ends neither a run nor its way back.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [, path = '', ...words] = process.argv;

runCommandLine(words, path).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(
      `microshift-net: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(1);
  },
);
