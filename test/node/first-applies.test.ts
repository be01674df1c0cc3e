// Many first runs on MicroShift's own br-ex while other programs use the CPU: NetworkManager creates devices later than
// a run requests them.
//   MICROSHIFT_NET_FIRST_APPLIES=50 npm test -- node/first-applies
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { microshiftStandInFile } from './microshift-file-table.ts';
import { microshiftStandIn } from './microshift-stand-in.ts';
import { bootNode } from './node.ts';

const count = Number(process.env.MICROSHIFT_NET_FIRST_APPLIES ?? 0);
const skip = nodeSkip || (count === 0 && 'MICROSHIFT_NET_FIRST_APPLIES gives the number of runs');
const script = '/usr/bin/configure-ovs.sh';
const files = {
  ...microshiftStandIn,
  '/etc/microshift/ovn.yaml': 'ovs:\n  datapathType: netdev\n',
  [script]: microshiftStandInFile(script, (text) =>
    text.replace('set bridge br-ex ', 'set bridge br-ex datapath_type=netdev '),
  ),
};
const wholeChecksums =
  'for nic in $(ip netns exec lan ls /sys/class/net); do ip netns exec lan ethtool -K $nic tx off; done > /dev/null 2>&1; ethtool -K eth0 tx off > /dev/null';
/** Shell text that starts three programs, which use the one CPU of the node all the time. */
const load = "for name in a b c; do systemd-run --quiet --unit=load-$name sh -c 'while :; do :; done'; done";
/**
 * Shell text that creates br-ex with MicroShift's script, as on a node that has never had another br-ex: NetworkManager
 * no longer knows the former br-ex.
 */
const asNew = `ovs-vsctl --if-exists del-br br-ex; systemctl restart NetworkManager; ${script}`;

t.test(`${count} first runs`, { skip }, async (t) => {
  // No unit of the package runs, because each run is started by hand.
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine', files });
  t.teardown(() => node.halt());
  await node.text(`${wholeChecksums}; ${load}`);
  for (let run = 1; run <= count; run++) {
    await node.text(asNew);
    await node.ready();
    const { exitCode, stderr } = await node.run('microshift-net apply');
    t.equal(exitCode, 0, `run ${run}${exitCode === 0 ? '' : `: ${stderr}`}`);
    const { exitCode: disabled, stderr: why } = await node.run('microshift-net disable');
    t.equal(disabled, 0, `disable ${run}${disabled === 0 ? '' : `: ${why}`}`);
  }
});
