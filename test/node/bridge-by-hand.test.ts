// A br-ex that an administrator has built with ovs-vsctl: the agent does not change it, and reports missing settings.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';

t.test('disableOVSInit', { skip: nodeSkip }, async (t) => {
  const files = { '/etc/microshift/ovn.yaml': 'disableOVSInit: true\n' };
  const node = await bootNode({ lan: 'static4', kernel: 'of this machine', files });
  t.teardown(() => node.halt());
  const apply = () => node.text('microshift-net apply');
  t.match(
    await apply(),
    /disableOVSInit, so br-ex is left to you\.\n.*\n {2}the bridge br-ex does not exist: ovs-vsctl add-br br-ex/,
  );
  await node.text('ovs-vsctl add-br br-ex -- set Bridge br-ex datapath_type=netdev');
  t.match(await apply(), /br-ex has no NIC: ovs-vsctl add-port br-ex NIC[\s\S]*br-ex is down/);
  await node.text(
    'nmcli device set eth0 managed no; ip address add 192.0.2.50/24 dev eth0 || true; ip link set eth0 up',
  );
  await node.text('ovs-vsctl add-port br-ex eth0 && ip link set br-ex up');
  const stuck = await apply();
  t.match(stuck, /br-ex has no address: ip address add 192\.0\.2\.50\/24 dev br-ex/);
  t.match(stuck, /192\.0\.2\.50\/24 is still on eth0.*: ip address delete 192\.0\.2\.50\/24 dev eth0/);
  await node.text(
    'ip address delete 192.0.2.50/24 dev eth0; ip address add 192.0.2.50/24 dev br-ex; ip route replace default via 192.0.2.1 dev br-ex',
  );
  t.match(await apply(), /br-ex has all that ovn-kubernetes needs/);
  t.strictSame((await node.state()).interfacesOf('br-ex'), ['br-ex', 'eth0'], 'the bridge is unchanged');
  t.match(
    await node.text('ovs-vsctl get Open_vSwitch . other_config'),
    /n-handler-threads="1"/,
    'Open vSwitch is tuned all the same',
  );
  await node.text('microshift-net apply --boot');
  const status = JSON.parse(await node.text('cat /run/microshift-net/status.json')) as object;
  t.match(status, { command: 'apply --boot', outcome: 'unchanged', bridges: [] }, 'monitoring sees the run');
  t.equal((await node.run('test -e /run/microshift-net/boot-done')).exitCode, 0, 'the boot is recorded as done');
});
