// Shapes of addresses and routes that nodes have.
import { ethernet, fixed, type Keyfile, off } from './keyfiles.ts';
import type { Shape } from './shapes.ts';

const twoDefaults = (options: Record<string, string>, metric = ''): Keyfile =>
  ethernet({
    ipv4: {
      method: 'manual',
      address1: '192.0.2.50/24',
      route1: `0.0.0.0/0,192.0.2.1${metric}`,
      route2: `0.0.0.0/0,192.0.2.2${metric}`,
      ...options,
    },
    ipv6: off,
  });

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
  'two default routes of one metric (ECMP)': {
    uplink: 'eth0',
    address: '192.0.2.50',
    lan: '$LAN ip addr add 192.0.2.2/24 dev lan0',
    after: '$LAN ip addr del 192.0.2.2/24 dev lan0',
    profiles: { eth0: twoDefaults({ route1_options: 'weight=1', route2_options: 'weight=2' }) },
  },
  'two default routes of one metric (ECMP), the metric in the profile': {
    uplink: 'eth0',
    address: '192.0.2.50',
    lan: '$LAN ip addr add 192.0.2.2/24 dev lan0',
    after: '$LAN ip addr del 192.0.2.2/24 dev lan0',
    profiles: { eth0: twoDefaults({ route1_options: 'weight=1', route2_options: 'weight=2' }, ',77') },
  },
  'two default routes of one metric, the second as a reserve': {
    uplink: 'eth0',
    address: '192.0.2.50',
    lan: '$LAN ip addr add 192.0.2.2/24 dev lan0',
    after: '$LAN ip addr del 192.0.2.2/24 dev lan0',
    profiles: { eth0: twoDefaults({}, ',77') },
  },
  'rules, tables and every kind of route': {
    uplink: 'eth0',
    address: '192.0.2.50',
    profiles: {
      eth0: ethernet({
        ipv4: {
          method: 'manual',
          address1: '192.0.2.50/24,192.0.2.1',
          address2: '192.0.2.60/24',
          address3: '198.18.7.7/32',
          route1: '198.51.100.0/24,192.0.2.254,77',
          route1_options: 'mtu=1400,src=192.0.2.60,initcwnd=20',
          route2: '203.0.113.128/25',
          route3: '0.0.0.0/0,192.0.2.254',
          route3_options: 'table=100',
          route4: '10.66.0.0/16',
          route4_options: 'type=blackhole',
          route5: '10.67.0.0/16',
          route5_options: 'type=unreachable,table=100',
          route6: '10.68.0.0/16,198.18.9.9',
          route6_options: 'onlink=true',
          'routing-rule1': 'priority 30000 from 192.0.2.60 table 100',
          'routing-rule2': 'priority 30001 from 0.0.0.0/0 fwmark 0x10/0xff table 100',
          'routing-rule3': 'priority 30002 from 0.0.0.0/0 ipproto tcp dport 8080 table 100',
          'routing-rule4': 'priority 30003 from 0.0.0.0/0 iif eth0 table 100',
        },
        ipv6: {
          method: 'manual',
          address1: '2001:db8::50/64,2001:db8::1',
          address2: '2001:db8::60/64',
          route1: '2001:db8:5::/48,2001:db8::2',
          route2: '2001:db8:6::/48',
          route2_options: 'type=prohibit',
          'routing-rule1': 'priority 30010 from 2001:db8::60 table 100',
        },
      }),
    },
  },
  'no default route': {
    uplink: 'eth0',
    address: '192.0.2.50',
    profiles: { eth0: ethernet({ ipv4: { method: 'manual', address1: '192.0.2.50/24' }, ipv6: off }) },
  },
  'default route through an IPv6 next hop': {
    uplink: 'eth0',
    address: '192.0.2.50',
    before: 'ip -4 route add 0.0.0.0/0 via inet6 fe80::5054:ff:febb:0 dev eth0 metric 100',
    profiles: {
      eth0: ethernet({ ipv4: { method: 'manual', address1: '192.0.2.50/24' }, ipv6: { method: 'link-local' } }),
    },
    fails: /default route of eth0 goes through an IPv6 next hop/,
  },
  'default route that only ip(8) knows': {
    uplink: 'eth0',
    address: '192.0.2.50',
    before: 'ip route add default dev eth0 metric 100',
    profiles: { eth0: ethernet({ ipv4: { method: 'manual', address1: '192.0.2.50/24' }, ipv6: off }) },
    fails: /default route of eth0 is not in the profile eth0/,
  },
  'IPv4 address that another host has': {
    uplink: 'eth0',
    address: '192.0.2.50',
    lan: '$LAN ip addr add 192.0.2.60/24 dev lan0',
    after: '$LAN ip addr del 192.0.2.60/24 dev lan0',
    profiles: { eth0: ethernet({ ...fixed, ipv4: { ...fixed.ipv4, address2: '192.0.2.60/24' } }) },
    fails: /did not get 192\.0\.2\.60\/24 .*another host may have the same address/,
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
