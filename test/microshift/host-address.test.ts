// Rules by which the agent predicts the node's address that MicroShift chooses, compared with the output of a real
// MicroShift (`microshift show-config`). Each network is a namespace of its own.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { microshiftFilesSkip, microshiftFolder } from './microshift-folder.ts';

const skip = microshiftFilesSkip || (process.getuid?.() !== 0 && 'only root can make network namespaces');

/** Shell text that creates br-ex with a carrier, and eth1. */
const links = `
ip link set lo up
ip link add br-ex type veth peer name cable
ip link add eth1 type veth peer name cable1
for name in cable cable1 br-ex eth1; do ip link set $name addrgenmode none && ip link set $name up; done`;
const ipv4 = 'ip address add 192.0.2.50/24 dev br-ex && ip route add default via 192.0.2.1';
const ipv6 = 'ip address add 2001:db8::50/64 dev br-ex nodad && ip route add ::/0 via fe80::1 dev br-ex onlink';
const advertised = 'ip address add fd02::1:0/128 dev br-ex nodad';
const onLo = (address: string): string => `ip address add ${address} dev lo metric 77`;

/**
 * Configuration of the network, and the address that MicroShift and the agent must choose; null if MicroShift finds no
 * address and exits. With `of`, the agent may choose any of these addresses, because the agent does not read the
 * kernel's order of several IPv6 addresses.
 */
const networks: readonly (readonly [
  about: string,
  shell: readonly string[],
  taken: string | null,
  of?: readonly string[],
])[] = [
  ['a default route through br-ex', [ipv4], '192.0.2.50'],
  ["MicroShift's own address first", ['ip address add 10.44.0.0/32 dev br-ex', ipv4], '10.44.0.0'],
  ['a removed default route', [ipv4, 'ip route delete default'], null],
  [
    'a removed default route, with the address on lo',
    [ipv4, onLo('192.0.2.50/32'), 'ip route delete default'],
    '192.0.2.50',
  ],
  [
    'a removed default route, with an address on another NIC',
    [ipv4, 'ip route delete default && ip address add 198.51.100.5/24 dev eth1'],
    '198.51.100.5',
  ],
  ['half a default route', [ipv4, 'ip route delete default && ip route add 0.0.0.0/1 via 192.0.2.1'], '192.0.2.50'],
  ['IPv6 only', [ipv6], '2001:db8::50'],
  ["IPv6 only, with MicroShift's own address", [ipv6, advertised], 'fd02::1:0', ['fd02::1:0', '2001:db8::50']],
  [
    'IPv6 only, with the address on lo',
    [ipv6, advertised, onLo('2001:db8::50/128')],
    'fd02::1:0',
    ['fd02::1:0', '2001:db8::50'],
  ],
  [
    'IPv6 only, with the address on lo and the signpost',
    [ipv6, advertised, onLo('2001:db8::50/128'), 'signpost'],
    '2001:db8::50',
  ],
  [
    'IPv6 only, with the signpost and a removed default route',
    [ipv6, advertised, onLo('2001:db8::50/128'), 'signpost', 'ip route delete ::/0'],
    '2001:db8::50',
  ],
  [
    'both families, with the IPv6 address on lo and the signpost',
    [ipv4, ipv6, onLo('2001:db8::50/128'), 'signpost'],
    '192.0.2.50',
  ],
];

for (const [about, steps, taken, of = [taken]] of networks) {
  t.test(about, { skip, timeout: 120_000 }, (t) => {
    const found = `${process.execPath} ${join(import.meta.dirname, 'found-here.js')}`;
    const make = steps.map((step) => (step === 'signpost' ? `${found} signpost > /dev/null` : step));
    const shell = `set -e
mount -t sysfs none /sys
${links}
${make.join('\n')}
${found}
${microshiftFolder}/usr/bin/microshift show-config 2> /dev/null | sed -n 's/^ *nodeIP: //p'`;
    const { stdout, stderr } = spawnSync('unshare', ['--net', '--mount', 'bash', '-c', shell], { encoding: 'utf8' });
    const [ours, theirs] = stdout.split('\n');
    t.equal(theirs, taken ?? '', `MicroShift: ${stderr}`);
    t.ok(of.map(String).includes(ours ?? ''), `the agent: ${ours}`);
    t.end();
  });
}
