// A node that the script has set up: the agent takes its bridges over as they are, and nobody in the LAN or in the cluster notices.
import path from 'node:path';
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { stayedReachable } from './moved.ts';
import { bootNode } from './node.ts';
import { sourceDir } from './source.ts';

t.setTimeout(420_000);

const script = { '/usr/local/lib/script': path.join(sourceDir, 'script-stand-in.sh') };
const address = '192.0.2.50';
const cases = [
  { lan: 'dhcp', place: 'etc', uplink: 'eth0' },
  { lan: 'bond-ab', place: 'run', uplink: 'bond0' },
];
/** What ovn-kubernetes puts on the bridge: a patch port to br-int, and the mapping by which ovn-controller makes it. */
const ovn = `ovs-vsctl add-br br-int -- add-port br-ex patch-br-ex_node-to-br-int -- set interface patch-br-ex_node-to-br-int type=patch \
  options:peer=patch-br-int-to-br-ex_node -- add-port br-int patch-br-int-to-br-ex_node -- set interface patch-br-int-to-br-ex_node \
  type=patch options:peer=patch-br-ex_node-to-br-int -- set Open_vSwitch . external_ids:ovn-bridge-mappings=physnet:br-ex`;
const bridgeRow = 'ovs-vsctl --bare --columns=_uuid list bridge br-ex';
const mappings = 'ovs-vsctl get Open_vSwitch . external_ids:ovn-bridge-mappings';
const flow = 'ovs-ofctl dump-flows br-ex cookie=0xdeff105/-1 | grep -c priority=77';

for (const { lan, place, uplink } of cases) {
  t.test(`${lan}, profiles in /${place}`, { timeout: 200_000, skip: nodeSkip }, async (t) => {
    const node = await bootNode({ lan, folders: script });
    t.teardown(() => node.halt());
    const before = await node.state();
    await node.text(`PLACE=${place} bash /usr/local/lib/script`);
    await node.ready();
    await node.text(
      `${ovn}; ovs-ofctl add-flow br-ex cookie=0xdeff105,priority=77,in_port=1,arp,arp_op=3,actions=NORMAL`,
    );
    const row = await node.text(bridgeRow);

    await t.test('apply adopts the bridge', async (t) => {
      const run = await node.measure('microshift-net apply');
      t.match(run, { exitCode: 0, stdout: /committed/ }, run.stderr);
      t.comment(`${lan}: ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
      stayedReachable(t, run, address);
      const state = await node.state();
      t.strictSame(state.addressesOf('br-ex'), before.addressesOf(uplink));
      t.strictSame(state.interfacesOf('br-ex').toSorted(), ['br-ex', uplink, 'patch-br-ex_node-to-br-int'].toSorted());
      t.equal(await node.text(bridgeRow), row, 'the same bridge');
      t.equal(await node.text(flow), '1', 'with its flows');
      t.match(await node.text(mappings), /physnet:br-ex/);
      t.match(await node.text('ovs-vsctl get bridge br-ex external_ids'), new RegExp(`bridge-uplink=${uplink}`));
      t.notMatch(await node.text('ls /etc/NetworkManager/system-connections'), /br-ex|phys0|clone/);
    });

    await t.test('and has nothing to do afterwards', async (t) => {
      t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /^Nothing to do/ });
      t.match(await node.run('microshift-net verify'), { exitCode: 0 });
    });

    await t.test('disable gives the NIC back', async (t) => {
      const run = await node.measure('microshift-net disable');
      t.equal(run.exitCode, 0, run.stderr);
      t.comment(`${lan}: disable ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
      const state = await node.state();
      t.strictSame(state.bridges(), ['br-int'], 'what is not ours stays');
      t.strictSame(state.addressesOf(uplink), before.addressesOf(uplink));
      t.strictSame(state.profileNames().toSorted(), before.profileNames().toSorted());
      t.match(state.defaultRoutes(4), [{ dev: uplink }]);
    });
  });
}
