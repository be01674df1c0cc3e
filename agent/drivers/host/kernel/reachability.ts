import { Resolver } from 'node:dns/promises';
import { run } from '../process/exec.ts';

/**
 * Time limit for the answer to an echo request or to a query of a name server. It is short, so that a silent host does
 * not delay the decision about a rollback.
 */
const answerMs = 1_000;

/**
 * Returns true if the address answers an ICMP echo request that leaves through this interface. Sends a request every
 * 200 ms until an answer arrives or limitMs, rounded up to seconds, has expired. The interface is always given, because
 * a link-local address needs it (RFC 4007 section 11).
 */
export async function answersPing(
  address: string,
  interfaceName: string,
  limitMs = answerMs,
  signal?: AbortSignal,
): Promise<boolean> {
  const seconds = String(Math.max(1, Math.ceil(limitMs / 1000)));
  const { exitCode } = await run(
    'ping',
    ['-n', '-q', '-c', '1', '-i', '0.2', '-w', seconds, '-I', interfaceName, address],
    limitMs + 1000,
    { stdin: 'ignore', ...(signal === undefined ? {} : { cancelSignal: signal }) },
  );
  return exitCode === 0;
}

/**
 * Returns true if a name server answers a query within a second. A reply with an error, such as REFUSED, is an answer,
 * because only the reachability is tested.
 */
export async function answersDns(server: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: answerMs, tries: 1 });
  resolver.setServers([server]);
  try {
    await resolver.resolveNs('.');
    return true;
  } catch (error) {
    return !['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
