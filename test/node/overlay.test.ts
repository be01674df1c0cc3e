// A cluster of two booted nodes, each with systemd, NetworkManager, Open vSwitch and OVN of its own, on one LAN.
// cluster.test.ts, gateway.test.ts and seed.test.ts of test/overlay have second runs of the commands.
import { PassThrough } from 'node:stream';
import t from 'tap';
import { apiOfNode } from '../cluster/api-in-node.ts';
import { missingParts } from '../cluster/binaries.ts';
import { nodeSkip } from './availability.ts';
import { haveAppliance } from './overlay-appliance.ts';
import { bootTwoNodes, identity, reach } from './overlay-cluster.ts';
import { havePods } from './overlay-pods.ts';
import { onSecond, second } from './second-node.ts';
import { runShell } from './shell.ts';

const ovnCtl = '/usr/share/ovn/scripts/ovn-ctl';
/**
 * Returns shell text with the first configuration of a node at an address, as in the guides of ovn-kubernetes' first
 * tool.
 */
const toldWhere = (address: string): string => `ln -s microshift-net /usr/bin/ovn-k8s-overlay
  ovs-vsctl set Open_vSwitch . external_ids:ovn-remote=tcp:192.0.2.50:6642 external_ids:ovn-nb=tcp:192.0.2.50:6641 \\
    external_ids:ovn-encap-ip=${address} external_ids:ovn-encap-type=geneve
  ovs-vsctl set Open_vSwitch . external_ids:system-id=$(cat /etc/openvswitch/system-id.conf)
  ${ovnCtl} start_controller`;
const both = '--cluster-ip-subnet=192.168.0.0/16';
const complete = { exitCode: 0, stdout: 'Initialization complete.\n' };

t.test('two nodes', { skip: nodeSkip }, async (t) => {
  const noApi = missingParts();
  const node = await bootTwoNodes(noApi === null ? apiOfNode(t.testdir({})) : {});
  t.teardown(() => node.halt());
  const daemon = (property: string): Promise<string> =>
    node.text(`systemctl show -P ${property} microshift-net-overlay`);

  // Debian's package would have enabled the units; the base only contains its files.
  const units = 'ovn-central ovn-northd ovn-host ovn-controller';
  const unitStates = (): Promise<string> =>
    node.text(`systemctl is-enabled ${units}; systemctl is-active ${units} | sed s/failed/inactive/; true`);
  const unitsBefore = await unitStates();
  await node.text('systemctl mask ovn-host ovn-controller');
  t.match(await node.run('microshift-net overlay init'), { exitCode: 5, stderr: /ovn-controller is not running/ });
  await node.text('systemctl unmask ovn-host ovn-controller');
  t.equal(await unitStates(), unitsBefore, 'an init that failed leaves units as they were');

  await t.test('a person gets a shell on a node without a serial line', async (t) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const shown: Buffer[] = [];
    const text = (): string => Buffer.concat(shown).toString();
    // The shell writes escape sequences of the terminal between its lines.
    const answers = /24 80\s+42\s/;
    // Output that arrives after the end of the shell is lost, so the shell ends only after its answers.
    output.on('data', (chunk: Buffer) => {
      const isFirst = !answers.test(text());
      shown.push(chunk);
      if (isFirst && answers.test(text())) input.write('exit\n');
    });
    input.write('stty size; echo $((40 + 2))\n');
    await runShell(node, input, output, 'rows 24 cols 80');
    t.match(text(), answers);
  });

  const begun = await node.run('microshift-net overlay init');
  t.match(begun, { exitCode: 0, stdout: /has 10\.42\.0\.0\/24 of 10\.42\.0\.0\/16\.\nTo join a node/ });
  t.equal(await daemon('SubState'), 'running', 'the daemon was started');
  t.equal(await daemon('UnitFileState'), 'enabled');
  t.match(await daemon('StatusText'), /is in the desired state$/);
  const issue = `microshift-net overlay pki issue ${second.name} --system-id "$(${onSecond} ${identity})"`;
  const joined = await node.run(`set -o pipefail; ${issue} | ${onSecond} microshift-net overlay join -`);
  t.match(joined, { exitCode: 0, stdout: /^Done, \d+ changes: second has 10\.42\.1\.0\/24 of 10\.42\.0\.0\/16\.$/m });
  t.match(await node.text('microshift-net overlay nodes'), /^second +joined +10\.42\.1\.0\/24 +192\.0\.2\.51 /m);
  t.match(await node.text(reach('10.42.1.2')), /ttl=63/, 'through one router, over the tunnel');
  t.match(await node.text(`${onSecond} ${reach('10.42.0.2')}`), /ttl=63/, 'the second node reaches the first one');
  t.match(await node.text('ovs-vsctl show'), /type: geneve\n.*remote_ip="192\.0\.2\.51"/);

  const gateway = await node.run(`${onSecond} microshift-net overlay gateway`);
  t.match(gateway, { exitCode: 0, stdout: /as 192\.0\.2\.51\.$/m });
  t.notMatch(gateway.stdout, /Left to do/, 'the daemon of the central node has written its rows');
  const beyond = 'ip route replace 198.51.100.0/24 via 10.42.0.1 dev ovn-k8s-mp0';
  t.match(
    await node.text(`${beyond}; ${reach('198.51.100.1')}`),
    /ttl=62/,
    'the first node reaches the network behind the LAN by the second node',
  );

  await t.test('pods', { skip: noApi ?? false }, (t) => havePods(t, node));
  await t.test('an appliance in VXLAN', (t) => haveAppliance(t, node));

  await node.text('systemctl stop second-node');
  t.match(await node.run(reach('10.42.1.2', 1)), { exitCode: 1 }, 'the power of one node is cut');
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 0 }, 'the other node is in the desired state');
  await node.text('systemctl start second-node');
  t.match(await node.text(reach('10.42.1.2')), /ttl=63/, 'the other node is reachable again without a command');
  t.match(await node.text(reach('198.51.100.1')), /ttl=62/, 'the gateway is reachable again');
  for (const where of ['', `${onSecond} `])
    t.match(await node.run(`${where}microshift-net overlay verify`), { exitCode: 0, stdout: /^No drift/ });

  const doctor = (await node.run('microshift-net doctor')).stdout;
  t.match(doctor, /^ok +overlay /m);
  t.notMatch(doctor, /ovn-kubernetes runs here|OVN-KUBE-NODEPORT/, 'br-int is not taken for that of ovn-kubernetes');

  await node.text(`microshift-net support-bundle -o /root/bundle.tar.gz
    mkdir /root/bundle; tar -xzf /root/bundle.tar.gz -C /root/bundle --strip-components=1`);
  for (const [file, pattern] of [
    ['reports/overlay-status.txt', /its last check found nothing that it could repair/],
    ['reports/overlay-verify.txt', /^No drift/m],
    ['reports/overlay-nodes.txt', /^second +joined/m],
    ['files/var/lib/microshift-net/overlay.json', /"clusterSubnets"/],
    ['ovn/northbound.txt', /router .*ovn_cluster_router/],
    ['ovn/southbound-Chassis.txt', /name +: /],
    ['packet-filter/ruleset.txt', /nft list ruleset/],
    ['journal/ovn.txt', /ovn-controller/],
  ] as const)
    t.match(await node.read(`/root/bundle/${file}`), pattern, file);
  const keyLine = '$(sed -n 3p /etc/microshift-net/pki/ca.key)';
  t.equal(
    (await node.run(`grep -rlaF -e "${keyLine}" -e 'PRIVATE KEY' /root/bundle`)).stdout,
    '',
    'the support bundle has no key',
  );

  await node.reboot();
  await node.text('systemctl start microshift-net-overlay');
  t.equal(await daemon('SubState'), 'running');
  t.match(
    await node.run('microshift-net overlay verify'),
    { exitCode: 0, stdout: /^No drift/ },
    'a boot causes no drift',
  );
  t.match(await node.text('ip -brief address show dev ovn-k8s-mp0'), /10\.42\.0\.2\/24/);
  t.match(await node.run('microshift-net overlay status'), {
    exitCode: 0,
    stdout: /its last check found nothing that it could repair/,
  });
  await node.text('ip address flush dev ovn-k8s-mp0');
  const back = "timeout 60 bash -c 'grep -q -m 1 10.42.0.2/24 < <(ip -o monitor address & ip -o address show; wait)'";
  t.match(await node.run(back), { exitCode: 0 }, 'an address that was taken away is back');

  t.match(await node.run(`microshift-net overlay leave --node ${second.name}`), { exitCode: 0 });
  t.match(await node.run('microshift-net overlay disable'), {
    exitCode: 0,
    stdout: /As before the overlay: ovn-central/,
  });
  t.equal(await unitStates(), unitsBefore, 'disable leaves units as they were');
  t.equal(await daemon('ActiveState'), 'inactive', 'no daemon is left');
  t.match(await node.run('systemctl is-enabled microshift-net-overlay'), { stdout: 'disabled\n' });
  t.match(await node.run('microshift-net overlay verify'), { exitCode: 2, stderr: /this node is not in an overlay/ });
  t.notMatch(await node.text('ovs-vsctl get Open_vSwitch . external_ids'), /ovn-remote/);
  t.equal(await node.text('ls /etc/cni/net.d'), '', 'no container runtime finds the network any more');

  await t.test('a cluster is made by the commands of 2017', async (t) => {
    // The second node's disk was in the first node's memory, so the second node has a new disk.
    await node.text('hostname kube-master; systemctl start second-node');
    await node.text(`${ovnCtl} start_northd; ovn-nbctl set-connection ptcp:6641; ovn-sbctl set-connection ptcp:6642`);
    await node.text(toldWhere('192.0.2.50'));
    await node.text(`${onSecond} sh -c 'hostname kube-node1; ${toldWhere('192.0.2.51')}'`);
    const master = `ovn-k8s-overlay master-init ${both} --master-switch-subnet=192.168.1.0/24 --node-name=kube-master`;
    const minion = `${onSecond} ovn-k8s-overlay minion-init ${both} --minion-switch-subnet=192.168.2.0/24 --node-name=kube-node1`;
    const outside = '--bridge-interface br-ex --physical-ip 192.0.2.51/24 --default-gw 192.0.2.1';
    const gateway = `${onSecond} ovn-k8s-overlay gateway-init ${both} ${outside} --node-name=kube-node1`;
    for (const command of [master, minion, gateway]) t.match(await node.run(command), complete);
    t.match(await node.text(reach('192.168.2.2')), /ttl=63/);
    const beyondNow = 'ip route replace 198.51.100.0/24 via 192.168.1.1 dev k8s-kube-master';
    t.match(
      await node.text(`${beyondNow}; ${reach('198.51.100.1')}`),
      /ttl=62/,
      'the first node reaches the network behind the LAN by the gateway',
    );
    const shown = await node.text('ovn-nbctl show; ovs-vsctl show');
    for (const name of [
      'switch .*kube-master',
      'switch .*kube-node1',
      'router .*GR_kube-node1',
      'port rtos-kube-node1',
    ])
      t.match(shown, new RegExp(name), name);
  });
});
