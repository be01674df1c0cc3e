// Facts that `doctor` would examine on the node of a plan case.
import { hintFiles } from '../../../agent/facts/hints.ts';
import { observationOf } from '../../../agent/facts/make-observation.ts';
import type { Examination } from '../../../agent/model/examination.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { PlanCase } from '../plan/cases.ts';
import { examinationOf as recordedExamination } from './examined.ts';

const healthy = recordedExamination('healthy');

/** Returns the facts of a node from which `apply` would make this observation. */
export function asExamined({ config, observation }: Pick<PlanCase, 'config' | 'observation'>): Examination {
  const answer = <T>(value: T) => ({ value, failure: null });
  const { host, links, routes, signpost, foreign = [], resolver, hints, tuning, networkManager, ovs } = observation;
  const { stackedElsewhere, interfaceRules, interfaceZones, kernelIpv6 } = observation;
  const free = {
    ...(stackedElsewhere && { stackedElsewhere }),
    ...(interfaceRules && { interfaceRules }),
    ...(interfaceZones && { interfaceZones }),
    ...(kernelIpv6 && { kernelIpv6 }),
  };
  const script = host.hasMicroShiftScript === true ? { hasMicroShiftScript: true as const } : {};
  const microshift = host.hasMicroShift === true ? { hasMicroShift: true as const } : {};
  const tun = host.lacksTun === true ? { lacksTun: true as const } : {};
  const { network, system, files } = healthy;
  if (network.value === null || system.value === null || files.value === null) throw new Error('not healthy');
  const texts = Object.entries(hintFiles).flatMap(([name, { path, is }]) => {
    const text = hints[name as keyof typeof hintFiles];
    return text === null ? [] : [{ path, is, text: `"${text}"\n`, notAFile: null, ownerId: 0, mode: 0o644 }];
  });
  const { hintedNic: nic = null, identities } = hints;
  const record = { ...nic, ...(identities === undefined ? {} : { identities }) };
  const hintedNic = Object.keys(record).length === 0 ? null : JSON.stringify(record);
  const added = hints.addedBridges === undefined ? {} : { addedBridges: JSON.stringify(hints.addedBridges) };
  return {
    ...healthy,
    config: answer({ config, warnings: [] }),
    system: answer({ ...system.value, bootId: host.bootId, hostname: host.hostname }),
    network: answer({
      ...network.value,
      links,
      routes,
      ...(signpost === undefined ? {} : { signpost }),
      foreign,
      ...free,
      ...script,
      ...microshift,
      ...tun,
      openvswitchModule: host.lacksKernelDatapath === true ? 'missing' : network.value.openvswitchModule,
      resolver,
      missingPrograms: host.missingPrograms ?? [],
    }),
    files: answer({ ...files.value, hints: texts, hintedNic, ...added }),
    tuning: tuning === undefined ? { value: null, failure: { kind: '', message: '', hint: null } } : answer(tuning),
    networkManager: answer(networkManager),
    ovs: answer(ovs),
  };
}

/**
 * Returns the observation without its SSH session, and with NetworkManager's devices that have the permanent MACs of
 * the links.
 */
export function withoutSession(observation: Observation): Observation {
  const macs = new Map(observation.links.map((link) => [link.name, link.permanentMac] as const));
  const devices = observation.networkManager.devices.map((device) => {
    return { ...device, permanentHwAddress: macs.get(device.interface) ?? device.permanentHwAddress ?? '' };
  });
  const { host, ovs } = observation;
  const networkManager = { ...observation.networkManager, devices };
  return observationOf({ ...observation, host: { ...host, sshPeer: null } }, networkManager, ovs);
}
