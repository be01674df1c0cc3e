// Defaults of NetworkManager's configuration that match the NIC by its type, and not br-ex, keep their effect on br-ex.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';

const file = '/etc/NetworkManager/conf.d/20-eth.conf';
const values = {
  'ipv4.dhcp-client-id': 'edge-7',
  'ipv4.dns-priority': '30',
  'ipv4.route-metric': '33',
  'connection.mdns': '1',
};

t.test('defaults by the type of the device', { timeout: 600_000, skip: nodeSkip }, async (t) => {
  const lines = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  const node = await bootNode({
    lan: 'dhcp',
    kernel: 'of this machine',
    files: {
      '/etc/microshift/ovn.yaml': 'uplink: eth0\n',
      [file]: `[connection-eth]\nmatch-device=type:ethernet\n${lines.join('\n')}\n`,
    },
  });
  t.teardown(() => node.halt());
  // The lease shows that NetworkManager has read the configuration.
  t.match(await node.text('ip route show default dev eth0'), 'metric 33', 'the NIC has the configured metric');

  const plan = await node.text('microshift-net plan');
  for (const line of lines)
    t.match(plan, `${line} of [connection-eth] in ${file}`, 'the plan names the default and its source');
  await node.text('microshift-net apply');
  for (const [key, value] of Object.entries(values)) {
    const shown = await node.text(`nmcli -g ${key} connection show ovs-if-br-ex`);
    t.match(shown, new RegExp(`^${value}\\b`), key);
  }
  t.match(
    await node.text('ip route show default dev br-ex'),
    'metric 33',
    'the default route of br-ex has the configured metric',
  );
  t.match(await node.text('microshift-net apply'), 'Nothing to do');
  await node.text('microshift-net disable');
  t.match(
    await node.text('ip route show default dev eth0'),
    'metric 33',
    'the default route of the NIC has the configured metric again',
  );
});
