// NetworkManager restarted or killed while the port of br-ex is a bond with LACP, which also covers a bond without
// LACP: the node answers again by itself, with everything in place. default-route.test.ts covers a NIC and a VLAN.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';
import { answersAgain } from './reachability.ts';
import { untilWanted } from './until-wanted.ts';

const ways = ['systemctl restart', 'systemctl kill --signal=KILL'];

/** Foreign entries on the bridge. */
const foreign = `ip address add 10.44.0.0/32 dev br-ex; ovs-ofctl add-flow br-ex cookie=0x77,priority=5,udp,tp_dst=9,actions=drop
  ovs-vsctl add-port br-ex patch-out -- set interface patch-out type=patch options:peer=patch-in`;
const foreignLeft = `ip -o address show dev br-ex | grep -c ' 10.44.0.0/32 '; ovs-ofctl dump-flows br-ex cookie=0x77/-1 | grep -c udp
  ovs-vsctl list-ports br-ex | grep -c patch-out`;

t.test('restart of NetworkManager, bond-8023ad', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'bond-8023ad', enableUnit: true });
  t.teardown(() => node.halt());
  await node.text('systemctl start microshift-ovs-init');
  await node.ready();
  await node.text(foreign);
  for (const way of ways) {
    const since = await node.now();
    // The test waits for a fixed time in which the restart begins, so that a state from before it does not count.
    const verify = await node.run(`${way} NetworkManager; sleep 2; ${untilWanted()}`);
    const drift = await node.read('/run/drift');
    t.match(verify, { exitCode: 0 }, `${way}: everything is in the desired state, by itself: ${drift}`);
    t.equal(await node.text(foreignLeft), '1\n1\n1', 'the address, the flow and the port of others are there');
    await answersAgain(t, node, since, node.lan.ip4);
  }
});
