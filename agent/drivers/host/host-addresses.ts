import { lookup } from 'node:dns/promises';

/** A resolver on the LAN answers in milliseconds. Whoever asks here has to go on without one. */
const answerMs = 2_000;

/** The last answer for each name: a resolver that is away takes nothing back. */
const known = new Map<string, readonly string[]>();

/** The addresses of a host name, as programs of this node find them (getaddrinfo(3)); those of before where no answer comes in time. Never fails. */
export async function addressesOfHost(name: string): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), answerMs);
  });
  const answer = lookup(name, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => null,
  );
  const addresses = await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  if (addresses !== null) known.set(name, addresses);
  return known.get(name) ?? [];
}
