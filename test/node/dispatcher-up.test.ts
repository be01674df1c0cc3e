// The agent runs NetworkManager's dispatcher scripts with `up` for a NIC that has left br-ex: NetworkManager itself
// runs them only after an activation.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';

const script = `#!/bin/sh
echo "$1 $2 $CONNECTION_UUID $DEVICE_IP_IFACE $IP4_ADDRESS_0 $CONNECTION_FILENAME" >> /run/dispatched
[ "$2" != up ] || ip route append 10.9.0.0/16 via 192.0.2.1 dev "$1"
`;

t.test('`up` after disable', { timeout: 600_000, skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'static4',
    kernel: 'of this machine',
    files: { '/etc/microshift/ovn.yaml': 'uplink: eth0\n' },
  });
  t.teardown(() => node.halt());
  const path = '/etc/NetworkManager/dispatcher.d/50-test';
  await node.write(path, script);
  await node.text(`chmod 755 ${path}`);
  await node.text('ip address add 192.0.2.60/24 dev eth0');
  await node.text('microshift-net apply');
  await node.text('rm -f /run/dispatched');
  await node.text('microshift-net disable');
  const uuid = (await node.text('nmcli -g connection.uuid connection show eth0')).trim();
  const reported = (await node.text('cat /run/dispatched')).split('\n');
  const up = reported.filter((line) => line.startsWith('eth0 up '));
  const filename = '/etc/NetworkManager/system-connections/eth0.nmconnection';
  t.strictSame(up, [`eth0 up ${uuid} eth0 192.0.2.50/24 192.0.2.1 ${filename}`], reported.join('\n'));
  t.match(await node.text('ip route show 10.9.0.0/16'), 'dev eth0', 'the NIC has the route of the script');
});
