import type { NmProfile, Observation } from '../model/observation.ts';
import type { PlanNote, WantedProfile } from '../model/plan.ts';
import type { ProfileSettings } from '../model/settings.ts';
import { copyUuid, userData } from './names.ts';
import { isDefault } from './route-metric.ts';

/*
 * A NIC that was configured outside of NetworkManager (ip, an initramfs, a cloud agent) shows as a profile that NetworkManager made up:
 * it is gone the moment the NIC runs another one. A copy of it is kept in memory, so that there is something to give back.
 */

/** NMActivationStateFlags: the configuration is somebody else's, NetworkManager only shows it. */
const external = 0x80;

/** The copy to keep of what a NIC runs; null for a profile that is there to stay. */
export function keptCopy(profile: NmProfile, observation: Observation): WantedProfile | null {
  if (isKept(profile)) return { id: profile.id, uuid: profile.uuid, settings: profile.settings, mayWait: true };
  if (!isExternal(profile, observation)) return null;
  const own = Object.entries(profile.settings.connection ?? {}).filter(
    ([key]) => key !== 'timestamp' && key !== 'read-only',
  );
  const uuid = copyUuid(profile.uuid);
  const metrics = observedMetrics(profile, observation);
  const withMetrics = [...metrics].map(([name, metric]) => [
    name,
    { ...profile.settings[name], 'route-metric': ['x', metric] as const },
  ]);
  const data = {
    ...dataOf(profile),
    [userData.keptFrom]: profile.uuid,
    ...(metrics.size === 0 ? {} : { [userData.keptMetrics]: [...metrics.keys()].join(' ') }),
  };
  const settings = {
    ...profile.settings,
    ...Object.fromEntries(withMetrics),
    connection: { ...Object.fromEntries(own), uuid: ['s', uuid] as const, autoconnect: ['b', false] as const },
    user: { data: ['a{ss}', data] as const },
  };
  return { id: profile.id, uuid, settings, mayWait: true };
}

/**
 * Metrics of the default routes of what NetworkManager made up, by setting: it leaves them out, and they decide between two NICs once this
 * one is given back.
 */
function observedMetrics(profile: NmProfile, observation: Observation): ReadonlyMap<string, number> {
  const device = profile.settings.connection?.['interface-name']?.[1];
  const found = new Map<string, number>();
  for (const { family, destination, metric, device: through } of observation.routes) {
    const name = `ipv${family}`;
    const setting = profile.settings[name];
    if (through !== device || !isDefault(destination) || setting === undefined || 'route-metric' in setting) continue;
    found.set(name, Math.min(metric, found.get(name) ?? metric));
  }
  return found;
}

/** A profile's settings as they were before a copy was made of it. */
export function withoutKept(settings: ProfileSettings): ProfileSettings {
  const { [userData.keptFrom]: mark, [userData.keptMetrics]: metrics = '', ...data } = dataOf({ settings });
  if (mark === undefined) return settings;
  const { user: _, ...others } = settings;
  const plain = metrics.split(' ').flatMap((name) => {
    const { 'route-metric': _metric, ...setting } = settings[name] ?? {};
    return name === '' ? [] : [[name, setting] as const];
  });
  const user = Object.keys(data).length === 0 ? {} : { user: { data: ['a{ss}', data] as const } };
  return { ...others, ...Object.fromEntries(plain), ...user };
}

/** Says what it means that nobody but the kernel knows how a NIC is configured. */
export function keptNotes(profile: NmProfile, observation: Observation): readonly PlanNote[] {
  if (!isExternal(profile, observation)) return [];
  const message = `${profile.id} is configured outside of NetworkManager: the addresses and routes it has now move as they are, and come back as a profile in memory`;
  return [{ level: 'warning', message }];
}

function isExternal(profile: NmProfile, { networkManager }: Observation): boolean {
  return networkManager.activeConnections.some(
    (active) => active.uuid === profile.uuid && (active.stateFlags & external) !== 0,
  );
}

function isKept(profile: NmProfile): boolean {
  return userData.keptFrom in dataOf(profile);
}

function dataOf({ settings }: Pick<NmProfile, 'settings'>): Readonly<Record<string, string>> {
  return (settings.user?.data?.[1] ?? {}) as Record<string, string>;
}
