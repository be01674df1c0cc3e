// Node that configure-ovs.sh has set up: one run returns the NIC and builds br-ex again, and nothing of the script is
// left after a reboot.
import path from 'node:path';
import t from 'tap';
import { nodeSkip } from './availability.ts';
import type { NodeKernel } from './machine.ts';
import { hasMoved } from './moved.ts';
import { bootNode } from './node.ts';
import { stayedReachable } from './reachability.ts';
import { sourceDir } from './source.ts';

const script = { '/usr/local/lib/script': path.join(sourceDir, 'script-stand-in.sh') };
const address = '192.0.2.50';
/**
 * Nodes that run the script before the agent. Only the first one, whose kernel is faster, also repeats and undoes the
 * change.
 */
const cases: readonly {
  readonly lan: string;
  readonly kernel: NodeKernel;
  readonly place: string;
  readonly uplink: string;
}[] = [
  { lan: 'dhcp', kernel: 'of this machine', place: 'etc', uplink: 'eth0' },
  { lan: 'bond-ab', kernel: 'user-mode', place: 'run', uplink: 'bond0' },
];
/**
 * Entries of ovn-kubernetes on the bridge: a patch port to br-int, and the mapping by which ovn-controller makes it.
 */
const ovn = `ovs-vsctl add-br br-int -- set bridge br-int datapath_type=$(ovs-vsctl get bridge br-ex datapath_type) \
  -- add-port br-ex patch-br-ex_node-to-br-int -- set interface patch-br-ex_node-to-br-int type=patch \
  options:peer=patch-br-int-to-br-ex_node -- add-port br-int patch-br-int-to-br-ex_node -- set interface patch-br-int-to-br-ex_node \
  type=patch options:peer=patch-br-ex_node-to-br-int -- set Open_vSwitch . external_ids:ovn-bridge-mappings=physnet:br-ex`;
const mappings = 'ovs-vsctl get Open_vSwitch . external_ids:ovn-bridge-mappings';

for (const { lan, kernel, place, uplink } of cases) {
  t.test(`${lan}, profiles in /${place}`, { skip: nodeSkip }, async (t) => {
    const node = await bootNode({ lan, kernel, folders: script });
    t.teardown(() => node.halt());
    const before = await node.state();
    const dataPath = kernel === 'of this machine' ? 'netdev' : '';
    await node.text(`PLACE=${place} DATA_PATH=${dataPath} bash /usr/local/lib/script`);
    await node.ready();
    await node.text(ovn);

    await t.test('apply builds the bridge again', async (t) => {
      const run = await node.measure('microshift-net apply');
      t.match(run, { exitCode: 0, stdout: /committed/ }, run.stderr);
      stayedReachable(t, run, [address]);
      const state = await node.state();
      hasMoved(t, before, state, uplink);
      t.match(run.stderr, /ports of other programs in br-ex are removed with it: patch-br-ex_node-to-br-int/);
      t.match(
        await node.text(mappings),
        /physnet:br-ex/,
        'the mapping stays, so that ovn-controller makes its port again',
      );
      t.notMatch(
        await node.text('nmcli -g NAME connection show'),
        /phys0|clone/,
        'the profiles of the script are gone',
      );
      t.notMatch(await node.text('ls /etc/NetworkManager/system-connections'), /br-ex|phys0|clone/);
    });

    if (kernel === 'of this machine') {
      await t.test('a second apply has nothing to do', async (t) => {
        t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /^Nothing to do/ });
      });

      await t.test(
        'undo returns the NIC to its own profile, and does not restore the profiles of the script',
        async (t) => {
          t.match(await node.run('microshift-net undo'), { exitCode: 0 });
          const state = await node.state();
          t.strictSame(state.bridges(), ['br-int']);
          t.strictSame(state.profileNames().toSorted(), before.profileNames().toSorted());
          t.match(await node.run('microshift-net undo'), { exitCode: 0 }, 'undo succeeds');
        },
      );
    }

    await t.test('disable gives the NIC back', async (t) => {
      const run = await node.measure('microshift-net disable');
      t.equal(run.exitCode, 0, run.stderr);
      t.comment(`${lan}: disable ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
      const state = await node.state();
      t.strictSame(state.bridges(), ['br-int'], 'br-int stays');
      t.strictSame(state.addressesOf(uplink), before.addressesOf(uplink));
      t.strictSame(state.profileNames().toSorted(), before.profileNames().toSorted());
      t.match(state.defaultRoutes(4), [{ dev: uplink }]);
    });
  });
}
