// Open vSwitch restarted, killed, and stopped for a while on a node whose NIC is in br-ex.
import type { Test } from 'tap';
import type { TestNode } from './node.ts';
import { answersAgain } from './reachability.ts';
import { untilWanted } from './until-wanted.ts';

/** Tests that the node returns to the desired state after Open vSwitch was restarted in every way. */
export async function ovsRestarts(t: Test, node: TestNode): Promise<void> {
  const survives = async (way: string): Promise<void> => {
    const since = await node.now();
    await node.text(`${way}; sleep 3`);
    const verify = await node.run(untilWanted());
    t.match(verify, { exitCode: 0 }, `${way}: everything is in the desired state: ${await node.read('/run/drift')}`);
    await answersAgain(t, node, since, node.lan.ip4);
  };
  const transactions = 'ls /var/lib/microshift-net/tx';
  const runs = await node.text(transactions);
  await survives('systemctl restart ovs-vswitchd');
  await survives('systemctl restart ovsdb-server');
  await survives('kill -KILL $(cat /run/openvswitch/ovsdb-server.pid)');
  await survives('systemctl restart openvswitch');
  t.equal(await node.text(transactions), runs, 'the agent made no further run');
  await survives('systemctl stop ovs-vswitchd; sleep 3; systemctl start ovs-vswitchd');
  t.match(
    await node.text('microshift-net history'),
    /disable --stop/,
    'the NIC was returned while ovs-vswitchd was stopped',
  );
}
