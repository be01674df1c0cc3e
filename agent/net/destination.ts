import { isLinkLocal6 } from './address.ts';

/** True for 0.0.0.0/0 and ::/0. */
export function isDefault(destination: string): boolean {
  return destination === '0.0.0.0/0' || destination === '::/0';
}

/** True for destinations that every link has of its own: within 169.254.0.0/16 (RFC 3927) and fe80::/10. */
export function isLinkLocal(destination: string): boolean {
  return destination.startsWith('169.254.') || isLinkLocal6(destination);
}
