// Node with MicroShift's own br-ex, and with ports, flows and addresses of other programs in it, before the first run
// of the agent.
import type { Test } from 'tap';
import { whatOthersHave } from './microshift-stand-in.ts';
import type { TestNode } from './node.ts';
import { stayedReachable } from './reachability.ts';
import { untilWanted } from './until-wanted.ts';

export const bridgeRow = 'ovs-vsctl --columns=external_ids,other_config,fail_mode list bridge br-ex';
/** Addresses of br-ex with the NIC in it; MicroShift uses the first one as the node's address. */
export const addressesWithNic = ['192.0.2.50/24', '10.44.0.0/32', '169.254.169.2/29'];

/** State of the node before the NIC moved. */
export interface BridgeOfMicroShift {
  readonly others: string;
  readonly row: string;
  readonly old: unknown;
  /** Runs a command, which must succeed, keep the node reachable, and keep the entries of other programs. */
  holds(t: Test, command: string): Promise<void>;
}

/** Starts the stand-in and records the state of the node. */
export async function startStandIn(t: Test, node: TestNode): Promise<BridgeOfMicroShift> {
  await node.text('systemctl start microshift-stand-in && microshift-net disable');
  const others = await node.text(whatOthersHave);
  t.equal(
    others.split('\n').length,
    12,
    'two ports, a mapping, a flow, five addresses, a preferred source, a route and a neighbour are there',
  );
  const row = await node.text(bridgeRow);
  t.match(row, /bridge-id=br-ex/);
  t.match(row, /0a:59:00:00:00:01/);
  const old = await ownOf(node);

  const holds = async (t: Test, command: string): Promise<void> => {
    const run = await node.measure(command);
    t.equal(run.exitCode, 0, `${command}: ${run.stderr}`);
    stayedReachable(t, run, Object.keys(run.outageMs));
    t.equal(await node.text(whatOthersHave), others, `${command}: the entries of other programs are unchanged`);
  };
  return { others, row, old, holds };
}

/** Tests that the NIC moves into the bridge, and that the bridge stays as it is when NetworkManager is restarted. */
export async function takesNic(t: Test, node: TestNode, holds: BridgeOfMicroShift['holds']): Promise<void> {
  await t.test("the NIC moves into MicroShift's br-ex", async (t) => {
    await holds(t, 'microshift-net apply');
    t.strictSame(await addressesInOrder(node), addressesWithNic);
  });
  await t.test('NetworkManager is restarted', async (t) => {
    await holds(t, `systemctl restart NetworkManager; ${untilWanted()}`);
    t.strictSame(await addressesInOrder(node), addressesWithNic);
  });
}

/** Returns the IPv4 addresses of br-ex in the kernel's order. */
export async function addressesInOrder(node: TestNode): Promise<readonly string[]> {
  return (await node.text('ip -4 -br address show br-ex')).trim().split(/\s+/).slice(2);
}

/**
 * Returns the parts of the node's state that belong to the node itself. Routes of lo are left out: NetworkManager
 * activates lo again in a rollback of its checkpoint, and then adds 127.0.0.0/8 to the main table.
 */
export async function ownOf(node: TestNode): Promise<unknown> {
  const state = await node.state();
  const links = ['br-ex', 'eth0'].map((name) => ({ name, mac: state.link(name)?.mac, has: state.addressesOf(name) }));
  const routes = state.data.routes4
    .filter(({ table, dev }) => table === 'main' && dev !== 'lo')
    .map((route) => JSON.stringify(route));
  return { links, routes: routes.sort(), profiles: state.data.profiles.map((profile) => profile.name).sort() };
}
