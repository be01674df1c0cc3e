import { isLinkLocal6 } from './address.ts';

/** Returns true for 0.0.0.0/0 and ::/0. */
export function isDefault(destination: string): boolean {
  return destination === '0.0.0.0/0' || destination === '::/0';
}

/** Returns true for a link-local destination, within 169.254.0.0/16 (RFC 3927) or fe80::/10. */
export function isLinkLocal(destination: string): boolean {
  return destination.startsWith('169.254.') || isLinkLocal6(destination);
}
