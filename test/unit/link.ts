import type { Link } from '../../agent/model/observation.ts';
import { linkAddress } from './link-address.ts';

/** Properties of a NIC with a connected cable besides its name, index, MAC and addresses. */
export const usualLink = {
  permanentMac: null,
  mtuBytes: 1500,
  up: true,
  carrier: true,
  hardwareType: 1,
  kind: null,
  driver: null,
  master: null,
};

/** Returns a link that is up and has a connected cable, with addresses as `address/prefix`. */
export function linkOf(name: string, addresses: readonly string[], special: Partial<Link> = {}): Link {
  return {
    name,
    index: 2,
    mac: '52:54:00:00:00:01',
    ...usualLink,
    addresses: addresses.map(linkAddress),
    ...special,
  };
}
