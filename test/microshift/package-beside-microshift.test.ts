// Installation and removal of the package on a node on which a real MicroShift runs with the br-ex of its own script.
import path from 'node:path';
import t, { type Test } from 'tap';
import { buildPackage, packagesFolder, rpmSkip } from '../package/build-package.ts';
import { firstWatchS, restarts, untilWanted, useMtu, watch } from './beside-microshift.ts';
import { microshiftSkip } from './microshift-folder.ts';
import { bootMicroShift, endsWithin, startMicroShift } from './microshift-node.ts';
import { ipv4Shapes, ipv6Shapes, type MicroShiftShape, wantedShapes } from './microshift-shapes.ts';

const shapes = [...ipv4Shapes.filter(({ name }) => name === 'DHCP'), ...ipv6Shapes];

/**
 * Entries that ovn-controller and ovnkube, which are not running without images, would add to br-ex (ovn-kubernetes,
 * go-controller/pkg/node), and shell text that prints them and MicroShift's own address.
 */
const ports = {
  give: `ovs-vsctl --may-exist add-br br-int -- set bridge br-int datapath_type=netdev \\
  -- --may-exist add-port br-ex patch-ex -- set interface patch-ex type=patch options:peer=patch-int \\
  -- --may-exist add-port br-int patch-int -- set interface patch-int type=patch options:peer=patch-ex
ovs-ofctl add-flow br-ex cookie=0x77,table=5,priority=9,ip,actions=drop`,
  show: `ovs-vsctl get bridge br-ex _uuid
ovs-vsctl port-to-br patch-ex
ovs-ofctl dump-flows br-ex cookie=0x77/-1 | grep -o 'cookie=0x77.*table=5' | sed 's/duration=[^,]*//'`,
};
const entries = [
  {
    of: '10.44.0.0',
    give: `ip address replace 169.254.169.2/29 dev br-ex
ip route replace 10.43.0.0/16 via 169.254.169.4 dev br-ex mtu 1400
ip neighbour replace 169.254.169.4 lladdr 0a:58:a9:fe:a9:04 nud permanent dev br-ex`,
    show: `ip -o -4 address show br-ex | grep -o ' 10.44.0.0/32.*\\| 169.254.169.2/29.*'
ip route show 10.43.0.0/16
ip neighbour show 169.254.169.4 dev br-ex nud permanent`,
  },
  {
    of: 'fd02::1:0',
    give: `ip address replace fd69::2/125 dev br-ex nodad
ip route replace fd02::/112 via fd69::4 dev br-ex mtu 1400
ip neighbour replace fd69::4 lladdr 0a:58:a9:fe:a9:04 nud permanent dev br-ex`,
    show: `ip -o -6 address show br-ex | grep -o ' fd02::1:0/128 scope [a-z]*\\| fd69::2/125 scope [a-z]*'
ip -6 route show fd02::/112
ip -6 neighbour show fd69::4 dev br-ex nud permanent`,
  },
];
/** Command that sets the interface br-ex up, as ovnkube does, and waits until its IPv6 addresses can be used. */
const up = `ip link set br-ex up
timeout 30 sh -c 'while ip -6 address show dev br-ex tentative | grep -q inet6; do sleep 0.1; done'`;
/** Shell text that prints the settings and ports of br-ex. */
const bridge = 'ovs-vsctl --columns=external_ids,other_config,fail_mode list bridge br-ex; ovs-vsctl list-ports br-ex';

for (const shape of wantedShapes(shapes))
  t.test(`the package on a node of MicroShift, ${shape.name}`, { skip: microshiftSkip || rpmSkip }, (t) =>
    beside(t, { ...shape, name: `its own br-ex, ${shape.name}` }),
  );

async function beside(t: Test, shape: MicroShiftShape): Promise<void> {
  const wanted = [ports, ...entries.filter(({ of }) => shape.advertised.includes(of))];
  const whatOthersHave = wanted.map(({ show }) => show).join('\n');
  const folder = packagesFolder(t);
  const ours = path.basename(buildPackage('0.2.0', folder));
  const node = await bootMicroShift({
    ...shape,
    bare: true,
    folders: { '/root/packages': folder },
  });
  t.teardown(() => node.halt());
  t.comment(`${shape.name}: ready after ${Math.round(await startMicroShift(node))} ms`);
  await node.text(`systemctl enable microshift; ${up}; set -e\n${wanted.map(({ give }) => give).join('\n')}`);
  const { holds, answers } = await watch(t, node, shape);
  const own = await node.text(bridge);
  const theirs = await node.text(whatOthersHave);
  t.equal(theirs.split('\n').length, 3 + 4 * (wanted.length - 1), theirs);
  const stays = async (t: Test, command: string): Promise<void> => {
    await holds(t, command);
    t.equal(await node.text(whatOthersHave), theirs, 'the entries of other programs in br-ex are unchanged');
  };
  const hasOwn = async (t: Test, device: string): Promise<void> => {
    const addresses = await node.text(`ip -br address show ${device}`);
    for (const address of shape.own) t.match(addresses, ` ${address}/`, `${device} has ${address}`);
  };
  const isMicroShifts = async (t: Test): Promise<void> => {
    t.equal(await node.text(bridge), own, "br-ex is as MicroShift's script makes it");
    await hasOwn(t, 'eth0');
    t.equal(await endsWithin(node, 15), null, 'MicroShift goes on');
    await answers(t);
  };

  const install = `rpm --nodeps -i /root/packages/${ours}`;
  await t.test('installed', (t) => stays(t, install));
  await t.test('apply', async (t) => {
    await stays(t, 'microshift-net apply');
    await hasOwn(t, 'br-ex');
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
}
