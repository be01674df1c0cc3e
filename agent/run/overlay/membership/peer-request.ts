import { AgentError } from '../../../errors.ts';
import { isPeerName, mostPeerRanges, type OverlayPeer } from '../../../model/overlay-peer.ts';
import { canonicalAddress, familyOf } from '../../../net/address.ts';
import { parseRange } from '../../../net/address-range.ts';
import { isIpv6 } from '../../../overlay/addresses.ts';

/** Options of `overlay peer add`. Each value is one word, or several words with commas between them. */
export interface PeerOptions {
  readonly nextHop: readonly string[];
  readonly subnet: readonly string[];
  readonly serviceSubnet?: readonly string[];
}

/**
 * Converts the options of `overlay peer add` to a peer, with IPv4 first in each list. Fails with `bad-usage` for an
 * invalid value.
 */
export function peerOf(name: string, { nextHop, subnet, serviceSubnet = [] }: PeerOptions): OverlayPeer {
  if (!isPeerName(name))
    throw refused(`"${name}" cannot be the name of a peer`, 'write small letters, digits and hyphens, as west-2');
  const peer = {
    name,
    nextHops: listOf('--next-hop', nextHop, (word) => familyOf(word) !== null, '192.0.2.50'),
    subnets: listOf('--subnet', subnet, isRange, '10.45.0.0/16'),
    serviceSubnets: listOf('--service-subnet', serviceSubnet, isRange, '10.46.0.0/16'),
  };
  const ranges = peer.subnets.length + peer.serviceSubnets.length;
  if (ranges <= mostPeerRanges) return peer;
  throw refused(
    `${name} has ${ranges} ranges, and more than ${mostPeerRanges} are not served`,
    'write larger ranges, which contain several of them',
  );
}

function listOf(
  option: string,
  words: readonly string[],
  is: (word: string) => boolean,
  example: string,
): readonly string[] {
  const all = words.flatMap((word) => word.split(',')).map((word) => canonical(word.trim()));
  const wrong = all.find((word) => !is(word));
  if (wrong !== undefined) throw refused(`${option} "${wrong}" is not usable`, `write it as ${example}`);
  return [...new Set(all)].toSorted((a, b) => Number(isIpv6(a)) - Number(isIpv6(b)));
}

/** Returns an address or range in the notation of the kernel, so that equal addresses and ranges have the same text. */
function canonical(word: string): string {
  const [address = '', ...length] = word.split('/');
  return [canonicalAddress(address), ...length].join('/');
}

const isRange = (word: string): boolean => parseRange(word)?.canonical === true;

function refused(message: string, hint: string): AgentError {
  return new AgentError('bad-usage', message, { hint });
}
