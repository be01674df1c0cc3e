import { isExternal, type NmProfile, type Observation } from '../../model/observation.ts';
import type { PlanNote, ProfileName, WantedProfile } from '../../model/plan.ts';
import { stringsOf, textOf } from '../../model/settings.ts';
import { isDefault } from '../../net/destination.ts';
import { copyUuid, userData } from '../names.ts';

/*
 * A NIC that was configured outside of NetworkManager (ip, an initramfs, a cloud agent) shows as a profile that NetworkManager made up:
 * it is gone the moment the NIC is configured otherwise. A copy of it, in memory, is what such a NIC runs from then on.
 */

/** The copy that a NIC shall run in place of what NetworkManager made up; null: it runs a profile of its own. */
export function copyOfExternal(profile: NmProfile, observation: Observation): WantedProfile | null {
  if (!isMadeUp(profile, observation)) return null;
  const own = Object.entries(profile.settings.connection ?? {}).filter(
    ([key]) => key !== 'timestamp' && key !== 'read-only',
  );
  const uuid = copyUuid(profile.uuid);
  const data = { ...stringsOf(profile.settings, 'user', 'data'), [userData.copyOf]: profile.uuid };
  const settings = {
    ...profile.settings,
    ...withObservedMetrics(profile, observation),
    connection: { ...Object.fromEntries(own), uuid: ['s', uuid] as const },
    user: { data: ['a{ss}', data] as const },
  };
  return { id: profile.id, uuid, settings };
}

/**
 * IP settings with the metrics of their default routes: NetworkManager leaves them out of what it makes up, and they decide between two NICs
 * once this one is given back.
 */
function withObservedMetrics(profile: NmProfile, observation: Observation): NmProfile['settings'] {
  const device = textOf(profile.settings, 'connection', 'interface-name');
  const settings: Record<string, NmProfile['settings'][string]> = {};
  for (const family of [4, 6] as const) {
    const setting = profile.settings[`ipv${family}`];
    const metrics = observation.routes
      .filter((route) => route.device === device && route.family === family && isDefault(route.destination))
      .map((route) => route.metric);
    if (setting === undefined || 'route-metric' in setting || metrics.length === 0) continue;
    settings[`ipv${family}`] = { ...setting, 'route-metric': ['x', Math.min(...metrics)] };
  }
  return settings;
}

/** True for the copy that was made of this profile. */
export function isCopyOf({ uuid }: NmProfile, { settings }: NmProfile): boolean {
  return stringsOf(settings, 'user', 'data')[userData.copyOf] === uuid;
}

/** Copies that no NIC runs. */
export function unusedCopies({ networkManager }: Observation): readonly ProfileName[] {
  const isCopy = ({ settings }: NmProfile): boolean => userData.copyOf in stringsOf(settings, 'user', 'data');
  const isUsed = ({ uuid }: NmProfile): boolean =>
    networkManager.activeConnections.some((active) => active.uuid === uuid);
  return networkManager.profiles
    .filter((profile) => isCopy(profile) && !isUsed(profile))
    .map(({ id, uuid }) => ({ id, uuid }));
}

/** Says what it means that nobody but the kernel knows how a NIC is configured. */
export function externalNotes(profile: NmProfile | undefined, observation: Observation): readonly PlanNote[] {
  if (profile === undefined || !isMadeUp(profile, observation)) return [];
  const message = `${profile.id} is configured outside of NetworkManager: the addresses and routes it has now move as they are, and come back as a profile in memory`;
  return [{ level: 'warning', message }];
}

/** True for what NetworkManager made up for a device that was configured outside of it. */
export function isMadeUp(profile: NmProfile, { networkManager }: Observation): boolean {
  return networkManager.activeConnections.some((active) => active.uuid === profile.uuid && isExternal(active));
}
