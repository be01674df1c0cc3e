import { Resolver } from 'node:dns/promises';
import { run } from './exec.ts';

/** A neighbour that has not answered within a second is not one to hold a rollback decision on. */
const answerMs = 1_000;

/**
 * True when the address answers an ICMP echo that leaves through this interface; asks up to five times within limitMs.
 * A link-local address needs the interface anyway (RFC 4007 section 11).
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

/** True when the name server answers at all, be it with a refusal: the question is whether it is reachable. */
export async function answersDns(server: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: answerMs, tries: 1 });
  resolver.setServers([server]);
  try {
    await resolver.resolveNs('.');
    return true;
  } catch (error) {
    return !['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED', 'EREFUSED_BY_HOST'].includes(
      (error as NodeJS.ErrnoException).code ?? '',
    );
  }
}
