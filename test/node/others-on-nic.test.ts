// Entries that other programs added to the NIC with ip(8): each moves to br-ex with all attributes, and returns with
// `disable` or a rollback.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode, type TestNode } from './node.ts';

/**
 * Addresses of every kind, routes with every kind of attribute, rules and neighbours, as keepalived, nm-cloud-setup and
 * scripts add them.
 */
const given = `
ip address add 192.0.2.60/24 dev eth0
ip address add 198.51.100.9/24 dev eth0 label eth0:vip scope link noprefixroute proto 18
ip address add 203.0.113.1 peer 203.0.113.2 dev eth0
ip address add 10.99.0.1/24 broadcast + dev eth0 valid_lft 4000 preferred_lft 3900
ip address add 2001:db8:9::60/64 dev eth0 nodad
ip address add 2001:db8:9::61/64 dev eth0 home nodad valid_lft 5000 preferred_lft 3000
ip address add fe80::7/64 dev eth0 nodad
ip route add 10.9.0.0/16 via 192.0.2.1 advmss 1000 initcwnd 20 rto_min 10ms quickack 1 mtu lock 1300
ip route add 169.254.169.254 dev eth0 scope global
ip route add 10.8.0.0/16 via 10.77.0.1 dev eth0 onlink proto bird table 77
ip route add 10.7.0.0/16 nexthop via 192.0.2.1 dev eth0 weight 2 nexthop via 192.0.2.3 dev eth0 weight 3
ip route add 10.6.0.0/16 via inet6 fe80::1 dev eth0
ip route add 10.5.0.0/16 via 192.0.2.1 tos 0x10 realm 5
ip route add local 10.4.0.0/16 dev eth0
ip route add 10.3.0.0/16 via 192.0.2.1 dev eth0 proto static src 192.0.2.60
ip route add 203.0.113.7 via 192.0.2.1 dev eth0 metric 5 mtu 1400
ip -6 route add 2001:db8:7::/48 via 2001:db8:9::1 dev eth0 pref high expires 4000
ip -6 route add 2001:db8:6::/48 nexthop via 2001:db8:9::1 dev eth0 nexthop via 2001:db8:9::2 dev eth0
ip -6 route add 2001:db8:5::/48 via 2001:db8:9::1 table 78 proto static metric 7
ip rule add iif eth0 to 10.10.0.0/16 lookup 77 pref 77
ip rule add to 10.11.0.0/16 lookup 77 pref 76
ip -6 rule add oif eth0 lookup 78 pref 70
ip neighbour add 192.0.2.77 lladdr 02:00:00:00:00:01 dev eth0 nud permanent
ip -6 neighbour add 2001:db8:9::77 lladdr 02:00:00:00:00:01 dev eth0 nud permanent
`;

/**
 * Returns all entries of an interface that neither the kernel nor the profile adds, as text in which the interface is
 * called NIC: lines of ip(8) with every detail, in no order. The length of a lifetime does not count.
 */
async function othersOn(node: TestNode, name: string): Promise<readonly string[]> {
  const text = await node.text(
    [
      `ip -details -oneline address show dev ${name}`,
      `ip -details -oneline route show table all dev ${name}`,
      `ip -details rule show; ip -6 -details rule show`,
      `ip neighbour show dev ${name} nud permanent; ip -6 neighbour show dev ${name} nud permanent`,
    ].join('; '),
  );
  const own = /proto (kernel|ra|dhcp)|\b192\.0\.2\.50\/|2001:db8::50\/|fe80::5054|default via/;
  return text
    .split('\n')
    .filter((line) => line !== '' && !own.test(line))
    .map((line) =>
      line
        .replace(/^\d+: (?=\S+ +inet)/, '')
        .replaceAll(new RegExp(`\\b${name}\\b`, 'g'), 'NIC')
        .replaceAll(/\b\d+sec\b/g, 'N sec')
        // The order of two addresses decides which one is primary; this test does not compare it.
        .replaceAll(/ secondary|\\|/g, '')
        .trim(),
    )
    .toSorted();
}

t.test('foreign entries of the NIC', { timeout: 600_000, skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'static-dual',
    kernel: 'of this machine',
    files: { '/etc/microshift/ovn.yaml': 'uplink: eth0\n' },
  });
  t.teardown(() => node.halt());
  await node.text(given);
  const before = await othersOn(node, 'eth0');
  t.ok(before.length >= given.trim().split('\n').length, 'the NIC has every given entry');

  const killed = await node.run('microshift-net apply', { kill: { onText: 'remove the IP settings from eth0' } });
  t.not(killed.exitCode, 0);
  await node.text('microshift-net recover || microshift-net disable');
  t.strictSame(await othersOn(node, 'eth0'), before, 'the NIC has the entries again after a killed run');

  const plan = await node.text('microshift-net plan');
  t.match(plan, '10.8.0.0/16 via 10.77.0.1 (table 77)', 'the plan names an entry that moves');
  const run = await node.measure('microshift-net apply');
  t.equal(run.exitCode, 0, run.stderr);
  t.strictSame(await othersOn(node, 'br-ex'), before, 'br-ex has all entries, with every attribute');
  const bare = (line: string): boolean => !/^\d+:/.test(line);
  t.strictSame((await othersOn(node, 'eth0')).filter(bare), [], 'the NIC has none of the entries');
  t.match(await node.text('microshift-net apply'), 'Nothing to do');

  await node.text('ip address add 192.0.2.61/24 dev eth0; ip route add 10.2.0.0/16 dev eth0');
  t.equal(
    (await node.run('microshift-net verify')).exitCode,
    3,
    'entries that other programs add to the NIC later are drift',
  );
  await node.text('microshift-net apply');
  await node.text('microshift-net verify');
  const late = ['10.2.0.0/16', '192.0.2.61/24'];
  const onBridge = await othersOn(node, 'br-ex');
  for (const one of late) t.match(onBridge.join('\n'), one, 'the later entries move to br-ex');

  await node.text('microshift-net disable');
  const returned = await othersOn(node, 'eth0');
  const isLate = (line: string): boolean => late.some((one) => line.includes(one));
  t.strictSame(
    returned.filter((line) => !isLate(line)),
    before,
    'the NIC has all entries again, with every attribute',
  );
  t.equal(returned.filter(isLate).length, late.length, 'the NIC also has the later entries');
});
