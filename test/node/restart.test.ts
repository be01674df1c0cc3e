// NetworkManager or Open vSwitch restarted or killed while br-ex is in use: the node answers again by itself, with
// everything in place.
import t, { type Test } from 'tap';
import { nodeSkip } from './availability.ts';
import type { NodeKernel } from './machine.ts';
import { bootNode, type TestNode } from './node.ts';
import { answersAgain } from './reachability.ts';
import { untilWanted } from './until-wanted.ts';

/**
 * Limit for the repair: a run that the end of NetworkManager has interrupted is repeated after 3 s, and may take 10 s.
 */
const settleSeconds = 100;
const ways = ['systemctl restart', 'systemctl kill --signal=KILL'];

/** Foreign entries on the bridge. */
const foreign = `ip address add 10.44.0.0/32 dev br-ex; ovs-ofctl add-flow br-ex cookie=0x77,priority=5,udp,tp_dst=9,actions=drop
  ovs-vsctl add-port br-ex patch-out -- set interface patch-out type=patch options:peer=patch-in`;
const foreignLeft = `ip -o address show dev br-ex | grep -c ' 10.44.0.0/32 '; ovs-ofctl dump-flows br-ex cookie=0x77/-1 | grep -c udp
  ovs-vsctl list-ports br-ex | grep -c patch-out`;

/**
 * LANs, with a further test for some of them. The bond with LACP also covers a bond without LACP, and
 * default-route.test.ts covers a plain NIC with the kernel's data path.
 */
const lans: readonly {
  readonly lan: string;
  readonly kernel?: NodeKernel;
  readonly after?: (t: Test, node: TestNode) => Promise<void>;
}[] = [
  { lan: 'static4', kernel: 'of this machine', after: unconfirmedIsReverted },
  { lan: 'vlan', after: ovsRestarts },
  { lan: 'bond-8023ad' },
];

for (const { lan, kernel, after } of lans) {
  t.test(`restart of NetworkManager, ${lan}`, { skip: nodeSkip }, async (t) => {
    const node = await bootNode({ lan, enableUnit: true, ...(kernel && { kernel }) });
    t.teardown(() => node.halt());
    await node.text('systemctl start microshift-ovs-init');
    await node.ready();
    await node.text(foreign);
    for (const way of ways) {
      const since = await node.now();
      await node.text(`${way} NetworkManager`);
      // The test waits for a fixed time in which the restart begins, so that answers from before the restart do not
      // count.
      await node.text('sleep 2');
      await node.ready();
      await becomesWanted(t, node, `${way}: everything is in the desired state, by itself`);
      t.equal(await node.text(foreignLeft), '1\n1\n1', 'the address, the flow and the port of others are there');
      await answersAgain(t, node, since, node.lan.ip4);
    }
    await after?.(t, node);
  });
}

/** Restarts Open vSwitch in every way while br-ex is in use. */
async function ovsRestarts(t: Test, node: TestNode): Promise<void> {
  const survives = async (way: string): Promise<void> => {
    const since = await node.now();
    await node.text(`${way}; sleep 3`);
    await becomesWanted(t, node, `${way}: everything is in the desired state`);
    await answersAgain(t, node, since, node.lan.ip4);
  };
  const runs = await node.text('microshift-net history');
  await survives('systemctl restart ovs-vswitchd');
  await survives('systemctl restart ovsdb-server');
  await survives('kill -KILL $(cat /run/openvswitch/ovsdb-server.pid)');
  await survives('systemctl restart openvswitch');
  t.equal(await node.text('microshift-net history'), runs, 'the agent made no further run');
  await survives('systemctl stop ovs-vswitchd; sleep 3; systemctl start ovs-vswitchd');
  t.match(
    await node.text('microshift-net history'),
    /disable --stop/,
    'the NIC was returned while ovs-vswitchd was stopped',
  );
}

/** Restarts NetworkManager while a change waits for confirmation: the restart does not confirm the change. */
async function unconfirmedIsReverted(t: Test, node: TestNode): Promise<void> {
  await node.text('systemctl stop microshift-ovs-init; microshift-net disable');
  t.match(await node.run('microshift-net apply --confirm-timeout 600'), { exitCode: 0 });
  await node.text('systemctl restart NetworkManager');
  await node.run(`timeout ${settleSeconds} sh -c 'until microshift-net history | grep -q reverted; do sleep 2; done'`);
  const history = await node.text('microshift-net history');
  t.match(history, /^\S+ +reverted +apply /, history);
}

/** Asserts that everything is in the desired state within a limit, by itself. */
async function becomesWanted(t: Test, node: TestNode, when: string): Promise<void> {
  const verify = await node.run(untilWanted(settleSeconds));
  t.match(verify, { exitCode: 0 }, `${when}: ${await node.read('/run/drift')}`);
}
