import type { NmProfile, Observation } from '../model/observation.ts';
import type { ProfileActivation, Step } from '../model/plan.ts';
import { controllerOf } from './names.ts';
import { isOvsDevice } from './suitability.ts';

/**
 * The steps of a return, and with them those ports that NetworkManager takes for active while the kernel has them outside of their bond,
 * team or Linux bridge. A NetworkManager that was killed between taking them out and putting them back assumes all of it as active when it
 * starts (nm-manager.c, assume), and attaches nothing: the device waits for a lease without a port. Where the steps start that device, its
 * ports are started with it; where they do not, it is started again.
 */
export function withIdlePorts(steps: readonly Step[], observation: Observation): readonly Step[] {
  const idle = idlePorts(observation);
  const startedWith = (name: string): readonly ProfileActivation[] => idle.get(name) ?? [];
  const starts = (step: Step): readonly string[] => {
    if (step.do === 'returnUplink') return [step.interface];
    return step.do === 'activate' ? step.profiles.flatMap((profile) => profile.interface ?? []) : [];
  };
  const started = new Set(steps.flatMap(starts));
  return [
    ...steps.map((step): Step => {
      if (step.do !== 'activate' && step.do !== 'returnUplink') return step;
      const missing = starts(step)
        .flatMap(startedWith)
        .filter((port) => !step.ports?.some(({ uuid }) => uuid === port.uuid));
      return missing.length === 0 ? step : { ...step, ports: [...(step.ports ?? []), ...missing] };
    }),
    ...activeProfiles(observation)
      .filter((controller) => idle.has(controller.interface) && !started.has(controller.interface))
      .map((controller): Step => {
        const why = `the kernel has ports outside of ${controller.interface} that NetworkManager takes for active`;
        return {
          do: 'activate',
          profiles: [activation(controller)],
          ports: startedWith(controller.interface),
          why,
        };
      }),
  ];
}

/** Ports by the device that they are not in. */
function idlePorts(observation: Observation): ReadonlyMap<string, readonly ProfileActivation[]> {
  const { links, networkManager } = observation;
  const found = new Map<string, ProfileActivation[]>();
  for (const port of activeProfiles(observation)) {
    const named = controllerOf(port.profile);
    const profile = networkManager.profiles.find(({ uuid }) => uuid === named);
    const name = profile === undefined ? named : String(profile.settings.connection?.['interface-name']?.[1] ?? '');
    const device = links.find((link) => link.name === name);
    const link = links.find((entry) => entry.name === port.interface);
    if (device === undefined || link === undefined || !['bond', 'team', 'bridge'].includes(device.kind ?? '')) continue;
    if (link.name === device.name || link.master === device.name) continue;
    found.set(device.name, [...(found.get(device.name) ?? []), activation(port)]);
  }
  return found;
}

interface Active {
  readonly profile: NmProfile;
  readonly interface: string;
}

function activeProfiles({ networkManager }: Observation): readonly Active[] {
  const { activeConnections, devices, profiles } = networkManager;
  return activeConnections.flatMap((entry) => {
    const profile = profiles.find(({ uuid }) => uuid === entry.uuid);
    const device = devices.find(({ path }) => entry.devices.includes(path));
    // A bridge port of Open vSwitch has the name of the NIC in it, and is no device of the kernel's.
    return profile === undefined || device === undefined || isOvsDevice(device)
      ? []
      : [{ profile, interface: device.interface }];
  });
}

function activation({ profile, interface: name }: Active): ProfileActivation {
  return { id: profile.id, uuid: profile.uuid, interface: name };
}
