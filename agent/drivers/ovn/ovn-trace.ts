import { AgentError } from '../../errors.ts';
import { run } from '../host/exec.ts';

/** It reads the whole southbound database first: a second for a large cluster, and more on a machine that swaps. */
const traceMs = 60_000;
/** A packet meets connection tracking in two pipelines of each switch and router; ovn-trace takes what it was not told for an established connection. */
const mostLookups = 40;

/** The southbound database, and the files to reach it with where it is on another node. */
export interface TraceDatabase {
  readonly remote: string;
  readonly tls: { readonly privateKey: string; readonly certificate: string; readonly caCertificate: string } | null;
}

/** What connection tracking says of the packet: the first of its connection, or an answer. */
export type ConnectionState = 'new' | 'est,rpl';

/** Runs ovn-trace(8); what it prints in its detailed form. Fails with `command-missing` or `step-failed`. */
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
    // Of several equal routes the first: by chance it would be another one each time.
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
