// Wired 802.1X: the switch forwards packets of the NIC because it has authenticated, and the agent does not cause
// another authentication.
import t, { type Test } from 'tap';
import { nodeSkip } from './availability.ts';
import { authenticatedLan, countOf, nicMac, type SwitchPort, saidSince, switchPort } from './dot1x.ts';
import { areSame, hasMoved } from './moved.ts';
import { bootNode, type TestNode } from './node.ts';
import { stayedReachable } from './reachability.ts';
import type { NodeState } from './state.ts';

const address = '192.0.2.50';
const units = ['microshift-ovs-init', 'microshift-net-recover'];
const answers = `. /testnode/lib.sh; lan_ok ${address}`;

t.test('a NIC that authenticates with 802.1X', { skip: nodeSkip }, async (t) => {
  const node = await bootNode(authenticatedLan);
  t.teardown(() => node.halt());
  let before: NodeState = await node.state();

  await t.test('reaches the LAN because the switch has authenticated it', async (t) => {
    authenticatedOnce(t, await switchPort(node));
    const entry = `${nicMac} dev peth0 master static`;
    await node.text(`ip netns exec lan bridge fdb del ${entry}`);
    t.not((await node.run(answers)).exitCode, 0, 'the NIC is silent while the switch has no entry for its MAC');
    await node.text(`ip netns exec lan bridge fdb replace ${entry}; ${answers}`);
    areSame(t, before.devicesWith(address), ['eth0'], 'the NIC has its address');
  });

  await t.test('becomes the uplink of br-ex without authenticating again', async (t) => {
    await staysAuthenticated(t, node, 'microshift-net apply');
    hasMoved(t, before, await node.state());
  });

  await t.test('is returned without authenticating again', async (t) => {
    t.match(await node.run('microshift-net verify'), { exitCode: 0 }, 'the NIC is the uplink of br-ex');
    await staysAuthenticated(t, node, 'microshift-net disable');
    const after = await node.state();
    areSame(t, after.devicesWith(address), ['eth0'], 'the NIC has its address');
    t.strictSame(after.bridges(), []);
    before = after;
  });

  await t.test('authenticates once in a boot that makes it the uplink', async (t) => {
    await node.text(`systemctl enable --quiet ${units.join(' ')}`);
    const readyMs = await node.reboot();
    // The start of the unit ends only after the authentication at boot.
    const unit = await node.run(`systemctl start ${units[0]}`);
    t.equal(unit.exitCode, 0, `${units[0]} has started: ${unit.stderr}`);
    await node.ready();
    t.comment(`answered ${Math.round(readyMs)} ms after power on`);
    authenticatedOnce(t, await switchPort(node));
    const verified = await node.run('microshift-net verify');
    t.equal(verified.exitCode, 0, `verify: ${verified.stdout}`);
    hasMoved(t, before, await node.state());
  });
});

/**
 * Asserts that the switch has had one authentication from the NIC since the boot of the node, and that it is still
 * valid.
 */
function authenticatedOnce(t: Test, port: SwitchPort): void {
  const counts = ['CTRL-EVENT-EAP-STARTED', 'CTRL-EVENT-EAP-SUCCESS', 'AP-STA-CONNECTED', 'AP-STA-DISCONNECTED'];
  areSame(
    t,
    counts.map((event) => `${event} ${countOf(port.said, event)}`),
    counts.map((event) => `${event} ${event === 'AP-STA-DISCONNECTED' ? 0 : 1}`),
    'the switch has authenticated the NIC once',
  );
  t.match(port, { authorized: true, open: true, logoffs: 0 }, 'the switch port is open');
}

/** Runs a command that moves the NIC, and asserts that it interrupts neither the LAN nor the authentication. */
async function staysAuthenticated(t: Test, node: TestNode, command: string): Promise<void> {
  const before = await switchPort(node);
  const run = await node.measure(command);
  const after = await switchPort(node);
  t.equal(run.exitCode, 0, `${command}: ${run.stderr.trim().split('\n').at(-1)}`);
  t.comment(`${command} ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
  stayedReachable(t, run, [address]);
  const said = saidSince(before, after);
  t.equal(countOf(said, 'CTRL-EVENT-EAP-STARTED'), 0, 'the switch began no authentication');
  t.equal(countOf(said, 'CTRL-EVENT-EAP-SUCCESS'), 0, 'no authentication took place');
  t.equal(countOf(said, 'AP-STA-DISCONNECTED'), 0, 'the switch never closed the port');
  t.equal(after.logoffs - before.logoffs, 0, 'the NIC did not log off');
  t.equal(after.frames - before.frames, 0, 'no frame of 802.1X was sent');
  t.equal(after.linkLosses - before.linkLosses, 0, 'the link was never lost');
  areSame(t, said, [], 'the switch received no frame of 802.1X');
  t.match(after, { authorized: true, open: true }, 'the switch port is still open');
}
