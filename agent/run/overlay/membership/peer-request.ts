import { AgentError } from '../../../errors.ts';
import { isPeerName, largestVni, mostPeerRanges, type OverlayPeer } from '../../../model/overlay-peer.ts';
import { canonicalAddress, familyOf } from '../../../net/address.ts';
import { parseRange } from '../../../net/address-range.ts';
import { addressIn, isIpv6, macOf } from '../../../overlay/addresses.ts';
import { vtepHostPlace } from '../../../overlay/peers/vtep-rows.ts';

/** Options of `overlay peer add`. Each value of a list is one word, or several words with commas between them. */
export interface PeerOptions {
  readonly nextHop?: readonly string[];
  readonly subnet: readonly string[];
  readonly serviceSubnet?: readonly string[];
  readonly vtep?: string;
  readonly mac?: string;
  readonly vni?: string;
}

/**
 * Converts the options of `overlay peer add` to a peer, with IPv4 first in each list. Without `--mac`, the MAC of a
 * peer in VXLAN is derived from the second address of its subnet. Fails with `bad-usage` for an invalid value, and for
 * options that exclude each other.
 */
export function peerOf(
  name: string,
  { nextHop = [], subnet, serviceSubnet = [], ...inVxlan }: PeerOptions,
): OverlayPeer {
  if (!isPeerName(name))
    throw refused(`"${name}" cannot be the name of a peer`, 'write small letters, digits and hyphens, as west-2');
  if ((nextHop.length === 0) === (inVxlan.vtep === undefined))
    throw refused(
      `${name} needs either --next-hop or --vtep`,
      'write the router by which its networks are reached, or the address at which it receives VXLAN packets',
    );
  if (inVxlan.vtep !== undefined) return vtepPeerOf(name, inVxlan.vtep, inVxlan, [subnet, serviceSubnet]);
  if (inVxlan.mac !== undefined || inVxlan.vni !== undefined)
    throw refused('--mac and --vni are for a peer in VXLAN', 'write them with --vtep, or omit them');
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

function vtepPeerOf(
  name: string,
  word: string,
  { mac, vni = '0' }: Pick<PeerOptions, 'mac' | 'vni'>,
  [subnet, serviceSubnet]: readonly [readonly string[], readonly string[]],
): OverlayPeer {
  const subnets = listOf('--subnet', subnet, isRange, '10.129.4.0/24');
  const [only] = subnets;
  if (only === undefined || subnets.length > 1 || isIpv6(only) || serviceSubnet.length > 0)
    throw refused(
      `${name} has one subnet of IPv4 behind its VTEP, and no services`,
      'write one --subnet with an IPv4 range, and no --service-subnet',
    );
  const address = canonical(word);
  if (familyOf(address) !== 4) throw refused(`--vtep "${word}" is not usable`, 'write an IPv4 address, as 192.0.2.9');
  if (!/^\d{1,8}$/.test(vni) || Number(vni) > largestVni)
    throw refused(`--vni "${vni}" is not usable`, `write a number from 0 to ${largestVni}`);
  const itsMac = (mac ?? macOf(addressIn(only, vtepHostPlace))).toLowerCase();
  if (!/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(itsMac))
    throw refused(`--mac "${mac}" is not usable`, 'write it as 02:00:00:00:00:05');
  const vtep = { address, vni: Number(vni), mac: itsMac };
  return { name, nextHops: [], subnets, serviceSubnets: [], vtep };
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
