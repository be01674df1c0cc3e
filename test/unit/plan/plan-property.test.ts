import t from 'tap';
import { isAgentError } from '../../../agent/errors.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Plan, Step } from '../../../agent/model/plan.ts';
import { planApply } from '../../../agent/plan/make-plan.ts';
import { seededRandom } from '../ovsdb/random.ts';
import { configOf } from './cases.ts';
import { randomNode } from './random-node.ts';

/** Number of nodes: enough to draw every pair of settings and routes in one or two seconds. */
const runs = 600;
const config = configOf(null);

/** Properties of profiles that move to the bridge together with the addresses. */
const follows = /^(ipv4|ipv6|proxy|hostname|user)\.|^connection\.(zone|mdns|permissions|metered)$/;
/**
 * Properties that the bridge does not take from the NIC's profile: names, UUID and type, route metric, MTU, and the
 * method by which IPv6 interface identifiers are generated.
 */
const replaced =
  /^(connection\.(id|uuid|type|interface-name)|ipv[46]\.route-metric|802-3-ethernet\.mtu|ipv6\.addr-gen-mode)$/;

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

t.test('the plan of an observation is always the same, and is plain JSON', (t) => {
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

t.test('every setting of the admin goes to the bridge, or stays in a profile that no step touches', (t) => {
  for (const { seed, observation, plan } of planned) {
    for (const { uplink, profiles } of plan.wanted.bridges) {
      const source = observation.networkManager.profiles.find((profile) => profile.uuid === uplink?.sourceProfile);
      const target = profiles.find((profile) => /^ovs-if-/.test(profile.id))?.settings;
      for (const [name, setting] of Object.entries(source?.settings ?? {})) {
        for (const [key, value] of Object.entries(setting)) {
          const place = `${name}.${key}`;
          const given = target?.[name]?.[key];
          if (replaced.test(place)) continue;
          const isKept =
            place === 'user.data'
              ? (given?.[1] as Record<string, string> | undefined)?.['example.org'] === 'kept'
              : JSON.stringify(given) === JSON.stringify(value);
          if (!follows.test(place) ? given !== undefined : !isKept) t.fail(`seed ${seed}: ${place}`);
        }
      }
      for (const step of plan.steps) {
        const touched = step.do === 'writeProfiles' || step.do === 'deleteProfiles' ? step.profiles : [];
        if (touched.some((profile) => profile.uuid === source?.uuid)) t.fail(`seed ${seed}: ${step.do}`);
      }
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
