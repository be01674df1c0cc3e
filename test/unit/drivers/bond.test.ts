// Contents of /proc/net/bonding, as the bonding driver writes them.
import t from 'tap';
import { parseBond } from '../../../agent/drivers/host/kernel/bond.ts';

/** Content of /proc/net/bonding/NAME on Linux 6.18 for a bond of two veths with an ARP monitor. */
const arpMonitored = `Ethernet Channel Bonding Driver: v6.18.44

Bonding Mode: fault-tolerance (active-backup) (fail_over_mac active)
Primary Slave: eth0 (primary_reselect failure)
Currently Active Slave: eth0
MII Status: up
MII Polling Interval (ms): 0
Up Delay (ms): 0
Down Delay (ms): 0
Peer Notification Delay (ms): 0
ARP Polling Interval (ms): 500
ARP Missed Max: 3
ARP IP target/s (n.n.n.n form): 192.0.2.1, 192.0.2.2
NS IPv6 target/s (xx::xx form): 2001:db8::1, fe80::1

Slave Interface: eth0
MII Status: up
Speed: 10000 Mbps
Duplex: full
Link Failure Count: 2
Permanent HW addr: 52:54:00:aa:00:00
Slave queue ID: 0

Slave Interface: eth1
MII Status: down
Speed: 10000 Mbps
Duplex: full
Link Failure Count: 5
Permanent HW addr: 52:54:00:aa:00:01
Slave queue ID: 0
`;

t.test('a bond with an ARP monitor', (t) => {
  t.strictSame(parseBond(arpMonitored), {
    mode: 'active-backup',
    arpMonitor: { intervalMs: 500, missedMax: 3, targets: ['192.0.2.1', '192.0.2.2', '2001:db8::1', 'fe80::1'] },
    activePort: 'eth0',
    ports: [
      { name: 'eth0', isWorking: true, failures: 2 },
      { name: 'eth1', isWorking: false, failures: 5 },
    ],
  });
  t.end();
});

t.test('a bond without ports that MII monitors', (t) => {
  const text =
    'Bonding Mode: adaptive load balancing\nCurrently Active Slave: None\nMII Status: down\nMII Polling Interval (ms): 100\n';
  t.strictSame(parseBond(text), { mode: 'balance-alb', arpMonitor: null, activePort: null, ports: [] });
  t.end();
});

t.test('a kernel before 5.17 does not print how many intervals it waits', (t) => {
  const text = arpMonitored
    .replace(/^ARP Missed Max.*\n/m, '')
    .replace(/^NS IPv6.*\n/m, 'NS IPv6 target/s (xx::xx form):\n');
  t.match(parseBond(text), { arpMonitor: { missedMax: 2, targets: ['192.0.2.1', '192.0.2.2'] } });
  t.end();
});

t.test('a file of another format', (t) => {
  t.equal(parseBond(''), null);
  t.end();
});
