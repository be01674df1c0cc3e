// `overlay` in a booted node: systemd starts OVN, and after a boot the node has its part in the cluster by itself.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';

const files = {
  '/etc/microshift/ovn.yaml': 'ovs:\n  datapathType: netdev\n',
  // The data path of this machine's nodes, which its kernel has as a module.
  '/etc/systemd/system/ovs-vswitchd.service.d/tun.conf': '[Service]\nExecStartPre=/sbin/modprobe tun\n',
};

t.test('a cluster of one', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', files });
  t.teardown(() => node.halt());
  await node.text('modprobe tun; systemctl enable microshift-net-overlay');

  // Debian's package would have enabled them; the base has it unpacked only.
  const units = 'ovn-central ovn-northd ovn-host ovn-controller';
  const unitStates = (): Promise<string> =>
    node.text(`systemctl is-enabled ${units}; systemctl is-active ${units} | sed s/failed/inactive/; true`);
  const before = await unitStates();
  await node.text('systemctl mask ovn-host ovn-controller');
  t.match(await node.run('microshift-net overlay init'), { exitCode: 5, stderr: /ovn-controller does not run/ });
  await node.text('systemctl unmask ovn-host ovn-controller');
  t.equal(await unitStates(), before, 'an init that failed leaves units as they were');

  const begun = await node.run('microshift-net overlay init');
  t.match(begun, { exitCode: 0, stdout: /has 10\.42\.0\.0\/24 of 10\.42\.0\.0\/16\.\nTo join a node/ });
  t.match(await node.run('microshift-net overlay init'), { exitCode: 0, stdout: /^Nothing to do/ });
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 0, stdout: /^No drift/ });
  t.match(await node.text('microshift-net overlay nodes'), /^\S+ +here +10\.42\.0\.0\/24 +192\.0\.2\.50 /m);
  const doctor = (await node.run('microshift-net doctor')).stdout;
  t.match(doctor, /^ok +overlay /m);
  t.notMatch(doctor, /ovn-kubernetes runs here|OVN-KUBE-NODEPORT/, 'br-int is not taken for that of ovn-kubernetes');

  await node.reboot();
  await node.run('systemctl start microshift-net-overlay');
  t.equal(await node.text('systemctl show -P Result microshift-net-overlay'), 'success');
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 0, stdout: /^No drift/ }, 'after a boot, too');
  t.match(await node.text('ip -brief address show dev ovn-k8s-mp0'), /10\.42\.0\.2\/24/);

  t.match(await node.run('microshift-net overlay disable'), {
    exitCode: 0,
    stdout: /As before the overlay: ovn-central/,
  });
  t.equal(await unitStates(), before, 'and so does disable');
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 2, stderr: /this node is in no overlay/ });
  t.notMatch(await node.text('ovs-vsctl get Open_vSwitch . external_ids'), /ovn-remote/);
});
