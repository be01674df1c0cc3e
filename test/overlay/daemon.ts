// Daemon of a node, with a listener in the place of systemd.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { type Host, keepsCode, onlyKeepsCode } from './hosts.ts';

/** Text in the status of a daemon whose node is in the desired state. */
export const asWanted = /is in the desired state/;

/**
 * Program that listens at NOTIFY_SOCKET in the place of systemd, and prints each datagram; Node.js lacks such sockets.
 */
const notified = `
  use Socket; $| = 1;
  socket(my $s, AF_UNIX, SOCK_DGRAM, 0); bind($s, pack_sockaddr_un('/run/notify')) or die $!;
  print "listening\\n";
  while (defined recv($s, my $text, 4096, 0)) { $text =~ s/\\n/ /g; print "$text\\n"; }
`;

export interface Daemon {
  readonly pid: number;
  /** Resolves with the next message for systemd that matches. */
  reported(words: RegExp): Promise<string>;
  /**
   * Resolves with the next message for systemd that matches, or after a second. The limit is for conditions that can
   * become true without a message, such as a tunnel that works again.
   */
  reportedOrLater(words: RegExp): Promise<void>;
  /** Returns the daemon's output so far. */
  said(): string;
  /** Resolves when the daemon has ended, with its exit code, or with null if a signal ended it. */
  ended(): Promise<number | null>;
  /** Ends the daemon as systemd does, and resolves as ended() does. */
  stop(): Promise<number | null>;
}

/**
 * Starts the daemon of a node as its unit does, except for the garbage collections of a member (keep-compiled.cjs), and
 * waits until it reports readiness. `tell` receives its output, and `environment` are NAME=VALUE pairs.
 */
export async function startDaemon(
  host: Host,
  ready = /^READY=1 STATUS=\S+ is in the desired state/,
  tell = (text: string): void => void process.stderr.write(text),
  environment: readonly string[] = [],
): Promise<Daemon> {
  host.run(['rm', '-f', '/run/notify']);
  const manager = host.start('perl', '-e', notified);
  const lines = createInterface({ input: manager.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  await lines.next();
  const child = host.start(
    'env',
    'NOTIFY_SOCKET=/run/notify',
    keepsCode,
    ...environment,
    process.execPath,
    '--jitless',
    '--optimize-for-size',
    '/opt/program/microshift-net',
    'overlay',
    'run',
  );
  const gone = once(child, 'exit').then(([code]) => code as number | null);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
    tell(`# ${host.name}: ${chunk}`);
  });
  let next: Promise<IteratorResult<string>> | null = null;
  const reported = async (words: RegExp): Promise<string> => (await matching(words, null)) ?? '';
  const matching = async (words: RegExp, late: Promise<null> | null): Promise<string | null> => {
    for (;;) {
      next ??= lines.next();
      const line = await (late === null ? next : Promise.race([next, late]));
      // `late` has resolved first. The promise of the next line is kept, so that the next call does not miss that line.
      if (line === null) return null;
      next = null;
      if (line.done === true) throw new Error(`${host.name}: the daemon has ended`);
      tell(`# ${host.name} reported ${line.value}\n`);
      if (words.test(line.value)) return line.value;
    }
  };
  await reported(ready);
  const { pid } = JSON.parse(host.must('cat', '/run/microshift-net/overlay-run.json')) as { pid: number };
  return {
    pid,
    reported,
    reportedOrLater: async (words) => void (await matching(words, setTimeout(1_000, null))),
    said: () => said,
    ended: () => gone,
    stop: () => {
      host.must('kill', String(pid));
      return gone;
    },
  };
}

/** Starts the daemon of a node, which collects garbage as under its unit, so that its CPU time and memory are real. */
export function startAsUnit(host: Host): Promise<Daemon> {
  return startDaemon(host, undefined, undefined, ['FULL_COLLECTIONS=1', onlyKeepsCode]);
}
