// An appliance in VXLAN (a device of the kernel in the LAN's namespace) and two booted nodes whose daemons are units of
// systemd, beside NetworkManager.
import type { Test } from 'tap';
import type { TestNode } from './node.ts';
import { reach } from './overlay-cluster.ts';
import { onSecond, second } from './second-node.ts';

const inLan = 'ip netns exec lan';
const appliance = '10.60.0.5';
/** Port of a switch with the address of a pod, as an internal port of Open vSwitch in a namespace of its own. */
const pods = [
  { on: '', node: 'node', name: 'one', mac: '0a:58:0a:2a:00:63', address: '10.42.0.99', router: '10.42.0.1' },
  {
    on: `${onSecond} `,
    node: second.name,
    name: 'two',
    mac: '0a:58:0a:2a:01:63',
    address: '10.42.1.99',
    router: '10.42.1.1',
  },
] as const;
const devices = 'bridge fdb show dev vxlan-0; ip -brief link show dev vxlan-0';
const untilEntry = 'until bridge fdb show dev vxlan-0 2>/dev/null | grep -q extern_learn; do sleep 0.2; done';
const untilGone = 'while ls -d /sys/class/net/vxlan-*; do sleep 0.2; done';

/** Tests an appliance as a peer of the cluster. Afterwards the cluster is in its previous state. */
export async function haveAppliance(t: Test, node: TestNode): Promise<void> {
  const add = 'microshift-net overlay peer add f5 --vtep 192.0.2.1 --subnet 10.60.0.0/24';
  t.match(await node.run(add), {
    exitCode: 0,
    stdout: /^Done, \d+ changes: pods reach f5 \(10\.60\.0\.0\/24\) in VXLAN/,
  });
  for (const { on } of pods) await node.text(`${on}sh -c '${untilEntry}'`);
  await node.text(`${inLan} sh -ec 'ip link add f5 address 0a:58:0a:3c:00:02 type vxlan id 0 dstport 4789 local 192.0.2.1 nolearning
    ip address add ${appliance}/24 dev f5; ip link set f5 up
    ip neighbour replace 10.60.0.1 lladdr 0a:58:0a:3c:00:01 dev f5 nud permanent
    bridge fdb add 0a:58:0a:3c:00:01 dev f5 dst ${second.address}; ip route add 10.42.0.0/16 via 10.60.0.1'`);
  for (const { on, node: host, name, mac, address, router } of pods) {
    await node.text(`ovn-nbctl lsp-add ${host} ${name} -- lsp-set-addresses ${name} "${mac} ${address}"`);
    await node.text(`${on}sh -ec 'ovs-vsctl add-port br-int ${name} -- set Interface ${name} type=internal external_ids:iface-id=${name}
      ip netns add ${name}; ip link set ${name} netns ${name} address ${mac} mtu 1400
      ip -netns ${name} link set ${name} up; ip -netns ${name} address add ${address}/24 dev ${name}
      ip -netns ${name} route add default via ${router}'`);
  }
  const answers = async (when: string): Promise<void> => {
    for (const { on, name, address } of pods) {
      t.match(
        await node.text(`${on}ip netns exec ${name} ${reach(appliance)}`),
        /ttl=63/,
        `${name} reaches it ${when}`,
      );
      t.match(
        await node.text(`${inLan} ${reach(`-I ${appliance} ${address}`)}`),
        /ttl=63/,
        `it reaches ${name} ${when}`,
      );
    }
  };
  await answers('at once');
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 0, stdout: /^No drift/ });
  t.notMatch(await node.text('microshift-net plan'), /vxlan-0/, 'the device of the peer is not drawn as a NIC');

  const before = await node.text(devices);
  await node.text('systemctl restart NetworkManager');
  await node.text('nm-online -s -q -t 60');
  t.equal(await node.text(devices), before, 'a restarted NetworkManager leaves the device as it is');
  await node.text('ip link delete dev vxlan-0');
  await node.text(untilEntry);
  await answers('after its device was deleted by hand');

  t.match(await node.run('microshift-net overlay peer remove f5'), { exitCode: 0 });
  for (const { on, name } of pods) {
    t.equal(
      await node
        .text(`${on}sh -c '${untilGone}; ovs-vsctl list-ports br-int | grep evpn; true'`)
        .then((text) => text.includes('evpn')),
      false,
    );
    await node.text(
      `ovn-nbctl lsp-del ${name}; ${on}sh -c 'ovs-vsctl del-port br-int ${name}; ip netns delete ${name}'`,
    );
  }
  await node.text(`${inLan} ip link delete dev f5`);
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 0, stdout: /^No drift/ });
}
