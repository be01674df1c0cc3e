// doctor judges the node that apply plans on: the same choice, the same steps, the same refusal.
import t from 'tap';
import { diagnose } from '../../../agent/doctor/diagnosis.ts';
import { isAgentError } from '../../../agent/errors.ts';
import { hintFiles } from '../../../agent/facts/hints.ts';
import { observationOf } from '../../../agent/facts/observation.ts';
import type { Examination } from '../../../agent/model/examination.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import { planApply } from '../../../agent/plan/plan.ts';
import { caseNames, type PlanCase, readCase } from '../plan/cases.ts';
import { examinationOf as recordedExamination } from './examined.ts';

const healthy = recordedExamination('healthy');

/** What an examination of a node finds, of which `apply` makes this observation. */
function examinationOf({ config, observation }: PlanCase): Examination {
  const answer = <T>(value: T) => ({ value, failure: null });
  const { host, links, routes, foreign = [], resolver, hints, tuning, networkManager, ovs } = observation;
  const script = host.hasMicroShiftScript === true ? { hasMicroShiftScript: true as const } : {};
  const tun = host.lacksTun === true ? { lacksTun: true as const } : {};
  const { network, system, files } = healthy;
  if (network.value === null || system.value === null || files.value === null) throw new Error('not healthy');
  const texts = Object.entries(hintFiles).flatMap(([name, { path, is }]) => {
    const text = hints[name as keyof typeof hintFiles];
    return text === null ? [] : [{ path, is, text: `"${text}"\n`, notAFile: null, ownerId: 0, mode: 0o644 }];
  });
  const hintedNic = hints.hintedNic === undefined ? null : JSON.stringify(hints.hintedNic);
  const added = hints.addedBridges === undefined ? {} : { addedBridges: JSON.stringify(hints.addedBridges) };
  return {
    ...healthy,
    config: answer({ config, warnings: [] }),
    system: answer({ ...system.value, bootId: host.bootId, hostname: host.hostname }),
    network: answer({
      ...network.value,
      links,
      routes,
      foreign,
      ...script,
      ...tun,
      resolver,
      missingPrograms: host.missingPrograms ?? [],
    }),
    files: answer({ ...files.value, hints: texts, hintedNic, ...added }),
    tuning: tuning === undefined ? { value: null, failure: { kind: '', message: '', hint: null } } : answer(tuning),
    networkManager: answer(networkManager),
    ovs: answer(ovs),
  };
}

function outcomeOf({ config }: PlanCase, observation: Observation): { plan: unknown; refusal: unknown } {
  if (config.disableOvsInit.value) return { plan: null, refusal: null };
  try {
    const decision = planApply(config, observation, true);
    return { plan: decision.kind === 'planned' ? decision.plan : null, refusal: null };
  } catch (error) {
    if (!isAgentError(error)) throw error;
    return { plan: null, refusal: { message: error.message, hint: error.hint ?? null } };
  }
}

/** As a node shows it that nobody has logged in to: links have their permanent MACs from NetworkManager. */
function withoutSession(observation: Observation): Observation {
  const macs = new Map(observation.links.map((link) => [link.name, link.permanentMac] as const));
  const devices = observation.networkManager.devices.map((device) => {
    return { ...device, permanentHwAddress: macs.get(device.interface) ?? device.permanentHwAddress ?? '' };
  });
  const { host, ovs } = observation;
  const networkManager = { ...observation.networkManager, devices };
  return observationOf({ ...observation, host: { ...host, sshPeer: null } }, networkManager, ovs);
}

for (const name of caseNames()) {
  t.test(name, (t) => {
    const one = readCase(name);
    const observation = withoutSession(one.observation);
    const { plan, refusal } = diagnose(examinationOf({ ...one, observation }));
    t.strictSame({ plan, refusal }, outcomeOf(one, observation));
    t.end();
  });
}
