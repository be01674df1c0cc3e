// Another program creates br-ex again: foreign entries of its interface are restored, and missing foreign ports are
// reported.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { microshiftStandIn } from './microshift-stand-in.ts';
import { bootNode } from './node.ts';

const { '/usr/bin/configure-ovs.sh': script = '', '/usr/local/bin/pods': pods = '' } = microshiftStandIn;
const files = {
  ...microshiftStandIn,
  '/etc/microshift/ovn.yaml': 'ovs:\n  datapathType: netdev\n',
  '/usr/bin/configure-ovs.sh': script.replace('set bridge br-ex ', 'set bridge br-ex datapath_type=netdev '),
  '/usr/local/bin/pods': pods.replace('add-br br-int ', 'add-br br-int -- set bridge br-int datapath_type=netdev '),
};
/** Shell text that completes checksums on the LAN's veths, because the userspace data path needs complete checksums. */
const wholeChecksums = `for nic in $(ip netns exec lan ls /sys/class/net); do ip netns exec lan ethtool -K $nic tx off; done > /dev/null 2>&1
  ethtool -K eth0 tx off > /dev/null`;
const inKernel = `ip -br -4 address show dev br-ex; ip route show 10.43.0.0/16
  ip neighbour show 169.254.169.4 dev br-ex nud permanent`;
const until = (shell: string): string => `timeout 110 sh -c 'until ${shell}; do sleep 0.3; done'`;
const isNoted = (text: string): string => until(`grep -q "${text}" /run/microshift-net/others.json`);
/** Shell text with the effect of MicroShift's script on a br-ex that a MicroShift before 4.14 seems to have made. */
const madeAgain = 'ovs-vsctl del-br br-ex && /usr/bin/configure-ovs.sh';
const carriesAgain = `${until('ovs-vsctl port-to-br eth0 > /dev/null 2>&1')}; ${until('! systemctl is-active --quiet microshift-net-repair.service && [ ! -e /run/microshift-net/repair-asked ]')}`;

t.test('br-ex is made again by another program', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine', enableUnit: true, files });
  t.teardown(() => node.halt());
  await node.text(`${wholeChecksums}; systemctl start microshift-stand-in`);
  await node.ready();
  // The port of ovn-controller changes the database, which starts a check.
  await node.text(`${isNoted('10.44.0.0/32')}; ${isNoted('patch-ex')}`);
  const before = await node.text(inKernel);

  await t.test('foreign entries of the interface br-ex are restored, and missing ports are reported', async (t) => {
    await node.text(`${madeAgain}; ${carriesAgain}`);
    t.equal(await node.text(inKernel), before, 'addresses, a route and a neighbour are there, in their order');
    const verify = await node.run('microshift-net verify');
    t.equal(verify.exitCode, 3);
    t.match(verify.stdout, /port patch-ex of another program in br-ex: wanted present, observed absent/);
    t.notMatch(verify.stdout, /10\.44\.0\.0/);
    t.match(await node.text('microshift-net status'), /port patch-ex of another program/);
    t.match(
      (await node.run('microshift-net doctor')).stdout,
      /FAILED +drift[^\n]*\n[^\n]*port patch-ex of another program/,
    );
  });
  await t.test('MicroShift starts while the bridge does not exist', async (t) => {
    // MicroShift adds the address of its API server to lo if no br-ex exists (openshift/microshift,
    // pkg/node/netconfig.go).
    const made = 'ovs-vsctl del-br br-ex && ip address add 10.44.0.0/32 dev lo && /usr/bin/configure-ovs.sh';
    await node.text(`${made}; ${carriesAgain}`);
    t.equal(await node.text(inKernel), before, 'the address is on br-ex');
    t.notMatch(await node.text('ip -br address show dev lo'), /10\.44/, 'lo no longer has the address');
    t.notMatch((await node.run('microshift-net verify')).stdout, / on lo/);
  });
  await t.test('a port that its owner adds again is no longer reported', async (t) => {
    await node.text('/usr/local/bin/pods');
    t.match(await node.run('microshift-net verify'), { exitCode: 0 });
  });
  await t.test('an entry that its owner has removed is not restored', async (t) => {
    await node.text(
      `ip address delete 169.254.169.2/29 dev br-ex; ovs-vsctl add-port br-ex in0 -- set interface in0 type=internal`,
    );
    await node.text(isNoted('in0'));
    await node.text(`${madeAgain}; ${carriesAgain}`);
    const present = await node.text('ip -br -4 address show dev br-ex');
    t.match(present, /10\.44\.0\.0\/32/);
    t.notMatch(present, /169\.254\.169\.2/);
  });
  await t.test('a missing port is reported by `apply`, and not reported after that', async (t) => {
    t.match((await node.run('microshift-net verify')).stdout, /port in0 of another program/);
    const run = await node.run('microshift-net apply');
    t.equal(run.exitCode, 0, run.stderr);
    t.match(run.stdout + run.stderr, /port in0 was in br-ex until another program made the bridge again/);
    t.match(await node.run('microshift-net verify'), { exitCode: 0 });
  });
});
