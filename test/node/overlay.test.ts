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
  await node.text('modprobe tun');
  const daemon = (property: string): Promise<string> =>
    node.text(`systemctl show -P ${property} microshift-net-overlay`);

  const begun = await node.run('microshift-net overlay init');
  t.match(begun, { exitCode: 0, stdout: /has 10\.42\.0\.0\/24 of 10\.42\.0\.0\/16\.\nTo join a node/ });
  t.equal(await daemon('SubState'), 'running', 'the daemon was started');
  t.equal(await daemon('UnitFileState'), 'enabled');
  t.match(await daemon('StatusText'), /is as wanted$/);
  t.match(await node.run('microshift-net overlay init'), { exitCode: 0, stdout: /^Nothing to do/ });
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 0, stdout: /^No drift/ });
  t.match(await node.text('microshift-net overlay nodes'), /^\S+ +here +10\.42\.0\.0\/24 +192\.0\.2\.50 /m);
  const doctor = (await node.run('microshift-net doctor')).stdout;
  t.match(doctor, /^ok +overlay /m);
  t.notMatch(doctor, /ovn-kubernetes runs here|OVN-KUBE-NODEPORT/, 'br-int is not taken for that of ovn-kubernetes');

  await node.reboot();
  await node.run('systemctl start microshift-net-overlay');
  t.equal(await daemon('SubState'), 'running');
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 0, stdout: /^No drift/ }, 'after a boot, too');
  t.match(await node.text('ip -brief address show dev ovn-k8s-mp0'), /10\.42\.0\.2\/24/);

  t.match(await node.run('microshift-net overlay status'), { exitCode: 0, stdout: /all is as wanted/ });
  const memory = await node.text(`grep VmRSS /proc/${await daemon('MainPID')}/status`);
  t.comment(memory);
  await node.text('ip address flush dev ovn-k8s-mp0');
  const back = "timeout 60 bash -c 'grep -q -m 1 10.42.0.2/24 < <(ip -o monitor address & ip -o address show; wait)'";
  t.match(await node.run(back), { exitCode: 0 }, 'an address that was taken away is back');

  t.match(await node.run('microshift-net overlay leave'), { exitCode: 0 });
  t.equal(await daemon('ActiveState'), 'inactive', 'no daemon is left');
  t.match(await node.run('systemctl is-enabled microshift-net-overlay'), { stdout: 'disabled\n' });
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 2, stderr: /this node is in no overlay/ });
  t.notMatch(await node.text('ovs-vsctl get Open_vSwitch . external_ids; ovn-nbctl show'), /ovn-remote|10\.42/);
});
