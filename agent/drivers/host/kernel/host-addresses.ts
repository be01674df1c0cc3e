import { lookup } from 'node:dns/promises';

/**
 * Time limit of one lookup. A resolver on the LAN answers in milliseconds, and the caller has to continue if it does
 * not.
 */
const answerMs = 2_000;

/** Addresses in the last answer for each name. They are used while the resolver does not answer. */
const known = new Map<string, readonly string[]>();

/**
 * Returns the addresses of a host name as programs of this node resolve it (getaddrinfo(3)). If the lookup fails or
 * takes too long, returns the addresses of the last answer, or an empty list if there has been none. Never fails.
 */
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
