// Updates during an open change, and updates and removals that are killed, on a node with two versions of the packages
// below /root/packages: first and second.
import type { Test } from 'tap';
import { armFault, letGoOfRun } from '../node/armed-fault.ts';
import type { TestNode } from '../node/node.ts';
import { stayedReachable } from '../node/reachability.ts';

// The test node's packages are installed by dpkg, so rpm does not know the dependencies.
export const rpm = 'rpm --nodeps';
export const install = `${rpm} -i /root/packages/first/*.noarch.rpm`;
export const remove = `${rpm} -e microshift-networking microshift-net`;
const update = `${rpm} -U /root/packages/second/*.noarch.rpm`;
const downgrade = `${rpm} -U --oldpackage /root/packages/first/*.noarch.rpm`;
const installed = 'rpm -q --qf "%{VERSION}\\n" microshift-net microshift-networking | sort';
const broken = 'rpm -V --nodeps microshift-net microshift-networking || true';
const address = '192.0.2.50';

/**
 * Tests that an update neither confirms nor rolls back an open change, and that the other version can do both. Leaves
 * br-ex with its NIC.
 */
export async function updatedWhileTried(t: Test, node: TestNode): Promise<void> {
  t.equal((await node.run(install)).exitCode, 0);
  t.match(await node.run('microshift-net apply --confirm-timeout 45'), { exitCode: 0 });
  t.equal((await node.run(update)).exitCode, 0);
  t.match(
    await node.text('microshift-net history'),
    /^\S+ +awaiting-confirm +apply/,
    'the change is neither confirmed nor rolled back',
  );
  t.strictSame((await node.state()).interfacesOf('br-ex'), ['br-ex', 'eth0']);
  await node.text(`timeout 110 sh -c 'until ip address show dev eth0 | grep -q ${address}; do sleep 1; done'`);
  await node.ready();
  t.match(await node.run('microshift-net recover && microshift-net history'), {
    exitCode: 0,
    stdout: / reverted +apply/,
  });
  t.strictSame(
    (await node.state()).addressesOf('eth0'),
    [`${address}/24`],
    'the change is rolled back after its time limit',
  );
  t.strictSame((await node.state()).bridges(), []);
  t.match(await node.run('microshift-net apply --confirm-timeout 120'), { exitCode: 0 });
  t.equal((await node.run(downgrade)).exitCode, 0);
  t.match(await node.run('microshift-net confirm'), { exitCode: 0 }, 'another version confirms the change');
  t.match(await node.run('microshift-net verify'), { exitCode: 0 });
}

/** Kills rpm during an update, and tests that a second update repairs the node. dnf.test.ts tests the same with dnf. */
export async function killedInUpdate(t: Test, node: TestNode): Promise<void> {
  const died = await node.measure(
    `${update} & until pgrep -f '[h]ook post-upgrade' || ! kill -0 $!; do :; done; kill -9 $!; wait $!`,
  );
  t.equal(died.exitCode, 137, 'rpm is killed while a scriptlet of the agent is running');
  stayedReachable(t, died, [address]);
  t.equal(await node.text(installed), '0.2.0\n0.2.1\n5.0.0', 'the database of rpm has both versions');
  t.match(await node.run('microshift-net verify'), { exitCode: 0 }, 'br-ex stays');
  const mended = await node.measure(`${update} --replacepkgs`);
  t.equal(mended.exitCode, 0, mended.stderr);
  stayedReachable(t, mended, [address]);
  t.equal(await node.text(installed), '0.2.1\n5.0.1');
  t.equal(await node.text(broken), '', 'no packaged file is changed or missing');
  t.match(await node.run('microshift-net verify'), { exitCode: 0 });
}

/** Kills all processes that remove the package while the NIC returns. Leaves a node without the package. */
export async function killedInRemoval(t: Test, node: TestNode): Promise<void> {
  await armFault(node, 'after step 1', 'hold');
  const removal = node.start(remove);
  await removal.saw('armed fault: held after step 1');
  await node.text(`pkill -9 -x rpm; pkill -9 -f '[h]ook pre-uninstall'; ${letGoOfRun}`);
  await removal.ended;
  await node.ready();
  t.match(await node.text('rpm -q microshift-net'), 'microshift-net-0.2.1');
  const again = await node.measure(`${rpm} -e $(rpm -qa 'microshift-net*')`);
  t.equal(again.exitCode, 0, again.stderr);
  stayedReachable(t, again, [address]);
}
