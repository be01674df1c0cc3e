// Plans for random nodes, run step by step on a simulated node.
import t from 'tap';
import { compare } from '../../../agent/compare/compare-bridges.ts';
import { isAgentError } from '../../../agent/errors.ts';
import type { Config } from '../../../agent/model/config.ts';
import { ownNames, userData } from '../../../agent/model/names.ts';
import type { NmProfile, Observation } from '../../../agent/model/observation.ts';
import type { MovedAddresses, Plan, Step, WantedBridge } from '../../../agent/model/plan.ts';
import { numberOf, textOf } from '../../../agent/model/profile-settings.ts';
import { currentBridges } from '../../../agent/plan/bridge/current.ts';
import { stableAddresses } from '../../../agent/plan/bridge/handover.ts';
import { planApply, planDisable, planRestore, planUndo } from '../../../agent/plan/make-plan.ts';
import { seededRandom } from '../ovsdb/random.ts';
import { appliedCase, caseNames, configOf, type PlanCase, readCase } from './cases.ts';
import { type Damage, damages } from './damage.ts';
import { ModelNode } from './model-node.ts';
import { type Random, randomNode } from './random-node.ts';

/** Number of random nodes; more in a run with PLAN_NODES in the environment. */
const runs = Number(process.env.PLAN_NODES ?? 120);
/** Number of random nodes that are damaged, or on which a run fails at each step. */
const damagedRuns = Math.ceil(runs * 0.4);
const configs = [configOf(null), configOf(null, 'uplink: none\n'), configOf(null, 'uplink: eth0\n')];

/** Returns the plan, or null if a random node is refused before any change. */
function planned(config: Config, observation: Observation): Plan | null {
  try {
    const decision = planApply(config, observation, true);
    return decision.kind === 'planned' && isConfigured(decision.plan, observation) ? decision.plan : null;
  } catch (error) {
    if (isAgentError(error) && error.kind !== 'internal') return null;
    throw error;
  }
}

/** Returns false for a node on which a run would wait for an address of a NIC; these tests leave such nodes out. */
function isConfigured(plan: Plan, { links, ovs }: Observation): boolean {
  return plan.wanted.bridges.every(({ bridge, uplink, profiles }) => {
    const row = ovs.bridges.find((entry) => entry.name === bridge);
    const isPort = row?.ports.some((port) => port.name === uplink?.interface) ?? false;
    const holders = links.filter((link) => link.name === uplink?.interface || (isPort && link.name === bridge));
    const method = profiles.find((profile) => profile.id.startsWith('ovs-if-'))?.settings.ipv4?.method?.[1];
    return uplink === null || method !== 'auto' || holders.some((link) => stableAddresses(link).length > 0);
  });
}

const defaultConfig = configOf(null);
/**
 * Plans for the default configuration by seed, which most tests share; without the cache, a third of their time would
 * go into the same plans.
 */
const defaultPlans = new Map<number, Plan | null>();

function plannedFor(seed: number, config: Config, start: Observation): Plan | null {
  if (config !== defaultConfig) return planned(config, start);
  const known = defaultPlans.get(seed);
  if (known !== undefined) return known;
  const plan = planned(config, start);
  defaultPlans.set(seed, plan);
  return plan;
}

/** Yields a random node and its plan, for each seed whose node has a plan. */
function* nodes(choose: (random: Random) => Config = () => defaultConfig): Generator<{
  readonly seed: number;
  readonly random: Random;
  readonly config: Config;
  readonly node: ModelNode;
  readonly start: Observation;
  readonly plan: Plan;
}> {
  for (let seed = 0; seed < runs; seed++) {
    const random = seededRandom(seed);
    const node = ModelNode.configured(randomNode(random));
    const config = choose(random);
    const start = node.observe();
    const plan = plannedFor(seed, config, start);
    if (plan !== null) yield { seed, random, config, node, start, plan };
  }
}

/** Returns the state of a node without order, and without the names that NetworkManager generates. */
function essence({ links, routes, networkManager: nm, ovs }: Observation): object {
  const sorted = (items: readonly unknown[]): string[] => items.map((item) => JSON.stringify(item)).toSorted();
  // After a rollback, a NIC of another program runs a copy of the profile that NetworkManager generated for it.
  const isShown = (uuid: string): boolean =>
    nm.activeConnections.some((active) => active.uuid === uuid && (active.stateFlags & 0x80) !== 0);
  const origin = ({ uuid, settings }: NmProfile): string | null => {
    const data = settings.user?.data?.[1] as Record<string, string> | undefined;
    return data?.[userData.copyOf] ?? (isShown(uuid) ? uuid : null);
  };
  const nameOf = (uuid: string): string => {
    const profile = nm.profiles.find((entry) => entry.uuid === uuid);
    return (profile === undefined ? null : origin(profile)) ?? uuid;
  };
  return {
    links: sorted(links.map(({ name, mac, master, addresses }) => [name, mac, master, sorted(addresses)])),
    routes: sorted(routes),
    profiles: sorted(nm.profiles.map((entry) => origin(entry) ?? [entry.uuid, entry.settings])),
    running: sorted(nm.activeConnections.map(({ uuid, devices, state }) => [nameOf(uuid), devices, state])),
    bridges: sorted(ovs.bridges),
  };
}

/** Throws if the node lacks an address or a default route that the plan carries. */
function somebodyAnswers(plan: Plan, { links, routes }: Observation, step: string): void {
  const present = links.flatMap((link) => link.addresses.map((entry) => `${entry.address}/${entry.prefixLength}`));
  for (const { addresses, defaultGateways } of plan.carried) {
    const missing = addresses.filter((address) => !present.includes(address));
    if (missing.length > 0) throw new Error(`after ${step} no interface has ${missing.join(', ')}`);
    // A family of which no address remains cannot have a route.
    const isUsed = (gateway: string): boolean => addresses.some((one) => one.includes(':') === gateway.includes(':'));
    for (const gateway of defaultGateways.filter(isUsed))
      if (!routes.some((route) => route.destination.endsWith('/0') && route.gateway === gateway))
        throw new Error(`after ${step} nothing leads to ${gateway}`);
  }
}

/** Runs the steps of a plan, and checks after each step that each carried address answers on an interface. */
function runPlan(node: ModelNode, plan: Plan): void {
  node.run(plan.steps, (step: Step) => somebodyAnswers(plan, node.observe(), step.do));
}

/** Throws unless the node is in the desired state and a second run has nothing to do. */
function mustBeDone(config: Config, plan: Plan, after: Observation): void {
  const [difference] = compare(plan.wanted, after, ownNames);
  if (difference !== undefined) throw new Error(`not in the desired state: ${JSON.stringify(difference)}`);
  const again = planApply(config, after, true);
  if (again.kind !== 'planned') throw new Error('it waits');
  if (again.plan.outcome !== 'unchanged' || again.plan.steps.length > 0)
    throw new Error(`not done: ${JSON.stringify(again.plan.differences.slice(0, 3))}`);
}

t.test('every step can be run, a second run has no steps, and `disable` or `undo` restores the old state', (t) => {
  let [moved, twice] = [0, 0];
  for (const { seed, config, node, start, plan } of nodes((random) => configs[random(3)] ?? configOf(null))) {
    try {
      runPlan(node, plan);
      const after = node.observe();
      mustBeDone(config, plan, after);
      for (const moved of plan.carried) haveMoved(moved, after);
      const back = seed % 2 === 0 ? planDisable(after) : planUndo(currentBridges(start), after);
      runPlan(node, back);
      sameNode(node.observe(), start);
      t.pass(`seed ${seed}: the start`);
      if (planDisable(node.observe()).outcome !== 'unchanged') throw new Error('a second return');
      moved += plan.wanted.bridges.some((bridge) => bridge.uplink !== null) ? 1 : 0;
      twice += plan.wanted.bridges.length === 2 ? 1 : 0;
    } catch (error) {
      t.fail(`seed ${seed}: ${(error as Error).message}`);
    }
  }
  t.ok(moved > runs / 4 && twice > 10, `${moved} NICs moved, ${twice} times two of them`);
  t.end();
});

t.test('a run that fails at any step is rolled back to the old state', (t) => {
  let tried = 0;
  for (const { seed, config, start, plan } of nodes((random) => configs[random(3)] ?? configOf(null))) {
    // Only every third node is tested, because each node is run once per step.
    if (seed % 3 !== 0) continue;
    for (let done = 0; done <= plan.steps.length; done++) {
      const node = new ModelNode(start);
      try {
        node.run(plan.steps.slice(0, done));
        const back = planRestore(currentBridges(start), node.observe());
        if (back === null) throw new Error('no return is planned');
        node.run(back, (step) => somebodyAnswers(plan, node.observe(), step.do));
        sameNode(node.observe(), start);
        const again = planRestore(currentBridges(start), node.observe());
        if (again?.length !== 0) throw new Error(`a second return: ${JSON.stringify(again)}`);
        const next = planned(config, node.observe());
        if (next === null) throw new Error('the next run is refused');
        node.run(next.steps);
        mustBeDone(config, next, node.observe());
        tried++;
      } catch (error) {
        t.fail(`seed ${seed}, ${done} steps done: ${(error as Error).message}`);
      }
    }
    if (planned(config, start)?.steps.length !== plan.steps.length) t.fail(`seed ${seed}: another plan`);
  }
  t.ok(tried > runs, `${tried} states`);
  t.end();
});

/** Returns the state that the next run finds, with the record of the NIC that the run of this plan has moved. */
function found(node: ModelNode, plan: Plan): Observation {
  const observation = node.observe();
  const interfaceHint = plan.choice?.interface ?? observation.hints.interfaceHint;
  return { ...observation, hints: { ...observation.hints, interfaceHint } };
}

for (const [name, damage] of Object.entries(damages)) {
  t.test(`${name}: a difference has steps, which repair it`, (t) => {
    const { mended, failed } = tryDamage(damage, mend);
    for (const failure of failed) t.fail(failure);
    t.ok(mended > 20, `${mended} nodes mended`);
    t.end();
  });

  t.test(`${name}: \`disable\` restores the state before the first run`, (t) => {
    const { mended, failed } = tryDamage(damage, (node, { plan, start }) => {
      node.run(planDisable(found(node, plan)).steps);
      sameNode(node.observe(), start);
    });
    for (const failure of failed) t.fail(failure);
    t.ok(mended > 20, `${mended} nodes returned`);
    t.end();
  });
}

t.test('two kinds of damage at once', (t) => {
  const kinds = Object.entries(damages)
    // The profile of another NIC in the bridge is tested in source-profile.test.ts instead.
    .filter(([name]) => name !== 'another NIC in the bridge')
    .map(([, damage]) => damage);
  const both: Damage = (node, plan, random) => {
    const [one, other] = [kinds[random(kinds.length)], kinds[random(kinds.length)]];
    return [one, other].filter((damage) => damage?.(node, plan, random) === true).length > 0;
  };
  const { mended, failed } = tryDamage(both, mend);
  for (const failure of failed) t.fail(failure);
  t.ok(mended > 20, `${mended} nodes mended`);
  t.end();
});

/**
 * Returns the addresses that the LAN still reaches after the damage; none of a bridge that lost its NIC or its
 * interface.
 */
function stillReached(moved: MovedAddresses, { links, ovs }: Observation): MovedAddresses {
  const ports = ovs.bridges.find((row) => row.name === moved.interface)?.ports ?? [];
  const present = links.find((link) => link.name === moved.interface)?.addresses ?? [];
  const reached = ports.some((port) => port.name === moved.from) ? present : [];
  const addresses = moved.addresses.filter((one) =>
    reached.some((entry) => `${entry.address}/${entry.prefixLength}` === one),
  );
  return { ...moved, addresses, defaultGateways: [] };
}

interface Damaged {
  readonly plan: Plan;
  readonly start: Observation;
  readonly config: Config;
}

function mend(node: ModelNode, { plan, config }: Damaged): void {
  const damaged = found(node, plan);
  const differences = compare(plan.wanted, damaged, ownNames);
  const decision = planApply(config, damaged, true);
  if (decision.kind !== 'planned') throw new Error('it waits');
  const repair = decision.plan;
  if (differences.length > 0 && repair.steps.length === 0)
    throw new Error(`a difference without steps: ${JSON.stringify(differences.slice(0, 3))}`);
  // A bridge that has the MTU of its lease has no MTU in its profile, and `compare` then accepts any. With an MTU in
  // the profile, the lease no longer counts, so the next plan asks for that of the NIC.
  const onlyMtu =
    repair.differences.length > 0 && repair.differences.every((one) => one.kind === 'setting' && one.key === 'mtu');
  if (differences.length === 0 && repair.steps.length > 0 && !onlyMtu) throw new Error('steps without a difference');
  const answering = { ...plan, carried: plan.carried.map((entry) => stillReached(entry, damaged)) };
  node.run(repair.steps, (step) => somebodyAnswers(answering, node.observe(), step.do));
  const [left] = compare(repair.wanted, node.observe(), ownNames);
  if (left !== undefined) throw new Error(`not in the desired state: ${JSON.stringify(left)}`);
  // The first run cannot know the client identifier of a deleted bridge, nor a metric that takes precedence over that
  // of the bridge. The second run sees both, and may have steps.
  const again = planApply(config, found(node, plan), true);
  if (again.kind !== 'planned') throw new Error('it waits');
  const isRebuilt = buildsBridge(repair);
  if (again.plan.steps.length > 0 && !isRebuilt)
    throw new Error(`not done: ${JSON.stringify(again.plan.differences.slice(0, 3))}`);
  if (buildsBridge(again.plan)) throw new Error('built a second time');
  node.run(again.plan.steps);
  mustBeDone(config, again.plan, found(node, plan));
}

/**
 * Damages random nodes with a bridge, and calls `work` with each damaged node; returns the number of successes, and the
 * first failures.
 */
function tryDamage(
  damage: Damage,
  work: (node: ModelNode, damaged: Damaged) => void,
): { mended: number; failed: readonly string[] } {
  const failed: string[] = [];
  let mended = 0;
  for (const { seed, random, config, node, start, plan } of nodes()) {
    if (seed >= damagedRuns) break;
    // A run that builds a bridge around a NIC without an address waits for a lease; these tests have no LAN without
    // leases.
    const hasLease = plan.steps.every((step) => step.do !== 'waitDynamic' || step.lease);
    if (!hasLease || plan.wanted.bridges.some((bridge) => asksInVain(bridge, plan))) continue;
    try {
      node.run(plan.steps);
      if (!damage(node, plan, random)) continue;
      work(node, { plan, start, config });
      mended++;
    } catch (error) {
      failed.push(`seed ${seed}: ${(error as Error).message}`);
    }
  }
  // Only three failures are reported; hundreds would be hard to read.
  return { mended, failed: [...failed.slice(0, 3), ...(failed.length > 3 ? [`${failed.length} in all`] : [])] };
}

/**
 * Returns true if the steps create a bridge; steps for an existing bridge, which the agent takes over, also activate
 * the port of the bridge.
 */
function buildsBridge({ steps }: Plan): boolean {
  const starts = steps.flatMap((step) => (step.do === 'activate' ? step.profiles.map(({ id }) => id) : []));
  const takesOver = steps.filter((step) => step.do === 'claimBridge').length;
  return starts.filter((id) => id.startsWith('ovs-port-')).length > takesOver;
}

function asksInVain({ profiles }: WantedBridge, { steps }: Plan): boolean {
  const asks = profiles.some((one) => one.id.startsWith('ovs-if-') && one.settings.ipv4?.method?.[1] === 'auto');
  return asks && !steps.some((step) => step.do === 'waitDynamic' && step.lease);
}

function sameNode(one: Observation, other: Observation): void {
  const [first, second] = [essence(one), essence(other)] as [Record<string, string[]>, Record<string, string[]>];
  for (const [what, wanted] of Object.entries(second)) {
    const seen = first[what] ?? [];
    if (JSON.stringify(seen) === JSON.stringify(wanted)) continue;
    const missing = wanted.filter((item) => !seen.includes(item));
    const more = seen.filter((item) => !wanted.includes(item));
    throw new Error(`${what} are others: missing ${missing.join(' ')}, new ${more.join(' ')}`);
  }
}

t.test('a bridge that lacked a profile before a run gives its NIC back when the run fails', (t) => {
  let tried = 0;
  for (const { seed, random, node, plan } of nodes()) {
    const [bridge] = plan.wanted.bridges;
    if (bridge?.uplink == null) continue;
    node.run(plan.steps);
    const lost = bridge.profiles[random(bridge.profiles.length)];
    if (lost === undefined) continue;
    const whole = currentBridges(node.observe());
    const previous = {
      bridges: whole.bridges.map((entry) => ({
        ...entry,
        profiles: entry.profiles.filter((profile) => profile.uuid !== lost.uuid),
      })),
    };
    node.run(planDisable(node.observe()).steps);
    try {
      node.run(planUndo(previous, node.observe()).steps);
      const nic = bridge.uplink.interface;
      for (const { interface: name, addresses } of plan.before.filter((link) => link.interface === nic))
        haveMoved({ interface: name, from: name, addresses, defaultGateways: [] }, node.observe());
      tried++;
    } catch (error) {
      t.fail(`seed ${seed}: ${(error as Error).message}`);
    }
  }
  t.ok(tried > 50, `${tried} bridges`);
  t.end();
});

t.test('a change of the uplink, and `disable` after it', (t) => {
  let changed = 0;
  const [first, second] = ['eth0', 'eth1'].map((name) => configOf(null, `uplink: ${name}\n`));
  if (first === undefined || second === undefined) throw new TypeError('two configurations');
  for (const { seed, node, start, plan } of nodes(() => first)) {
    if (planned(second, start) === null) continue;
    // A route that was added by hand has the metric 0, which is in no profile. A plan therefore cannot predict the
    // route of the returned NIC. That route decides the address that MicroShift uses, and whether the bridge gets the
    // metric that the profile of the other NIC asks for.
    const isByHand = start.routes.some((route) => route.device === 'eth0' && route.metric === 0);
    const asksForMetric = start.networkManager.profiles.some(
      ({ settings }) =>
        textOf(settings, 'connection', 'interface-name') === 'eth1' &&
        ['ipv4', 'ipv6'].some((family) => numberOf(settings, family, 'route-metric') !== undefined),
    );
    if (isByHand && (asksForMetric || start.host.hasMicroShift === true)) continue;
    try {
      node.run(plan.steps);
      const change = planned(second, node.observe());
      // The configuration can name the NIC of br-ex1, which the agent refuses.
      if (change === null) continue;
      runPlan(node, change);
      mustBeDone(second, change, node.observe());
      node.run(planDisable(node.observe()).steps);
      sameNode(node.observe(), start);
      t.pass(`seed ${seed}: the start`);
      changed++;
    } catch (error) {
      t.fail(`seed ${seed}: ${(error as Error).message}`);
    }
  }
  t.ok(changed > runs / 15, `${changed} changes`);
  t.end();
});

t.test('a change that fails at any step is rolled back to the bridge with the first uplink', (t) => {
  let tried = 0;
  const failed: string[] = [];
  const [first, second] = [configOf(null, 'uplink: eth0\n'), configOf(null, 'uplink: eth1\n')];
  for (const { seed, node, plan } of nodes(() => first)) {
    node.run(plan.steps);
    const start = node.observe();
    const change = planned(second, start);
    if (change === null) continue;
    for (let done = 0; done <= change.steps.length; done++) {
      const half = new ModelNode(start);
      try {
        half.run(change.steps.slice(0, done));
        const back = planRestore(currentBridges(start), half.observe());
        if (back === null) throw new Error('no return is planned');
        half.run(back, (step) => somebodyAnswers(change, half.observe(), step.do));
        sameNode(half.observe(), start);
        tried++;
      } catch (error) {
        failed.push(`seed ${seed}, ${done} steps done: ${(error as Error).message}`);
      }
    }
  }
  for (const failure of failed.slice(0, 5)) t.fail(failure);
  t.ok(tried > 100, `${tried} states, ${failed.length} failed`);
  t.end();
});

t.test('the node of every case is in the desired state after a run, and a second run has nothing to do', (t) => {
  let done = 0;
  for (const name of caseNames()) {
    const one = readCase(name);
    if (one.command === 'disable') continue;
    const plan = planOf(one);
    if (plan === null) continue;
    try {
      const node = new ModelNode(one.observation);
      node.run(plan.steps);
      mustBeDone(one.config, plan, found(node, plan));
      done++;
    } catch (error) {
      t.fail(`${name}: ${(error as Error).message}`);
    }
  }
  t.ok(done > 80, `${done} cases`);
  t.end();
});

t.test('`disable` leaves nothing of the agent on the node of any case', (t) => {
  let done = 0;
  for (const name of caseNames()) {
    try {
      const { observation, command } = readCase(name);
      const node = new ModelNode(observation);
      const back = planDisable(observation);
      node.run(back.steps);
      const after = node.observe();
      const [difference] = compare({ bridges: [] }, after, ownNames);
      if (difference !== undefined) throw new Error(`left: ${JSON.stringify(difference)}`);
      if (planDisable(after).steps.length > 0) throw new Error('a second return');
      for (const moved of back.carried) haveMoved(moved, after);
      done += command === 'disable' ? 1 : 0;
    } catch (error) {
      if (isAgentError(error) && error.kind !== 'internal') continue;
      t.fail(`${name}: ${(error as Error).message}`);
    }
  }
  t.ok(done > 20, `${done} cases`);
  t.end();
});

t.test('a bridge that is still as it was recorded needs no step', (t) => {
  for (const name of ['static4', 'dhcp', 'vlan', 'bond-ab', 'choice-none', 'extra-bridge']) {
    const { observation } = appliedCase(name);
    const recorded = currentBridges(observation);
    t.strictSame(planUndo(recorded, observation).steps, [], name);
    t.strictSame(planRestore(recorded, observation), [], name);
  }
  t.end();
});

t.test('an unchanged bridge of configure-ovs.sh, with its profiles on disk, needs no step', (t) => {
  for (const name of ['script', 'script-extra-bridge']) {
    const { observation } = readCase(name);
    const { networkManager } = observation;
    const onDisk = networkManager.profiles.map((profile) => {
      return { ...profile, filename: profile.filename.replace(/^\/run\//, '/etc/') };
    });
    const node = { ...observation, networkManager: { ...networkManager, profiles: onDisk } };
    t.ok(onDisk.filter(({ filename }) => filename.startsWith('/etc/')).length > 2, name);
    t.strictSame(planRestore(currentBridges(node), node), [], name);
  }
  t.end();
});

function planOf({ config, observation, routeWaitOver }: PlanCase): Plan | null {
  try {
    const decision = planApply(config, observation, routeWaitOver);
    return decision.kind === 'planned' ? decision.plan : null;
  } catch (error) {
    if (isAgentError(error) && error.kind !== 'internal') return null;
    throw error;
  }
}

function haveMoved({ interface: name, addresses }: Plan['carried'][number], after: Observation): void {
  const holders = (address: string): string[] =>
    after.links
      .filter((link) => link.addresses.some((entry) => `${entry.address}/${entry.prefixLength}` === address))
      .map((link) => link.name);
  for (const address of addresses) {
    const found = holders(address);
    if (!found.includes(name)) throw new Error(`${address} is not on ${name} but on ${found.join(', ')}`);
  }
}
