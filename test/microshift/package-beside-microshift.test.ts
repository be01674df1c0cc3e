// Installation and removal of the package on a node on which a real MicroShift runs with the br-ex of its own script.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { buildPackage, rpmSkip } from '../package/build-package.ts';
import { firstWatchS, restarts, untilWanted, useMtu, watch } from './beside-microshift.ts';
import { microshiftSkip } from './microshift-folder.ts';
import { bootMicroShift, endsWithin, startMicroShift } from './microshift-node.ts';

const node4 = { name: 'its own br-ex', lan: 'dhcp', advertised: ['10.44.0.0'], own: ['192.0.2.50'] } as const;
/**
 * Entries that ovn-controller and ovnkube, which are not running without images, would add to br-ex (ovn-kubernetes,
 * go-controller/pkg/node).
 */
const others = `#!/bin/bash
set -e
ovs-vsctl --may-exist add-br br-int -- set bridge br-int datapath_type=netdev \\
  -- --may-exist add-port br-ex patch-ex -- set interface patch-ex type=patch options:peer=patch-int \\
  -- --may-exist add-port br-int patch-int -- set interface patch-int type=patch options:peer=patch-ex
ovs-ofctl add-flow br-ex cookie=0x77,table=5,priority=9,ip,actions=drop
ip address replace 169.254.169.2/29 dev br-ex
ip route replace 10.43.0.0/16 via 169.254.169.4 dev br-ex mtu 1400
ip neighbour replace 169.254.169.4 lladdr 0a:58:a9:fe:a9:04 nud permanent dev br-ex
`;
const whatOthersHave = `
ovs-vsctl get bridge br-ex _uuid
ovs-vsctl port-to-br patch-ex
ovs-ofctl dump-flows br-ex cookie=0x77/-1 | grep -o 'cookie=0x77.*table=5' | sed 's/duration=[^,]*//'
ip -o -4 address show br-ex | grep -o ' 10.44.0.0/32.*\\| 169.254.169.2/29.*'
ip route show 10.43.0.0/16
ip neighbour show 169.254.169.4 dev br-ex nud permanent`;
/** Shell text that prints the settings and ports of br-ex. */
const bridge = 'ovs-vsctl --columns=external_ids,other_config,fail_mode list bridge br-ex; ovs-vsctl list-ports br-ex';

t.test('the package on a node of MicroShift', { skip: microshiftSkip || rpmSkip }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'packages-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const ours = path.basename(buildPackage('0.2.0', folder));
  const node = await bootMicroShift({
    lan: node4.lan,
    bare: true,
    folders: { '/root/packages': folder },
    files: { '/root/others': others },
  });
  t.teardown(() => node.halt());
  t.comment(`ready after ${Math.round(await startMicroShift(node))} ms`);
  await node.text('systemctl enable microshift; ip link set br-ex up; /root/others');
  const { holds, answers } = await watch(t, node, node4);
  const own = await node.text(bridge);
  const theirs = await node.text(whatOthersHave);
  t.equal(theirs.split('\n').length, 7, theirs);
  const stays = async (t: Parameters<typeof holds>[0], command: string): Promise<void> => {
    await holds(t, command);
    t.equal(await node.text(whatOthersHave), theirs, 'the entries of other programs in br-ex are unchanged');
  };
  const isMicroShifts = async (t: Parameters<typeof holds>[0]): Promise<void> => {
    t.equal(await node.text(bridge), own, "br-ex is as MicroShift's script makes it");
    t.match(await node.text('ip -br -4 address show eth0'), '192.0.2.50/24');
    t.equal(await endsWithin(node, 15), null, 'MicroShift goes on');
    await answers(t);
  };

  const install = `rpm --nodeps -i /root/packages/${ours}`;
  await t.test('installed', (t) => stays(t, install));
  await t.test('apply', async (t) => {
    await stays(t, 'microshift-net apply');
    t.match(await node.text('ip -br -4 address show br-ex'), '192.0.2.50/24');
    t.match(await node.text('microshift-net status'), 'in the desired state');
  });
  await t.test('it stays', async (t) => {
    t.equal(await endsWithin(node, firstWatchS), null, `MicroShift goes on for ${firstWatchS} s`);
    await answers(t);
  });
  for (let count = 1; count <= restarts; count++)
    await t.test(`restart ${count} of NetworkManager`, (t) =>
      stays(t, `systemctl restart NetworkManager; ${untilWanted}`),
    );
  await t.test('a change of the MTU builds the bridge again', async (t) => {
    await node.text(useMtu(1400));
    await stays(t, 'microshift-net apply');
    await node.text(useMtu(1500));
    await stays(t, 'microshift-net apply');
  });
  await t.test('disable', async (t) => {
    await stays(t, 'microshift-net disable');
    await isMicroShifts(t);
  });
  await t.test('apply and undo', async (t) => {
    await stays(t, 'microshift-net apply');
    await stays(t, 'microshift-net undo');
    await isMicroShifts(t);
  });
  await t.test('removal of the package', async (t) => {
    await stays(t, 'microshift-net apply');
    await stays(t, 'rpm --nodeps -e microshift-net');
    await isMicroShifts(t);
  });
  await t.test('a second installation and a reboot', async (t) => {
    await node.text(install);
    await node.reboot();
    t.comment(`reboot: ready after ${Math.round(await startMicroShift(node))} ms`);
    await answers(t);
    t.equal((await node.run('microshift-net verify')).exitCode, 0, 'the node is in the desired state');
  });
});
