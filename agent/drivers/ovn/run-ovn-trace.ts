import { AgentError } from '../../errors.ts';
import { run } from '../host/process/exec.ts';

/**
 * Time limit for a trace. ovn-trace reads the whole southbound database first, which takes a second for a large
 * cluster, and more on a machine that swaps.
 */
const traceMs = 60_000;
/**
 * Number of `--ct` options, each of which gives ovn-trace the result of one lookup in connection tracking. A packet can
 * cause a lookup in both pipelines of each switch and router. For a lookup without an option, ovn-trace assumes an
 * established connection.
 */
const mostLookups = 40;

/** Remote of the southbound database, with the TLS files that are needed if it is on another node. */
export interface TraceDatabase {
  readonly remote: string;
  readonly tls: { readonly privateKey: string; readonly certificate: string; readonly caCertificate: string } | null;
}

/** State of the packet's connection: `new` for its first packet, `est,rpl` for a reply. */
export type ConnectionState = 'new' | 'est,rpl';

/** Runs ovn-trace(8) and returns its detailed output. Fails with `command-missing` or `step-failed`. */
export async function ovnTrace(
  { remote, tls }: TraceDatabase,
  datapath: string,
  flow: string,
  state: ConnectionState,
): Promise<string> {
  const words = [
    `--db=${remote}`,
    ...(tls === null ? [] : ['-p', tls.privateKey, '-c', tls.certificate, '-C', tls.caCertificate]),
    ...Array.from({ length: mostLookups }, () => `--ct=${state}`),
    // ovn-trace uses the first of several equal routes, because a random choice would differ between runs.
    '--select-id=1',
    datapath,
    flow,
  ];
  const { exitCode, stdout, stderr, failure } = await run('ovn-trace', words, traceMs);
  if (exitCode === 0) return stdout;
  throw new AgentError('step-failed', `ovn-trace could not follow the packet: ${stderr.trim() || failure}`, {
    hint: `check that the southbound database at ${remote} answers: microshift-net overlay verify`,
    facts: { flow },
  });
}
