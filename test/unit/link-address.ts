import type { LinkAddress } from '../../agent/model/observation.ts';

/** A usable global address of a link, of `address/prefix`. */
export function linkAddress(text: string): LinkAddress {
  const [address = '', prefix = ''] = text.split('/');
  const flags = { tentative: false, dadFailed: false, temporary: false, deprecated: false };
  return { family: address.includes(':') ? 6 : 4, address, prefixLength: Number(prefix), scope: 'global', ...flags };
}
