// Kinds of uplinks, each with its profiles of NetworkManager as keyfiles.
import { bond, bondUuid, controller, dhcp, ethernet, fixed, type Keyfile, off, port } from './keyfiles.ts';

export interface Shape {
  /** Device that carries the node's addresses. */
  uplink: string;
  profiles: Record<string, Keyfile>;
  /** Shell text that prepares the LAN before the profiles are written; `after` reverts it. */
  lan?: string;
  after?: string;
  /** Shell text that runs when the uplink has its addresses, just before the first run. */
  before?: string;
  /** Address that must answer the LAN before and after every change; null if the node has none. */
  address: string | null;
  /** Settings of the uplink's profile that must be as they were. */
  kept?: string[];
  /** True if `make test` tests the shape; the others are tested on request only. */
  common?: true;
  /** True if a run is also stopped in the middle. */
  stopped?: true;
  /** Message of `apply` if the uplink cannot be moved; the node is unchanged then. */
  fails?: RegExp;
  /** Profiles that stay when the NIC is returned. */
  leaves?: string[];
}

/** Shell text that waits until the node has answered the LAN for five seconds without a gap. */
const steady = `timeout 90 sh -c 'until ip netns exec lan ping -n -q -c 50 -i 0.1 192.0.2.50 | grep -q " 0% packet loss"; do sleep 0.1; done'`;

/** Kinds of uplinks by name. */
export const uplinkShapes: Readonly<Record<string, Shape>> = {
  'bond, ports by UUID': {
    uplink: 'bond0',
    address: '192.0.2.50',
    profiles: bond({ mode: 'active-backup' }, dhcp),
    stopped: true,
  },
  'bond, fail_over_mac=active': {
    uplink: 'bond0',
    address: '192.0.2.50',
    profiles: bond({ mode: 'active-backup', fail_over_mac: 'active' }, fixed, 'bond0'),
  },
  'bond, fail_over_mac=follow': {
    uplink: 'bond0',
    address: '192.0.2.50',
    profiles: bond({ mode: 'active-backup', fail_over_mac: 'follow' }, fixed),
  },
  'bond, balance-rr': {
    uplink: 'bond0',
    address: '192.0.2.50',
    lan: 'lacp balance-rr',
    after: 'lacp off',
    profiles: bond({ mode: 'balance-rr' }, fixed),
  },
  'bond, balance-xor': {
    uplink: 'bond0',
    address: '192.0.2.50',
    lan: 'lacp balance-xor',
    after: 'lacp off',
    profiles: bond({ mode: 'balance-xor', xmit_hash_policy: 'layer3+4' }, fixed, 'bond0'),
    kept: ['bond.options'],
  },
  'bond, LACP, fixed address': {
    uplink: 'bond0',
    address: '192.0.2.50',
    lan: 'lacp 802.3ad',
    after: 'lacp off',
    profiles: bond({ mode: '802.3ad', lacp_rate: 'fast' }, fixed),
    // The uplink answers for the first time before LACP has negotiated both ports, and is then silent again.
    before: steady,
  },
  'bond, one port without a cable': {
    uplink: 'bond0',
    address: '192.0.2.50',
    lan: '$LAN ip link set peth1 down',
    after: '$LAN ip link set peth1 up',
    profiles: bond({ mode: 'active-backup' }, dhcp),
  },
  'bond that starts its ports': {
    uplink: 'bond0',
    address: '192.0.2.50',
    profiles: {
      bond0: controller('bond', 'bond0', {
        connection: { 'autoconnect-ports': 1 },
        bond: { mode: 'active-backup', miimon: '100' },
        ...dhcp,
      }),
      port0: port(0, 'bond', 'bond0', { connection: { autoconnect: false } }),
      port1: port(1, 'bond', 'bond0', { connection: { autoconnect: false } }),
    },
  },
  'VLAN on a bond, parent by UUID': {
    common: true,
    uplink: 'bond0.100',
    address: '198.51.100.50',
    profiles: {
      ...bond({ mode: 'active-backup' }, { ipv4: off, ipv6: off }),
      uplink: {
        connection: {
          id: 'uplink',
          uuid: '00000100-0000-4000-8000-000000000100',
          type: 'vlan',
          'interface-name': 'bond0.100',
        },
        vlan: { id: 100, parent: bondUuid, flags: 5, 'egress-priority-map': '0:5' },
        ethernet: { mtu: 1496 },
        ...dhcp,
      },
    },
    kept: ['vlan.parent', 'vlan.flags', 'vlan.egress-priority-map', '802-3-ethernet.mtu'],
  },
  team: {
    common: true,
    uplink: 'team0',
    address: '192.0.2.50',
    profiles: {
      team0: controller('team', 'team0', {
        team: { config: '{"runner":{"name":"activebackup"},"link_watch":{"name":"ethtool"}}' },
        ...dhcp,
      }),
      port0: port(0, 'team', bondUuid, { 'team-port': { config: '{"prio":9}' } }),
      port1: port(1, 'team', bondUuid),
    },
    kept: ['team.config'],
    stopped: true,
  },
  'Linux bridge': {
    uplink: 'br0',
    address: '192.0.2.50',
    profiles: {
      br0: controller('bridge', 'br0', { bridge: { stp: false, 'ageing-time': 200 }, ...dhcp }),
      port0: port(0, 'bridge', bondUuid, { 'bridge-port': { 'path-cost': 77 } }),
    },
    kept: ['bridge.stp', 'bridge.ageing-time'],
  },
  'two profiles of one name': {
    uplink: 'eth0',
    address: '192.0.2.50',
    profiles: {
      eth0: ethernet({ connection: { 'autoconnect-priority': 10 }, ...dhcp }),
      other: ethernet({
        connection: { uuid: '00000009-0000-4000-8000-000000000009' },
        ipv4: { method: 'manual', address1: '10.0.0.1/8' },
        ipv6: off,
      }),
    },
  },
  'tap device': {
    uplink: 'tap0',
    address: '192.0.2.50',
    lan: 'modprobe tun; ip link set eth0 up; setsid python3 /testnode/relay.py tap0 eth0 < /dev/null > /run/relay.log 2>&1 & echo $! > /run/relay.pid',
    after: 'kill "$(cat /run/relay.pid)"; ip link del tap0; true',
    profiles: {
      tap0: {
        connection: {
          id: 'tap0',
          uuid: '0000007a-0000-4000-8000-00000000007a',
          type: 'tun',
          'interface-name': 'tap0',
        },
        tun: { mode: 2 },
        ...fixed,
      },
    },
  },
  'bond, no port with a cable': {
    uplink: 'bond0',
    address: null,
    lan: '$LAN ip link set peth0 down; $LAN ip link set peth1 down',
    after: '$LAN ip link set peth0 up; $LAN ip link set peth1 up',
    profiles: bond({ mode: 'active-backup' }, fixed),
  },
  'team, its teamd gone': {
    uplink: 'team0',
    address: '192.0.2.50',
    before: 'mv /usr/bin/teamd /root/',
    after: 'mv /root/teamd /usr/bin/',
    profiles: {
      team0: controller('team', 'team0', { team: { config: '{"runner":{"name":"activebackup"}}' }, ...fixed }),
      port0: port(0, 'team', 'team0'),
    },
    fails: /cannot start team0 again: teamd is not there; install it/,
  },
  'VLAN made with ip(8), outside of NetworkManager': {
    common: true,
    uplink: 'eth0.100',
    address: '198.51.100.50',
    lan: 'ip link set eth0 up; ip link add link eth0 name eth0.100 type vlan id 100; ip link set eth0.100 up; ip address add 198.51.100.50/24 dev eth0.100; ip route add default via 198.51.100.1 dev eth0.100 metric 50',
    after: 'ip link del eth0.100; nmcli connection delete eth0.100; true',
    profiles: {},
    leaves: ['eth0.100'],
  },
};
