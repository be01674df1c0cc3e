import t from 'tap';
import { isAgentError } from '../../../agent/errors.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Plan, Step } from '../../../agent/model/plan.ts';
import { ownNames } from '../../../agent/plan/names.ts';
import { planApply, planDisable } from '../../../agent/plan/plan.ts';
import { compare } from '../../../agent/verify/compare.ts';
import { seededRandom } from '../ovsdb/random.ts';
import { configOf } from './cases.ts';
import { modelApply } from './model-apply.ts';
import { randomNode } from './random-node.ts';

/** Enough to meet every pair of settings and routes; a second or two. */
const runs = 600;
const config = configOf(null);

/** What a bridge has of its own: names, the metric that wins, the MTU in force, the identifier that is kept. */
const replaced =
  /^(connection\.(id|uuid|type|interface-name|autoconnect|autoconnect-priority)|ipv[46]\.route-metric|802-3-ethernet\.mtu|ipv6\.addr-gen-mode)$/;

interface Planned {
  readonly seed: number;
  readonly observation: Observation;
  readonly plan: Plan;
}

const planned: readonly Planned[] = Array.from({ length: runs }, (_, seed) => plannedFor(seed)).filter(
  (entry) => entry !== null,
);

t.test('most random nodes can be planned for', (t) => {
  t.ok(planned.length > runs / 2, `${planned.length} of ${runs}`);
  t.ok(planned.some((entry) => entry.plan.wanted.bridges.length === 2));
  t.ok(planned.some((entry) => entry.plan.choice?.interface === null));
  t.end();
});

t.test('a plan depends on the observation alone and is plain JSON', (t) => {
  for (const { seed, observation, plan } of planned) {
    const text = JSON.stringify(plan);
    const again = planApply(config, JSON.parse(JSON.stringify(observation)) as Observation, true);
    if (again.kind !== 'planned' || JSON.stringify(again.plan) !== text) t.fail(`seed ${seed}: another plan`);
    if (JSON.stringify(JSON.parse(text)) !== text) t.fail(`seed ${seed}: not JSON`);
    if (text.includes('undefined') || text.includes('NaN')) t.fail(`seed ${seed}: a value is missing`);
  }
  t.end();
});

t.test('a plan names only devices that exist', (t) => {
  for (const { seed, observation, plan } of planned) {
    const known = new Set([
      ...observation.links.map((link) => link.name),
      ...plan.wanted.bridges.map((bridge) => bridge.bridge),
    ]);
    for (const name of [...plan.steps.flatMap(devicesOf), ...plan.carried.map((entry) => entry.from)])
      if (!known.has(name)) t.fail(`seed ${seed}: ${name}`);
    const uplinks = plan.wanted.bridges.flatMap((bridge) => bridge.uplink?.interface ?? []);
    if (new Set(uplinks).size !== uplinks.length) t.fail(`seed ${seed}: one NIC in two bridges`);
  }
  t.end();
});

t.test('every setting of the admin goes to the bridge or stays with the device', (t) => {
  for (const { seed, observation, plan } of planned) {
    for (const { uplink, profiles } of plan.wanted.bridges) {
      const source = observation.networkManager.profiles.find((profile) => profile.uuid === uplink?.sourceProfile);
      const targets = profiles.filter((profile) => /^ovs-if-/.test(profile.id));
      for (const [name, setting] of Object.entries(source?.settings ?? {})) {
        for (const [key, value] of Object.entries(setting)) {
          const values = targets.flatMap((target) =>
            target.settings[name]?.[key] === undefined ? [] : [target.settings[name][key]],
          );
          if (replaced.test(`${name}.${key}`)) continue;
          const kept =
            key === 'data' && name === 'user'
              ? values.every((entry) => (entry[1] as Record<string, string>)['example.org'] === 'kept')
              : values.length > 0 && values.every((entry) => JSON.stringify(entry) === JSON.stringify(value));
          if (!kept) t.fail(`seed ${seed}: ${name}.${key} is lost or changed`);
        }
      }
    }
  }
  t.end();
});

t.test('after a run there is no difference, and a second run has nothing to do', (t) => {
  for (const { seed, observation, plan } of planned) {
    const after = modelApply(plan, observation);
    const differences = compare(plan.wanted, after, ownNames);
    if (differences.length > 0) t.fail(`seed ${seed}: ${JSON.stringify(differences[0])}`);
    const second = planApply(config, after, true);
    if (second.kind !== 'planned' || second.plan.outcome !== 'unchanged')
      t.fail(
        `seed ${seed}: ${second.kind === 'planned' ? JSON.stringify(second.plan.differences.slice(0, 2)) : 'waits'}`,
      );
  }
  t.end();
});

t.test('disabling what was applied names every profile of ours and gives every NIC back', (t) => {
  for (const { seed, observation, plan } of planned) {
    const back = planDisable(modelApply(plan, observation));
    const deleted = back.steps.flatMap((step) =>
      step.do === 'deleteProfiles' ? step.profiles.map((profile) => profile.uuid) : [],
    );
    // What was kept of a NIC that somebody else configured is what it gets back.
    const made = plan.wanted.bridges.flatMap((bridge) =>
      bridge.profiles.map((profile) => profile.uuid).filter((uuid) => uuid !== bridge.uplink?.sourceProfile),
    );
    if (made.some((uuid) => !deleted.includes(uuid))) t.fail(`seed ${seed}: a profile stays`);
    const activated = back.steps.flatMap((step) => (step.do === 'activate' ? step.profiles : []));
    for (const { uplink } of plan.wanted.bridges) {
      const returned = activated.some(
        (entry) => entry.uuid === uplink?.sourceProfile && entry.interface === uplink?.interface,
      );
      if (uplink !== null && !returned) t.fail(`seed ${seed}: ${uplink.interface} does not come back`);
    }
  }
  t.end();
});

function plannedFor(seed: number): Planned | null {
  const observation = randomNode(seededRandom(seed));
  try {
    const decision = planApply(config, observation, true);
    if (decision.kind !== 'planned') throw new TypeError('a plan waits although waiting is over');
    return { seed, observation, plan: decision.plan };
  } catch (error) {
    if (isAgentError(error) && error.kind !== 'internal') return null;
    throw error;
  }
}

function devicesOf(step: Step): readonly string[] {
  if (step.do === 'activate') return step.profiles.flatMap((profile) => profile.interface ?? []);
  return 'interface' in step ? [step.interface] : [];
}
