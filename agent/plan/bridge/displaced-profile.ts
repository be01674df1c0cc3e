import type { Observation } from '../../model/observation.ts';
import type { Step, WantedBridge } from '../../model/plan.ts';
import { bridgesOf } from '../names.ts';
import { isCopyOf, isMadeUp } from '../uplink/external-profile.ts';
import { activeProfile } from '../uplink/source-profile.ts';
import { returnToNic } from './take-bridge-apart.ts';

/**
 * Steps that start the own profiles of NICs that are in no bridge any more and run a profile that NetworkManager made up. It makes one up for a
 * device with addresses whose profile it has not noted (nm-manager.c, get_existing_connection), and notes a profile only once the device is
 * active: one that dies twice under a way back finds the NIC with held addresses and no note. Nobody would renew the lease there.
 * `moved`: bridges with the profile that each NIC was to run; `planned`: steps that run before these.
 */
export function startDisplaced(
  moved: readonly WantedBridge[],
  planned: readonly Step[],
  observation: Observation,
): readonly Step[] {
  const ports = observation.ovs.bridges.flatMap((row) => row.ports.map((port) => port.name));
  const started = new Set(planned.flatMap((step) => (step.do === 'detachUplink' ? [step.interface] : [])));
  return moved.flatMap(({ bridge, uplink }) => {
    const names = bridgesOf(observation).find((entry) => entry.bridge === bridge);
    if (names === undefined || uplink === null || ports.includes(uplink.interface) || started.has(uplink.interface))
      return [];
    const active = activeProfile(uplink.interface, observation);
    const own = observation.networkManager.profiles.find(({ uuid }) => uuid === uplink.sourceProfile);
    if (active === undefined || own === undefined || active === own) return [];
    if (!isMadeUp(active, observation) || isCopyOf(active, own)) return [];
    started.add(uplink.interface);
    const why = `${uplink.interface} runs what NetworkManager made up when it was started anew, in place of its own profile`;
    return returnToNic(names, uplink.interface, own, observation).map((step) =>
      step.do === 'detachUplink' ? { ...step, why } : step,
    );
  });
}
