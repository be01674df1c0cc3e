// `persist: true`: the bridge comes up with the boot, and a node whose Open vSwitch does not is reachable all the same.
import t, { type Test } from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode, type TestNode } from './node.ts';

t.setTimeout(520_000);

const address = '192.0.2.50';
const unit = 'microshift-ovs-init.service';
const onDisk = 'ls /etc/NetworkManager/system-connections';

const failing = (service: string): { breaks: string; mends: string } => {
  const folder = `/etc/systemd/system/${service}.service.d`;
  return {
    breaks: `mkdir -p ${folder}; printf '[Service]\\nExecStartPre=/bin/false\\n' > ${folder}/broken.conf`,
    mends: `rm ${folder}/broken.conf`,
  };
};
const breakages = [
  { what: 'ovs-vswitchd fails', ...failing('ovs-vswitchd') },
  { what: 'ovsdb-server fails', ...failing('ovsdb-server') },
  {
    what: 'ovs-vswitchd is masked',
    breaks: 'systemctl mask --quiet ovs-vswitchd',
    mends: 'systemctl unmask --quiet ovs-vswitchd',
  },
];

t.test('profiles on disk', { timeout: 500_000, skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'dhcp',
    enableUnit: true,
    files: { '/etc/microshift/ovn.yaml': 'persist: true\n' },
  });
  t.teardown(() => node.halt());

  await t.test('are written once they are proven', async (t) => {
    await unitDone(node);
    t.match(await node.text(onDisk), /^br-ex\.nmconnection$[\s\S]*^ovs-if-phys0\.nmconnection$/m);
    t.match(await node.run('microshift-net verify'), { exitCode: 0 });
  });

  await t.test('bring the bridge up with the next boot', async (t) => {
    const readyMs = await node.reboot();
    await unitDone(node);
    t.comment(`answered ${Math.round(readyMs)} ms after power on`);
    await isOn(t, node, 'br-ex');
    t.match(await node.run('microshift-net verify'), { exitCode: 0 });
    const history = (await node.text('microshift-net history')).trim().split('\n');
    t.equal(history.length, 1, `the unit waits for the bridge instead of building it again: ${history.join('; ')}`);
    if (history.length > 1) t.comment(await node.journal());
  });

  for (const { what, breaks, mends } of breakages) {
    await t.test(`do not keep the NIC when ${what}`, async (t) => {
      await node.text(breaks);
      const readyMs = await node.reboot();
      t.comment(`answered ${Math.round(readyMs)} ms after power on, when ${what}`);
      await isOn(t, node, 'eth0');
      t.match(await node.journal('microshift-net-fallback'), /the node starts from its own profiles/);
      t.notMatch(await node.text(onDisk), /br-ex|phys0/);
    });

    await t.test('and come back with it', async (t) => {
      await node.text(`${mends}; sync`);
      await node.reboot();
      await unitDone(node);
      await isOn(t, node, 'br-ex');
      t.match(await node.text(onDisk), /^ovs-if-phys0\.nmconnection$/m);
    });
  }
});

t.test('profiles in memory', { timeout: 200_000, skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', enableUnit: true });
  t.teardown(() => node.halt());
  await unitDone(node);
  await isOn(t, node, 'br-ex');
  for (const { what, breaks, mends } of breakages) {
    await t.test(`the NIC does not wait for Open vSwitch when ${what}`, async (t) => {
      await node.text(breaks);
      const readyMs = await node.reboot();
      t.comment(`answered ${Math.round(readyMs)} ms after power on, when ${what}`);
      await isOn(t, node, 'eth0');
      await node.text(mends);
    });
  }
});

async function unitDone(node: TestNode): Promise<void> {
  await node.text(`systemctl start ${unit}`);
  await node.ready();
}

async function isOn(t: Test, node: TestNode, device: string): Promise<void> {
  t.strictSame((await node.state()).devicesWith(address), [device]);
}
