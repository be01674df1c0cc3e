import { runCommandLine } from './cli/run.ts';

// The process edge: the only place that reads argv and ends the process.
runCommandLine(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(
      `microshift-net: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(1);
  },
);
