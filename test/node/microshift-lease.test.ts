// The address of lo for MicroShift is the present or last address of br-ex: it follows a changed lease, and stays if
// the lease ends without a new one. No other host gets an answer for the address then, because the server may have
// assigned it to another host.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { microshiftStandIn } from './microshift-stand-in.ts';
import { bootNode } from './node.ts';

/**
 * LAN whose server, dnsmasq, assigns leases of 2 minutes, the shortest that it permits. A client renews them after one
 * minute. dnsmasq reads the file with the addresses again on request.
 */
const shortLeases = `
lan() {
  nic eth0; lan_ip lan0 192.0.2.1/24 2001:db8::1/64
  echo "$(mac_of eth0),192.0.2.50" > /run/testnode/hosts
  dhcp lan0 --dhcp-range=192.0.2.100,192.0.2.199,255.255.255.0,2m --dhcp-hostsfile=/run/testnode/hosts --dhcp-option=option:router,192.0.2.1 \\
    --enable-ra --dhcp-range=2001:db8::,ra-only,64,2m --ra-param=lan0,10,1800
}
profiles() { eth_profile eth0 <<< $'[ipv4]\\nmethod=auto\\n[ipv6]\\nmethod=auto\\naddr-gen-mode=eui64'; }`;
const dualStack = `network:
  clusterNetwork: [10.42.0.0/16, 'fd01::/48']
  serviceNetwork: [10.43.0.0/16, 'fd02::/112']
`;
/**
 * Shell text that replaces the router by a second one, which advertises another prefix and assigns no IPv4 addresses.
 */
const renumber = `. /testnode/lib.sh; pkill -x -KILL dnsmasq; ip netns exec lan ip address add 2001:db8:9::1/64 dev lan0 nodad
  dhcp lan0 --enable-ra --dhcp-range=2001:db8:9::,ra-only,64 --ra-param=lan0,10,1800`;
const grant = `. /testnode/lib.sh; pkill -x -KILL dnsmasq
  dhcp lan0 --dhcp-range=192.0.2.100,192.0.2.199,255.255.255.0,1h --dhcp-host=52:54:00:aa:00:00,192.0.2.70 --dhcp-option=option:router,192.0.2.1`;
const server = "$(pgrep --full '[d]hcp-hostsfile')";
const onLo = "ip -o address show dev lo | awk '{print $4}' | grep -v '^127\\.\\|^::1/' | sort | tr '\\n' ' '";
const until = (condition: string): string => `timeout 240 sh -c 'until ${condition}; do sleep 2; done'`;
const limit = { timeoutMs: 260_000 };
const loHas = (addresses: string): string =>
  `${until(`[ "$(ip -br address show dev lo | tr -s " " "\\n" | grep / | grep -v "^127\\.\\|^::1/" | sort | tr "\\n" " ")" = "${addresses}" ]`)} || ${onLo}`;
/**
 * Returns shell text that prints the number of these addresses for which a host of the LAN without a neighbour entry
 * gets an answer (RFC 826, RFC 4861).
 */
const answered = (...addresses: readonly string[]): string =>
  `ip netns exec lan ip neighbour flush dev lan0
  for address in ${addresses.join(' ')}; do ip netns exec lan ping -c 1 -W 2 $address > /dev/null; ip netns exec lan ip neighbour show $address dev lan0; done | grep -c lladdr || true`;
const repaired = until(
  '! systemctl is-active --quiet microshift-net-repair.service && [ ! -e /run/microshift-net/repair-asked ]',
);
/** Shell text that prints the state of the units that follow an address, after a failure. */
const lookedAt =
  'ip -br address; systemctl --no-pager status microshift-net-uplink.socket microshift-net-uplink.service microshift-net-repair.service; journalctl -b -q -o short-monotonic --no-pager | tail -60';
const ofOthers =
  'ovs-vsctl list-ports br-ex; ip -br -4 address show dev br-ex | grep -o "10.44.0.0/32\\|169.254.169.2/29"';
const own6 = '2001:db8::5054:ff:feaa:0';

t.test('lo follows the addresses of br-ex', { skip: nodeSkip, timeout: 900_000 }, async (t) => {
  const node = await bootNode({
    lan: 'dhcp',
    lanAppend: shortLeases,
    enableUnit: true,
    kernel: 'of this machine',
    files: { ...microshiftStandIn, '/etc/microshift/config.yaml': dualStack },
  });
  t.teardown(() => node.halt());
  // The boot may have started the units already; in this case systemctl waits for the end of their start.
  await node.text('systemctl start microshift-ovs-init microshift-stand-in');
  const verified = await node.run(until('microshift-net verify'), limit);
  t.equal(verified.exitCode, 0, verified.stdout);
  // The router may advertise its prefix only after the successful `verify`.
  t.equal(await node.text(loHas(`192.0.2.50/32 ${own6}/128 `), limit), '');
  t.equal(await node.text(answered('192.0.2.50', own6)), '2', 'br-ex answers for both addresses');
  t.equal(await node.text('nmcli -g ipv4.dhcp-timeout connection show ovs-if-br-ex'), '2147483647');
  const before = await node.text(ofOthers);

  await t.test('a lease of another address', async (t) => {
    await node.text(`sed -i s/192.0.2.50/192.0.2.60/ /run/testnode/hosts && kill -HUP ${server}`);
    t.equal(await node.text(loHas(`192.0.2.60/32 ${own6}/128 `), limit), '');
    t.match(
      await node.text('ip -br address show dev br-ex'),
      '192.0.2.60/24',
      'br-ex has the address of another lease',
    );
    t.match(await node.run(until('microshift-net verify > /dev/null'), limit), { exitCode: 0 });
  });

  await t.test('a lease and an advertisement that end without another one', async (t) => {
    const hasNone = '! ip address show dev br-ex | grep -q "192\\.0\\.2\\.\\|2001:db8"';
    await node.text(`kill -STOP ${server}; ${until(hasNone)}; ${repaired}`, limit);
    t.equal(
      await node.text(onLo),
      `192.0.2.60/32 ${own6}/128 `,
      'MicroShift finds the addresses with which it started',
    );
    t.equal(
      await node.text(answered('192.0.2.60', own6)),
      '0',
      'no host of the LAN gets an answer for these addresses',
    );
    t.equal(await node.text('microshift-net history | grep -c rolled-back || true'), '0');
    t.equal(await node.text(ofOthers), before, 'br-ex keeps the entries of other programs');
  });

  await t.test('another router advertises another prefix', async (t) => {
    await node.text(renumber);
    const left = await node.text(loHas('192.0.2.60/32 2001:db8:9:0:5054:ff:feaa:0/128 '), limit);
    t.equal(left, '', left === '' ? '' : await node.text(lookedAt));
    t.equal(await node.text(answered('192.0.2.60', own6)), '0');
    t.equal(await node.text(ofOthers), before);
  });

  await t.test('another server grants another address', async (t) => {
    await node.text(grant);
    t.equal(await node.text(loHas('192.0.2.70/32 2001:db8:9:0:5054:ff:feaa:0/128 '), limit), '');
    t.equal(await node.text(answered('192.0.2.60', '192.0.2.70')), '1', 'br-ex answers for its own address only');
    t.equal(await node.text(ofOthers), before);
    t.match(await node.run(until('microshift-net verify > /dev/null'), limit), { exitCode: 0 });
  });
});
