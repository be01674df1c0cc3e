// NetworkManager is restarted, killed, and stopped for a while: the node always has a default route, and entries of
// other programs on br-ex keep their order. The tests run with both data paths: the userspace data path on this
// machine's kernel, where NetworkManager would remove all addresses of the tap br-ex, and the kernel's data path in
// User-Mode Linux, where the uplink is a VLAN; events.test.ts has a bond.
import t, { type Test } from 'tap';
import { nodeSkip } from './availability.ts';
import { isRolledBack } from './interfere.ts';
import { type Moment, moments, presentNews } from './kernel-news.ts';
import type { NodeKernel } from './machine.ts';
import { bootNode, type TestNode } from './node.ts';
import { ovsRestarts } from './open-vswitch-restarts.ts';
import { untilWanted } from './until-wanted.ts';

interface Case {
  readonly lan: string;
  readonly lanAppend?: string;
  readonly kernel: NodeKernel;
  readonly ovnYaml: string;
  /** Address families of the node's default routes. */
  readonly families: readonly (4 | 6)[];
  /** Names of the ways in which NetworkManager ends; all of them if absent. */
  readonly only?: readonly string[];
  /** Further test of the node. */
  readonly after?: (t: Test, node: TestNode) => Promise<void>;
}

/** VLAN with fixed addresses of both families. */
const dualVlan = `IP6=2001:db8::50 GW6=2001:db8::1
lan() { nic eth0; lan_vlan lan0 100; lan_ip lan0.100 192.0.2.1/24 2001:db8::1/64; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=disabled\n[ipv6]\nmethod=disabled'
  keyfile vlan100 <<< $'[connection]\nid=vlan100\nuuid=00000100-0000-4000-8000-000000000100\ntype=vlan\ninterface-name=eth0.100
[vlan]\nid=100\nparent=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.50/24,192.0.2.1\n[ipv6]\nmethod=manual\naddress1=2001:db8::50/64,2001:db8::1'; }`;

const userspace = { kernel: 'of this machine', ovnYaml: 'ovs:\n  datapathType: netdev\n' } as const;
const kernelDataPath = { kernel: 'user-mode', ovnYaml: '' } as const;
const cases: readonly Case[] = [
  { lan: 'dhcp', ...userspace, families: [4], only: ['restarted', 'killed'] },
  { lan: 'static-dual', ...userspace, families: [4, 6], after: unconfirmedIsReverted },
  {
    lan: 'vlan',
    lanAppend: dualVlan,
    ...kernelDataPath,
    families: [4, 6],
    only: ['restarted', 'killed with all that it has started'],
    after: ovsRestarts,
  },
];

/** Shell text that completes checksums on the LAN's veths, because the userspace data path needs complete checksums. */
const wholeChecksums =
  'for nic in $(ip netns exec lan ls /sys/class/net); do ip netns exec lan ethtool -K $nic tx off; done > /dev/null 2>&1; true';
/**
 * Shell text that adds IPv4 entries to br-ex as MicroShift, ovnkube and cloud agents do: addresses, routes of other
 * scopes, tables and metrics, and a permanent neighbour; and a port and a flow.
 */
const give = `ip address add 10.44.0.0/32 dev br-ex; ip address add 169.254.169.2/29 dev br-ex
  ip route add 10.43.0.0/16 via 169.254.169.4 dev br-ex mtu 1400; ip route add 169.254.169.1 dev br-ex scope link
  ip route add 198.51.100.0/24 via 169.254.169.4 dev br-ex table 7 metric 5 proto 99
  ip neighbour replace 169.254.169.4 lladdr 0a:58:a9:fe:a9:04 nud permanent dev br-ex
  ovs-vsctl add-port br-ex patch-out -- set interface patch-out type=patch options:peer=patch-in
  ovs-ofctl add-flow br-ex cookie=0x77,priority=5,udp,tp_dst=9,actions=drop`;
/**
 * Shell text that adds IPv6 entries to br-ex as MicroShift and ovnkube do: addresses, a route and a permanent
 * neighbour.
 */
const giveIpv6 = `for address in fd69::2/125 fd02::1:0/128; do ip address add $address dev br-ex nodad; done
  ip route add fd43::/64 via fd69::4 dev br-ex mtu 1400; ip neighbour replace fd69::4 lladdr 0a:58:a9:fe:a9:04 nud permanent dev br-ex`;
/**
 * Shell text that prints all addresses, routes and neighbours of br-ex in the kernel's order, without the lifetimes of
 * a lease or an advertisement, and the foreign port and flow.
 */
const whatIsThere = `ip -o address show dev br-ex scope global | sed 's/^[0-9]*: //; s/ *valid_lft.*//; s/ tentative//'
  { ip -4 route show table all dev br-ex; ip -6 route show table all dev br-ex; } | grep -v '^multicast\\|^local\\|^anycast' | sed 's/ expires [0-9a-z]*//; s/ hoplimit [0-9]*//'
  ip neighbour show dev br-ex nud permanent; ip -6 neighbour show dev br-ex nud permanent
  ovs-vsctl port-to-br patch-out; ovs-ofctl dump-flows br-ex cookie=0x77/-1 | grep -o 'priority=5.*'`;
/** LAN without IPv4; the profile requests IPv4 nevertheless, as a profile of nmcli does by default. */
const onlyIpv6 = `IP4='' GW4=''
lan() { nic eth0; lan_ip lan0 2001:db8::1/64; dhcp lan0 --enable-ra --dhcp-range=2001:db8::,ra-only,64 --ra-param=lan0,10,1800; }
profiles() { eth_profile eth0 <<< $'[ipv4]\nmethod=auto\n[ipv6]\nmethod=auto\naddr-gen-mode=eui64'; }`;
const mainPid = 'systemctl show -P MainPID NetworkManager';
const untilAnother = `timeout 90 sh -c 'until new=$(${mainPid}); [ "$new" != 0 ] && [ "$new" != '"$old"' ]; do sleep 0.1; done'`;
const ways = [
  { name: 'restarted', shell: 'systemctl restart NetworkManager' },
  { name: 'killed', shell: 'kill -KILL "$old"' },
  { name: 'killed with all that it has started', shell: 'systemctl kill --signal=KILL NetworkManager' },
];

for (const { lan, lanAppend, kernel, ovnYaml, families, only, after } of cases) {
  t.test(`${lan}, ${ovnYaml === '' ? "the kernel's" : 'userspace'} data path`, { skip: nodeSkip }, async (t) => {
    const files = { '/etc/microshift/ovn.yaml': ovnYaml };
    const node = await bootNode({ lan, ...(lanAppend && { lanAppend }), kernel, enableUnit: true, files });
    t.teardown(() => node.halt());
    await node.text(`${wholeChecksums}; systemctl start microshift-ovs-init`);
    await node.ready();
    await node.text(families.includes(6) ? `${give}\n${giveIpv6}` : give);
    const before = await node.text(whatIsThere);

    for (const { name, shell } of ways.filter((way) => only?.includes(way.name) ?? true))
      await t.test(`NetworkManager is ${name}`, async (t) => {
        const seen = await watched(node, `old=$(${mainPid}); ${shell}; ${untilAnother}; ${untilWanted()}`);
        neverWithout(t, seen, families);
        if (families.includes(6)) hasGatewayAgain(t, seen);
        t.equal(
          await node.text(whatIsThere),
          before,
          'br-ex has all its addresses, routes and neighbours, in the same order',
        );
      });

    await t.test('NetworkManager is stopped, and started later', async (t) => {
      const stopped = await watched(node, 'systemctl stop NetworkManager');
      neverWithout(t, stopped, families);
      t.equal(
        await node.text(whatIsThere),
        before,
        'br-ex has all its addresses, routes and neighbours without NetworkManager',
      );
      t.equal(
        await node.text('systemctl is-failed NetworkManager || true'),
        'inactive',
        'NetworkManager ended without a failure',
      );
      const started = await watched(node, `systemctl start NetworkManager; ${untilWanted()}`);
      neverWithout(t, started, families);
      t.equal(await node.text(whatIsThere), before);
    });
    await after?.(t, node);
  });
}

/** Restarts NetworkManager while a change waits for confirmation: the restart does not confirm the change. */
async function unconfirmedIsReverted(t: Test, node: TestNode): Promise<void> {
  await node.text('systemctl stop microshift-ovs-init; microshift-net disable');
  t.match(await node.run('microshift-net apply --confirm-timeout 600'), { exitCode: 0 });
  await node.text('systemctl restart NetworkManager');
  await isRolledBack(node);
  const history = await node.text('microshift-net history');
  t.match(history, /^\S+ +reverted +apply /, history);
}

/**
 * A restarted NetworkManager removes the settings of earlier router advertisements, and receives the next advertisement
 * only when br-ex has a usable link-local address. A node with only IPv6 has no other configuration.
 */
t.test('IPv6 alone, by router advertisements, userspace data path', { skip: nodeSkip }, async (t) => {
  const own = '2001:db8::5054:ff:feaa:0/64';
  const node = await bootNode({
    lan: 'slaac',
    lanAppend: onlyIpv6,
    kernel: 'of this machine',
    enableUnit: true,
    files: { '/etc/microshift/ovn.yaml': userspace.ovnYaml },
  });
  t.teardown(() => node.halt());
  await node.text(wholeChecksums);
  const moved = await node.run('systemctl start microshift-ovs-init');
  t.equal(moved.exitCode, 0, `the unit moves the NIC: ${moved.stderr}`);
  await node.ready();
  // The router stays silent until the agent has added its own copy of the default route, because it could otherwise
  // answer before.
  const { seen, probes, neighbours } = await watched(
    node,
    `pkill -x -STOP dnsmasq; systemctl restart NetworkManager; ${untilHeld}; pkill -x -CONT dnsmasq; ${untilWanted()}`,
  );
  hasGatewayAgain(t, { neighbours });
  const has = ({ addresses }: Moment): boolean =>
    addresses.some(({ device, address }) => device === 'br-ex' && address === own);
  const lost = seen.findIndex((moment, index) => index > seen.findIndex(has) && !has(moment));
  const afterwards = seen.slice(lost);
  const metrics = afterwards.map(({ defaults }) =>
    defaults.filter(({ device }) => device === 'br-ex').map(({ metric }) => metric),
  );
  t.strictSame(
    metrics.find(({ length }) => length > 0),
    [40_000],
    'br-ex has a default route of the agent until a router advertises itself',
  );
  const isOfRouter = ({ defaults }: Moment): boolean =>
    defaults.some(({ device, metric }) => device === 'br-ex' && metric === 48);
  const address = afterwards.findIndex(has);
  t.ok(
    address >= 0 && address < afterwards.findIndex(isOfRouter),
    'the node has its address before a router advertises itself',
  );
  t.match(afterwards[address]?.news, / valid_lft \d+sec /, 'the address has a limited lifetime');
  t.equal(probes, '', 'the node does not ask the LAN whether another node has the address');
});

const untilHeld = `timeout 60 sh -c 'until ip -6 route show default dev br-ex | grep -q "metric 40000"; do sleep 0.1; done'`;

interface Watched {
  /** States of the kernel's addresses and default routes from just before a command to its end. */
  readonly seen: readonly Moment[];
  /**
   * Packets with which br-ex detected duplicate addresses, as tcpdump(8) prints them: neighbour solicitations from `::`
   * for its global address (RFC 4862 section 5.4.2).
   */
  readonly probes: string;
  /** Changes of br-ex's neighbours, as ip(8) prints them. */
  readonly neighbours: readonly string[];
}

/** Runs shell text, and records the kernel's notifications and the packets of br-ex meanwhile. */
async function watched(node: TestNode, shell: string): Promise<Watched> {
  // An address is added to lo and removed: the report of the change shows at the start that the monitor listens, and at
  // the end that it has written everything.
  const mark = (address: string): string =>
    `until grep -q ${address} /run/news; do ip address add ${address}/32 dev lo; ip address delete ${address}/32 dev lo; sleep 0.1; done`;
  const [news = '', probes = ''] = (
    await node.text(
      `: > /run/news; : > /run/tcpdump; tcpdump -Uni br-ex 'ip6 src :: and ip6[40] = 135 and ip6[48:4] = 0x20010db8' > /run/probes 2> /run/tcpdump & dump=$!
      until grep -q listening /run/tcpdump; do sleep 0.1; done
      ping -6 -qc 1 -w 3 "$(ip -6 route show default dev br-ex | sed -n 's/.* via \\([^ ]*\\).*/\\1/p')%br-ex"
      stdbuf -oL ip -o monitor label address route neigh > /run/news & monitor=$!
      ${mark('127.0.0.77')}
      ${presentNews}
      { ${shell}; } > /dev/null
      ${mark('127.0.0.78')}
      kill $monitor $dump; wait $dump; cat /run/news; echo =; cat /run/probes`,
      { timeoutMs: 150_000 },
    )
  ).split('\n=');
  const neighbours = news.split('\n').filter((line) => line.startsWith('[NEIGH]') && line.includes(' dev br-ex '));
  return { seen: moments(news), probes: probes.trim(), neighbours };
}

/**
 * Asserts that br-ex knows the MAC of its IPv6 gateway again without having asked for it: the entry is stale (RFC 4861
 * section 7.3.2). A resolution that the kernel begins while br-ex has no usable address takes a second.
 */
function hasGatewayAgain(t: Test, { neighbours }: Pick<Watched, 'neighbours'>): void {
  const deleted = neighbours.findIndex((line) => /^\[NEIGH\]Deleted (2001:db8::1|fe80::\S+) /.test(line));
  const [, gateway = ''] = /^\[NEIGH\]Deleted (\S+)/.exec(neighbours[deleted] ?? '') ?? [];
  t.not(gateway, '', 'the kernel removes the IPv6 gateway');
  const later = neighbours.slice(deleted).join('\n');
  t.match(later, new RegExp(`^\\[NEIGH\\]${gateway} .* STALE`, 'm'), 'br-ex knows the gateway again');
}

/**
 * Asserts that every family had a default route at each moment. Also asserts that the interface of IPv4's default route
 * had the node's own address as its first address, as MicroShift requires.
 */
function neverWithout(t: Test, { seen, probes }: Watched, families: readonly (4 | 6)[]): void {
  const first = seen.findIndex(({ news }) => news.startsWith('[ROUTE]default'));
  const complete = seen.slice(first + families.length);
  t.ok(complete.length > 0, 'the kernel reported changes');
  for (const family of families) {
    const lost = complete.find(({ defaults }) => !defaults.some((route) => route.family === family));
    t.equal(lost, undefined, `IPv${family} always has a default route`);
  }
  const wrong = complete.find((moment) => firstOfDefault(moment) !== '192.0.2.50/24');
  t.equal(wrong, undefined, "the node's own address is always the first on the device of the default route");
  t.equal(probes, '', 'br-ex does not ask the LAN whether another node has its IPv6 addresses');
}

/**
 * Returns the address that MicroShift uses as the node's: the first one of the device of the best default route
 * (k8s.io/apimachinery, util/net, ChooseHostInterface).
 */
function firstOfDefault({ addresses, defaults }: Moment): string | undefined {
  const [best] = defaults.filter(({ family }) => family === 4).sort((a, b) => a.metric - b.metric);
  return addresses.find(({ device, family }) => device === best?.device && family === 4)?.address;
}
