// Plans for random nodes, run step by step on a node that is on paper only.
import t from 'tap';
import { isAgentError } from '../../../agent/errors.ts';
import type { Config } from '../../../agent/model/config.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Plan } from '../../../agent/model/plan.ts';
import { currentBridges } from '../../../agent/plan/current.ts';
import { carriedAddresses } from '../../../agent/plan/handover.ts';
import { planApply, planDisable, planReturn } from '../../../agent/plan/plan.ts';
import { seededRandom } from '../ovsdb/random.ts';
import { configOf } from './cases.ts';
import { ModelNode } from './model-node.ts';
import { randomNode } from './random-node.ts';

/** A second or two. */
const runs = 400;
const configs = [configOf(null), configOf(null, 'uplink: none\n'), configOf(null, 'uplink: eth0\n')];

/** The plan, or null when a random node is refused before anything is touched. */
function planned(config: Config, observation: Observation): Plan | null {
  try {
    const decision = planApply(config, observation, true);
    return decision.kind === 'planned' && isConfigured(decision.plan, observation) ? decision.plan : null;
  } catch (error) {
    if (isAgentError(error) && error.kind !== 'internal') return null;
    throw error;
  }
}

/** A run with a NIC that has no address waits for one, and fails where none comes: not for here. */
function isConfigured(plan: Plan, { links, networkManager: { profiles } }: Observation): boolean {
  return plan.wanted.bridges.every(({ bridge, uplink }) => {
    const holders = links.filter((link) => link.name === uplink?.interface || link.name === bridge);
    const method = profiles.find((profile) => profile.uuid === uplink?.sourceProfile)?.settings.ipv4?.method?.[1];
    return uplink === null || method !== 'auto' || holders.some((link) => carriedAddresses(link).length > 0);
  });
}

/** What a node is, without the order and the names NetworkManager gives. */
function essence({ links, routes, networkManager: nm, ovs }: Observation): object {
  const sorted = (items: readonly unknown[]): string[] => items.map((item) => JSON.stringify(item)).toSorted();
  return {
    links: sorted(links.map(({ name, mac, addresses }) => [name, mac, sorted(addresses)])),
    routes: sorted(routes),
    profiles: sorted(nm.profiles.map(({ uuid, settings }) => [uuid, settings])),
    running: sorted(nm.activeConnections.map(({ uuid, devices }) => [uuid, devices])),
    bridges: sorted(ovs.bridges),
  };
}

t.test('every step can be done, and then nothing is left to do, and the way back leads back', (t) => {
  let [moved, twice] = [0, 0];
  for (let seed = 0; seed < runs; seed++) {
    const random = seededRandom(seed);
    const node = new ModelNode(randomNode(random));
    const config = configs[random(configs.length)] ?? configOf(null);
    const start = node.observe();
    const plan = planned(config, start);
    if (plan === null) continue;
    try {
      node.run(plan.steps);
      const after = node.observe();
      const again = planned(config, after);
      if (again?.outcome !== 'unchanged')
        throw new Error(`not done: ${JSON.stringify(again?.differences.slice(0, 3))}`);
      for (const carried of plan.carried) isCarried(carried, after);
      const back = seed % 2 === 0 ? planDisable(after) : planReturn(currentBridges(start), after);
      node.run(back.steps);
      t.strictSame(essence(node.observe()), essence(start), `seed ${seed}: the start`);
      if (planDisable(node.observe()).outcome !== 'unchanged') throw new Error('a second way back');
      moved += plan.wanted.bridges.some((bridge) => bridge.uplink !== null) ? 1 : 0;
      twice += plan.wanted.bridges.length === 2 ? 1 : 0;
    } catch (error) {
      t.fail(`seed ${seed}: ${(error as Error).stack}`);
    }
  }
  t.ok(moved > runs / 4 && twice > 10, `${moved} NICs moved, ${twice} times two of them`);
  t.end();
});

t.test('a bridge that lacked a profile before a run gives its NIC back when the run fails', (t) => {
  let tried = 0;
  for (let seed = 0; seed < runs; seed++) {
    const random = seededRandom(seed);
    const node = new ModelNode(randomNode(random));
    const start = node.observe();
    const plan = planned(configOf(null), start);
    if (plan === null || plan.wanted.bridges[0]?.uplink == null) continue;
    node.run(plan.steps);
    const profiles = plan.wanted.bridges[0].profiles;
    const lost = profiles[random(profiles.length)];
    if (lost === undefined) continue;
    const whole = currentBridges(node.observe());
    const previous = {
      bridges: whole.bridges.map((bridge) => ({
        ...bridge,
        profiles: bridge.profiles.filter((profile) => profile.uuid !== lost.uuid),
      })),
    };
    node.run(planDisable(node.observe()).steps);
    try {
      node.run(planReturn(previous, node.observe()).steps);
      const nic = plan.wanted.bridges[0].uplink.interface;
      for (const { interface: name, addresses } of plan.before.filter((link) => link.interface === nic))
        isCarried({ interface: name, from: name, addresses, defaultGateways: [] }, node.observe());
      tried++;
    } catch (error) {
      t.fail(`seed ${seed}: ${(error as Error).stack}`);
    }
  }
  t.ok(tried > 50, `${tried} bridges`);
  t.end();
});

t.test('from one uplink to another', (t) => {
  let changed = 0;
  for (let seed = 0; seed < runs; seed++) {
    const node = new ModelNode(randomNode(seededRandom(seed)));
    const start = node.observe();
    const [first, second] = ['eth0', 'eth1'].map((name) => configOf(null, `uplink: ${name}\n`));
    const plan = first === undefined ? null : planned(first, start);
    if (plan === null || second === undefined || planned(second, start) === null) continue;
    try {
      node.run(plan.steps);
      const change = planned(second, node.observe());
      // The NIC of br-ex1 can be asked for; that is refused.
      if (change === null) continue;
      node.run(change.steps);
      const again = planned(second, node.observe());
      if (again?.outcome !== 'unchanged')
        throw new Error(`not done: ${JSON.stringify(again?.differences.slice(0, 3))}`);
      node.run(planDisable(node.observe()).steps);
      t.strictSame(essence(node.observe()), essence(start), `seed ${seed}: the start`);
      changed++;
    } catch (error) {
      t.fail(`seed ${seed}: ${(error as Error).stack}`);
    }
  }
  t.ok(changed > 20, `${changed} changes`);
  t.end();
});

function isCarried({ interface: name, addresses }: Plan['carried'][number], after: Observation): void {
  const holders = (address: string): string[] =>
    after.links
      .filter((link) => link.addresses.some((entry) => `${entry.address}/${entry.prefixLength}` === address))
      .map((link) => link.name);
  for (const address of addresses) {
    const found = holders(address);
    if (!found.includes(name)) throw new Error(`${address} is not on ${name} but on ${found.join(', ')}`);
  }
}
