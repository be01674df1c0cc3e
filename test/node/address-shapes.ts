// Shapes of addresses and routes that nodes have.
import { ethernet, fixed, off } from './keyfiles.ts';
import type { Shape } from './shapes.ts';

/** Kinds of addresses and routes by name. */
export const addressShapes: Readonly<Record<string, Shape>> = {
  'stable-privacy and temporary addresses': {
    common: true,
    uplink: 'eth0',
    address: '192.0.2.50',
    profiles: {
      eth0: ethernet({ ipv4: { method: 'auto' }, ipv6: { method: 'auto', 'addr-gen-mode': 'stable-privacy' } }),
    },
  },
  DHCPv6: {
    common: true,
    uplink: 'eth2',
    address: '203.0.113.50',
    profiles: { eth2: ethernet({ ipv4: { method: 'auto' }, ipv6: { method: 'auto', 'may-fail': false } }, 'eth2') },
  },
  'default route without a gateway': {
    uplink: 'eth0',
    address: '192.0.2.50',
    profiles: {
      eth0: ethernet({ ipv4: { method: 'manual', address1: '192.0.2.50/24', route1: '0.0.0.0/0' }, ipv6: off }),
    },
  },
  'gateway outside of the subnet': {
    uplink: 'eth0',
    address: '192.0.2.50',
    lan: '$LAN ip addr add 198.18.0.1/32 dev lan0',
    after: '$LAN ip addr del 198.18.0.1/32 dev lan0',
    profiles: {
      eth0: ethernet({
        ipv4: {
          method: 'manual',
          address1: '192.0.2.50/24',
          route1: '0.0.0.0/0,198.18.0.1',
          route1_options: 'onlink=true',
        },
        ipv6: off,
      }),
    },
  },
  'gateway that never answered': {
    uplink: 'eth0',
    address: '192.0.2.50',
    profiles: { eth0: ethernet({ ipv4: { method: 'manual', address1: '192.0.2.50/24,192.0.2.99' }, ipv6: off }) },
  },
  'IPv6 address that another host has': {
    uplink: 'eth0',
    address: '192.0.2.50',
    lan: '$LAN ip addr add 2001:db8::50/64 dev lan0 nodad',
    after: '$LAN ip addr del 2001:db8::50/64 dev lan0',
    profiles: { eth0: ethernet({ ...fixed, ipv6: { method: 'manual', address1: '2001:db8::50/64' } }) },
    fails: /did not get 2001:db8::50\/64 .*another host may have the same address/,
  },
};
