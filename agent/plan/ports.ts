import type { NmProfile, Observation } from '../model/observation.ts';
import type { ProfileActivation, WantedProfile } from '../model/plan.ts';
import type { ProfileSettings, SettingValue } from '../model/settings.ts';
import { type BridgeNames, controllerOf, copyUuid, isPortCopy, profileUuid, sourceOf, userData } from './names.ts';
import type { UplinkSource } from './profiles.ts';
import { secretsFrom } from './secrets.ts';
import { isOvsDevice } from './suitability.ts';

/*
 * Ports of a bond, a team or a Linux bridge. One whose profile names its controller by interface name follows the device to whatever
 * profile it runs. One that names the controller's profile by UUID would stay behind, or even bring the old profile back: the uplink's
 * new profile gets a copy of it, which waits where the port has no cable.
 */

/** Properties of `connection` in which a copy differs from the port's own profile. */
const ownKeys = ['master', 'controller', 'slave-type', 'port-type', 'timestamp', 'read-only'];

/** Copies of the profiles of those ports that would not follow their controller by themselves. */
export function portCopies(
  names: BridgeNames,
  source: UplinkSource,
  observation: Observation,
): readonly WantedProfile[] {
  return observation.networkManager.profiles
    .filter((profile) => needsCopy(profile, source))
    .toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))
    .map((profile) => ({
      id: copyId(names, profile, observation),
      uuid: copyUuid(profile.uuid),
      settings: copySettings(names, profile, observation),
      mayWait: true,
      ...secretsFrom(profile.settings, profile.uuid),
    }));
}

/** How the wanted copies are started with their controller. */
export function portActivations(
  copies: readonly WantedProfile[],
  observation: Observation,
): readonly ProfileActivation[] {
  return copies.map(({ id, uuid, settings }) => {
    const source = (settings.user?.data?.[1] as Record<string, string> | undefined)?.[userData.sourceProfile] ?? '';
    return { id, uuid, interface: deviceOf(source, observation) ?? boundInterface(settings) };
  });
}

/** The ports' own profiles that copies of ours stand for, as they are started when their controller gets its own profile back. */
export function returningPorts(names: BridgeNames, observation: Observation): readonly ProfileActivation[] {
  const { profiles } = observation.networkManager;
  return profiles.flatMap((copy) => {
    if (!isPortCopy(names, copy)) return [];
    const own = profiles.find((profile) => profile.uuid === sourceOf(copy));
    if (own === undefined) return [];
    return [
      { id: own.id, uuid: own.uuid, interface: deviceOf(copy.uuid, observation) ?? boundInterface(own.settings) },
    ];
  });
}

function needsCopy(profile: NmProfile, source: UplinkSource): boolean {
  const controller = controllerOf(profile);
  if (controller === source.uuid) return true;
  return (
    controller === source.link.name &&
    startsPorts(source.settings) &&
    profile.settings.connection?.autoconnect?.[1] === false
  );
}

/** True for a controller that starts its ports itself; NetworkManager 1.46 renamed the property. */
function startsPorts({ connection }: ProfileSettings): boolean {
  return (connection?.['autoconnect-ports'] ?? connection?.['autoconnect-slaves'])?.[1] === 1;
}

/** Named after the port, as ovs-if-phys0 is after its place: `ovs-if-phys0-eth1`. */
function copyId(names: BridgeNames, profile: NmProfile, observation: Observation): string {
  const bound = boundInterface(profile.settings);
  const alone = observation.networkManager.profiles.filter(
    (other) => controllerOf(other) === controllerOf(profile) && boundInterface(other.settings) === bound,
  );
  return `${names.uplinkInterface}-${bound !== null && alone.length === 1 ? bound : profile.uuid}`;
}

function copySettings(names: BridgeNames, profile: NmProfile, observation: Observation): ProfileSettings {
  const connection = Object.entries(profile.settings.connection ?? {}).filter(([key]) => !ownKeys.includes(key));
  const portType = profile.settings.connection?.['port-type'] ?? profile.settings.connection?.['slave-type'];
  const text = (value: string): SettingValue => ['s', value];
  return {
    ...profile.settings,
    connection: {
      ...Object.fromEntries(connection),
      id: text(copyId(names, profile, observation)),
      uuid: text(copyUuid(profile.uuid)),
      master: text(profileUuid(names.uplinkInterface)),
      'slave-type': portType ?? text('bond'),
      autoconnect: ['b', true],
      // Before the port's own profile, which would bring its old controller back.
      'autoconnect-priority': ['i', 100],
    },
    user: {
      data: [
        'a{ss}',
        {
          ...(profile.settings.user?.data?.[1] as Record<string, string> | undefined),
          [userData.sourceProfile]: profile.uuid,
          [userData.sourceId]: profile.id,
        },
      ],
    },
  };
}

/** Interface a profile is active on now, or its copy. */
function deviceOf(uuid: string, observation: Observation): string | null {
  const { activeConnections, devices } = observation.networkManager;
  const active = activeConnections.find((entry) => entry.uuid === uuid || entry.uuid === copyUuid(uuid));
  const device = devices.find((entry) => active?.devices.includes(entry.path) === true && !isOvsDevice(entry));
  return device?.interface ?? null;
}

function boundInterface(settings: ProfileSettings): string | null {
  const name = settings.connection?.['interface-name']?.[1];
  return typeof name === 'string' && name !== '' ? name : null;
}
