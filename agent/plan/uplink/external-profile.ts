import { copyUuid, userData } from '../../model/names.ts';
import { isExternal, type NmProfile, type Observation } from '../../model/observation.ts';
import type { PlanNote, ProfileName, WantedProfile } from '../../model/plan.ts';
import { stringsOf, textOf } from '../../model/profile-settings.ts';
import { isDefault } from '../../net/destination.ts';

/*
 * Profiles that NetworkManager generates for a NIC that was configured by another program (ip, an initramfs, a cloud
 * agent). Such a profile disappears as soon as the NIC is configured differently. The agent therefore copies the
 * profile, and activates the copy on the NIC. The copy exists in memory only.
 */

/** Returns the copy that replaces a profile which NetworkManager generated; null for any other profile. */
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
 * Returns the settings of a profile that NetworkManager generated, with the metrics of the NIC's default routes.
 * NetworkManager omits these metrics from the profiles that it generates. After a NIC has left its bridge, the metrics
 * decide whether the NIC is preferred to another NIC.
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

/** Returns true if the second profile is the copy that the agent has made of the first. */
export function isCopyOf({ uuid }: NmProfile, { settings }: NmProfile): boolean {
  return stringsOf(settings, 'user', 'data')[userData.copyOf] === uuid;
}

/** Returns the inactive ones of the copies that the agent has made of profiles which NetworkManager generated. */
export function unusedCopies({ networkManager }: Observation): readonly ProfileName[] {
  const isCopy = ({ settings }: NmProfile): boolean => userData.copyOf in stringsOf(settings, 'user', 'data');
  const isUsed = ({ uuid }: NmProfile): boolean =>
    networkManager.activeConnections.some((active) => active.uuid === uuid);
  return networkManager.profiles
    .filter((profile) => isCopy(profile) && !isUsed(profile))
    .map(({ id, uuid }) => ({ id, uuid }));
}

/** Returns a note about a NIC whose profile NetworkManager generated; no note about any other NIC. */
export function externalNotes(profile: NmProfile | undefined, observation: Observation): readonly PlanNote[] {
  if (profile === undefined || !isMadeUp(profile, observation)) return [];
  const message = `${profile.id} is configured outside of NetworkManager: the addresses and routes it has now move as they are, and come back as a profile in memory`;
  return [{ level: 'warning', message }];
}

/** Returns true for a profile that NetworkManager generated for a device that another program configured. */
export function isMadeUp(profile: NmProfile, { networkManager }: Observation): boolean {
  return networkManager.activeConnections.some((active) => active.uuid === profile.uuid && isExternal(active));
}
