import { AgentError } from '../../../errors.ts';
import { canonicalAddress, familyOf } from '../../../net/address.ts';
import { parseRange } from '../../../net/address-range.ts';
import { bridgeFor } from '../../../overlay/gateway/own-gateway.ts';
import type { AskedGateway } from './set-gateway.ts';

/** Command-line options of a gateway; lists are separated by commas. */
export interface GatewayOptions {
  readonly interface?: string;
  readonly bridge?: string;
  /** Addresses of the gateway: `auto`, or one `address/prefix` per family. */
  readonly address?: string;
  /** Next hops of the gateway: `auto`, or one address per family. */
  readonly nextHop?: string;
  readonly vlan?: number;
  readonly subnets?: string;
  /**
   * With `vip`, several nodes have the same gateway address in their configuration, and the address moves between them.
   */
  readonly highAvailability?: 'vip';
}

/**
 * Pattern of interface names that can be written into settings of OVN. The kernel also permits other characters, except
 * white space, slash and colon, in its names of up to 15 bytes.
 */
const deviceName = /^[A-Za-z0-9._-]{1,15}$/;

/** Converts the options of `overlay gateway` to a request. Fails with `bad-usage` for an invalid value. */
export function requestOf(options: GatewayOptions): AskedGateway {
  const { interface: nic, bridge, address = 'auto', nextHop = 'auto', vlan, subnets, highAvailability } = options;
  if (nic !== undefined && bridge !== undefined)
    throw refused('--interface and --bridge are two gateways', 'write one of them');
  if (highAvailability === 'vip' && address === 'auto')
    throw refused(
      'the address that moves between nodes is not known',
      'say it with --address, the same on each of them',
    );
  const name = nic ?? bridge ?? 'br-ex';
  if (!deviceName.test(name)) throw refused(`"${name}" cannot be an interface of a gateway`, 'write its name, as eth1');
  return {
    bridge: nic === undefined ? name : bridgeFor(nic),
    interface: nic ?? null,
    addresses: address === 'auto' ? 'auto' : listOf('--address', address, isAddress, '192.0.2.11/24'),
    nextHops: nextHop === 'auto' ? 'auto' : listOf('--next-hop', nextHop, isHop, '192.0.2.1'),
    vlan: vlan ?? null,
    subnets: subnets === undefined ? [] : listOf('--subnets', subnets, isSubnet, '10.42.1.0/24'),
    ...(highAvailability === 'vip' && { isVip: true }),
  };
}

function listOf(option: string, text: string, is: (word: string) => boolean, example: string): readonly string[] {
  const words = [...new Set(text.split(',').map((word) => canonical(word.trim())))];
  const wrong = words.find((word) => !is(word));
  if (wrong === undefined) return words;
  throw refused(`${option} "${wrong}" is not usable`, `write it as ${example}; several with commas`);
}

/**
 * Returns an address or range in the notation of the kernel, so that it can be compared with addresses and ranges of
 * the kernel.
 */
function canonical(word: string): string {
  const [address = '', ...length] = word.split('/');
  return [canonicalAddress(address), ...length].join('/');
}

const isAddress = (word: string): boolean => parseRange(word) !== null;
const isHop = (word: string): boolean => familyOf(word) !== null;
const isSubnet = (word: string): boolean => parseRange(word)?.canonical === true;

function refused(message: string, hint: string): AgentError {
  return new AgentError('bad-usage', message, { hint });
}
