// MicroShift's own br-ex in Open vSwitch's userspace data path, with addresses from before the installation of the
// package. The interface of the bridge is a tap, for which NetworkManager shows a generated profile br-ex.
import t from 'tap';
import { armFault } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { isRolledBack } from './interfere.ts';
import { microshiftStandInInUserspace, whatOthersHave, withIpv6 } from './microshift-stand-in.ts';
import { bootNode } from './node.ts';
import { untilWanted } from './until-wanted.ts';

/** Shell text that completes checksums on the LAN's veths, because the userspace data path needs complete checksums. */
const wholeChecksums = `for nic in $(ip netns exec lan ls /sys/class/net); do ip netns exec lan ethtool -K $nic tx off; done > /dev/null 2>&1
  ethtool -K eth0 tx off > /dev/null`;
const configuration = '50-microshift-net-devices.conf';
const beforeThePackage = `mv /usr/lib/NetworkManager/conf.d/${configuration} /root/ && systemctl restart NetworkManager
  systemctl start microshift-stand-in
  timeout 90 sh -c "until nmcli -g GENERAL.STATE connection show br-ex | grep -q activated; do sleep 0.1; done"`;
const installed = `mv /root/${configuration} /usr/lib/NetworkManager/conf.d/ && nmcli general reload conf`;
const bridgeRow = 'ovs-vsctl --columns=_uuid,external_ids,other_config,fail_mode list bridge br-ex';

t.test("MicroShift's br-ex from before the package, userspace data path", { skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'dhcp',
    lanAppend: withIpv6,
    kernel: 'of this machine',
    enableRepair: true,
    files: microshiftStandInInUserspace,
  });
  t.teardown(() => node.halt());
  await node.text(`${wholeChecksums}; ${beforeThePackage}; ${installed}`);
  const [others, row] = [await node.text(whatOthersHave), await node.text(bridgeRow)];
  t.equal(others.split('\n').length, 12);

  await t.test('a run that is stopped before the proof leaves the bridge as it was', async (t) => {
    await armFault(node, 'before step 13', 'terminate');
    t.match(await node.run('microshift-net apply'), { exitCode: 1 });
    await isRolledBack(node);
    t.equal(await node.text(bridgeRow), row);
    t.equal(await node.text(whatOthersHave), others);
  });
  await t.test("the NIC moves into MicroShift's br-ex", async (t) => {
    const run = await node.run('microshift-net apply');
    t.equal(run.exitCode, 0, run.stderr);
    t.equal(await node.text(whatOthersHave), others);
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /^Nothing to do/ });
    t.notMatch(await node.text('microshift-net doctor || true'), /profile br-ex .* is of configure-ovs\.sh/);
  });
  await t.test('NetworkManager is killed', async (t) => {
    await node.text(`systemctl kill --signal=KILL NetworkManager; sleep 2; ${untilWanted()}`);
    t.equal(await node.text(whatOthersHave), others);
  });
  await t.test('undo restores the state before the apply, not the state before the repair', async (t) => {
    t.match(await node.text('microshift-net history'), /^\S+ +committed +apply --repair /);
    t.match(await node.run('microshift-net undo'), { exitCode: 0, stdout: /committed/ });
    t.equal(await node.text(bridgeRow), row);
    t.equal(await node.text(whatOthersHave), others);
    t.match(await node.run('microshift-net undo'), { exitCode: 0, stdout: /committed/ });
    t.equal((await node.run('microshift-net verify')).exitCode, 0, 'a second undo reverts the first');
  });
  await t.test('disable restores the bridge as it was', async (t) => {
    const run = await node.run('microshift-net disable');
    t.equal(run.exitCode, 0, run.stderr);
    t.equal(await node.text(bridgeRow), row);
    t.equal(await node.text(whatOthersHave), others);
  });
});
