import { AgentError } from '../../errors.ts';
import { readSmallFile } from './files.ts';
import { fileText } from './kernel-files.ts';
import { processStart } from './process-start.ts';

/** What a daemon came to before it could be left alone. */
export interface Detached {
  /** The line by which it said that all is done; null: it has ended. */
  readonly line: string | null;
  readonly exitCode: number;
}

/**
 * Starts this program once more, with other words, in a session of its own (daemon(7)), and waits until it prints a line or ends. What it says on standard
 * error until then is handed on; afterwards nobody listens.
 */
export async function startDetached(words: readonly string[], onError: (text: string) => void): Promise<Detached> {
  const { execa } = await import('execa');
  const [program = ''] = process.argv.slice(1);
  const child = execa(process.execPath, [...process.execArgv, program, ...words], {
    reject: false,
    buffer: false,
    cleanup: false,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
  });
  child.stderr.on('data', (chunk: Buffer) => onError(String(chunk)));
  let printed = '';
  const line = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += String(chunk);
      if (printed.includes('\n')) resolve(printed.slice(0, printed.indexOf('\n')));
    });
  });
  const first = await Promise.race([line, child]);
  if (typeof first !== 'string') {
    if (first.exitCode !== undefined) return { line: null, exitCode: first.exitCode };
    throw new AgentError('step-failed', `the daemon has ended: ${first.shortMessage}`, {
      hint: 'run it without --detach to see why',
    });
  }
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  child.unref();
  return { line: first, exitCode: 0 };
}

/** The process that a file names, if it still is one of this program; null: there is none. */
export function processOf(pidFile: string, program: string): number | null {
  const pid = Number(readSmallFile(pidFile) ?? '');
  if (!Number.isInteger(pid) || pid <= 0 || processStart(pid) === null) return null;
  return fileText(`/proc/${pid}/cmdline`)?.includes(program) === true ? pid : null;
}
