import { bridgesOf } from '../../model/names.ts';
import type { Observation } from '../../model/observation.ts';
import type { Step, WantedBridge } from '../../model/plan.ts';
import { isCopyOf, isMadeUp } from '../uplink/external-profile.ts';
import { activeProfile } from '../uplink/source-profile.ts';
import { returnToNic } from './take-bridge-apart.ts';

/**
 * Returns the steps that activate the administrator's profile on NICs that have left their bridge and on which a
 * generated profile is active. NetworkManager generates a profile for a device with addresses if it has not stored the
 * device's profile (nm-manager.c, get_existing_connection). It stores the profile only when the device is active. After
 * two crashes during a rollback, NetworkManager therefore finds the NIC with held addresses and without a stored
 * profile. No program would then renew the lease. `moved` are the bridges with the profile that each NIC should have,
 * and `planned` are the steps that run before the returned ones.
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
    const why = `${uplink.interface} runs a profile that NetworkManager generated at its restart, instead of its own profile`;
    return returnToNic(names, uplink.interface, own, observation).map((step) =>
      step.do === 'detachUplink' ? { ...step, why } : step,
    );
  });
}
