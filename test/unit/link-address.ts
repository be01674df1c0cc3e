import type { LinkAddress } from '../../agent/model/observation.ts';

/**
 * Returns a usable address of a link for the text `address/prefix`. The scope is global, except for link-local
 * addresses (RFC 4291 section 2.5.6).
 */
export function linkAddress(text: string): LinkAddress {
  const [address = '', prefix = ''] = text.split('/');
  const flags = { tentative: false, dadFailed: false, temporary: false, deprecated: false };
  const scope = address.startsWith('fe80') ? 'link' : 'global';
  return { family: address.includes(':') ? 6 : 4, address, prefixLength: Number(prefix), scope, ...flags };
}
