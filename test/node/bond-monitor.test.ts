// Bond whose ARP monitor cannot work under a bridge: the agent refuses the bond as an uplink. If an earlier version has
// accepted the bond, the proof of the next run fails, and the commands report the monitor.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';
import { picture } from './picture.ts';

const arp = 'mode=active-backup,primary=eth0,arp_interval=200,arp_ip_target=192.0.2.1,arp_validate=active';
const hintFile = '/var/lib/ovnk/iface_default_hint';

t.test('a bond with an ARP monitor', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'bond-ab' });
  t.teardown(() => node.halt());
  const answers = `timeout 110 sh -c 'until ping -n -q -c 1 -W 1 192.0.2.1 > /dev/null; do sleep 0.2; done'`;
  await node.text(`nmcli connection modify bond0 bond.options ${arp}; nmcli connection up bond0; ${answers}`);
  const before = await picture(node);
  let cure = '';

  await t.test('is refused, with the command that replaces its monitor', async (t) => {
    const run = await node.run('microshift-net apply');
    t.equal(run.exitCode, 2, run.stderr);
    t.match(run.stderr, /the ARP monitor of bond0 cannot work under a bridge.*192\.0\.2\.1/);
    cure = /(nmcli connection modify .* && nmcli connection up bond0)/.exec(run.stderr)?.[1] ?? '';
    t.match(cure, /mode=active-backup,primary=eth0,miimon=100/);
    t.match(await node.run('microshift-net plan'), { exitCode: 2, stderr: /the ARP monitor of bond0/ });
    t.strictSame(await picture(node), before, 'the state of the node is unchanged');
  });

  await t.test('is moved if a hint file names it, fails in the proof, and is returned', async (t) => {
    await node.write(hintFile, 'bond0\n');
    const run = await node.run('microshift-net apply');
    t.equal(run.exitCode, 1, run.stderr);
    t.match(run.stderr, /the ARP monitor of bond0 gets no answer of 192\.0\.2\.1 under the bridge.*miimon=100/);
    await node.text(answers);
    t.strictSame((await node.state()).addressesOf('bond0'), ['192.0.2.50/24']);
    await node.text(`rm ${hintFile}`);
  });

  await t.test('becomes the uplink with link monitoring instead', async (t) => {
    await node.text(`${cure}; ${answers}`);
    t.match(await node.run('microshift-net apply'), { exitCode: 0 });
    t.match(await node.run('microshift-net verify'), { exitCode: 0, stdout: /No drift/ });
    t.match(
      await node.run('microshift-net doctor'),
      { exitCode: 0, stdout: /\n0 failed, / },
      'no check of doctor fails',
    );
    const kernel = "microshift-net support-bundle -o - | tar -xzO --wildcards '*/journal/kernel.txt'";
    t.match(await node.text(kernel), /kernel: .*bond0/, 'support-bundle has the messages of the kernel');
  });

  await t.test('is reported and remains in br-ex, if its monitor is changed there', async (t) => {
    const bonding = '/sys/class/net/bond0/bonding';
    await node.text(
      `echo 0 > ${bonding}/miimon; echo 200 > ${bonding}/arp_interval; echo +192.0.2.1 > ${bonding}/arp_ip_target`,
    );
    t.match(await node.run('microshift-net verify'), {
      exitCode: 3,
      stdout: /monitor of bond0: wanted miimon, observed ARP, with no way to 192\.0\.2\.1 from under br-ex/,
    });
    t.match(await node.run('microshift-net status'), { stdout: /monitor of bond0/ });
    t.match(await node.run('microshift-net doctor'), { exitCode: 3, stdout: /FAILED +bond/ });
    t.match(await node.run('microshift-net apply'), { exitCode: 0 });
    t.strictSame((await node.state()).interfacesOf('br-ex'), ['bond0', 'br-ex']);
  });

  await t.test('is reported if it has no cable', async (t) => {
    const bonding = '/sys/class/net/bond0/bonding';
    await node.text(
      `echo -192.0.2.1 > ${bonding}/arp_ip_target; echo 0 > ${bonding}/arp_interval; echo 100 > ${bonding}/miimon`,
    );
    await node.text('ip netns exec lan ip link set peth0 down; ip netns exec lan ip link set peth1 down');
    await node.text(
      `timeout 90 sh -c 'until grep -q "^Currently Active Slave: None" /proc/net/bonding/bond0; do sleep 0.1; done'`,
    );
    t.match(await node.run('microshift-net verify'), {
      exitCode: 3,
      stdout: /working port of bond0: wanted present, observed absent/,
    });
  });
});
