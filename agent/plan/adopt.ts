import type { NmProfile, Observation } from '../model/observation.ts';
import type { Difference, Step, WantedBridge, WantedProfile } from '../model/plan.ts';
import { proving } from './build.ts';
import { carriedAddresses, dynamicFamilies, ipv6Hold, losingMetric, overlapSettings } from './handover.ts';
import { type BridgeNames, ownerKeys, profileIds, profileUuid } from './names.ts';
import type { UplinkSource } from './profiles.ts';
import { secretsFrom } from './secrets.ts';

/*
 * A bridge that the script this agent replaces has built has our names and other UUIDs. Where it is complete and works it is
 * adopted: its profiles keep their UUIDs and get our settings, the bridge stays as it is, and with it what ovn-kubernetes has on it.
 */

/** Ending of the names of the profiles by which the script made a bond's or a team's ports follow. */
const cloneEnding = '-slave-ovs-clone';

/** UUIDs of a complete and active bridge under our names that is not ours yet, by profile id; null: there is none. */
export function adoptedUuids(
  names: BridgeNames,
  uplink: string,
  observation: Observation,
): ((id: string) => string) | null {
  const { profiles, activeConnections } = observation.networkManager;
  const uuids = new Map<string, string>();
  for (const id of profileIds(names)) {
    const [profile, ...others] = profiles.filter((entry) => entry.id === id);
    if (profile === undefined || others.length > 0) return null;
    if (!activeConnections.some((active) => active.uuid === profile.uuid && active.state === 2)) return null;
    uuids.set(id, profile.uuid);
  }
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  const isOwner = row?.externalIds[ownerKeys.networkManager] === uuids.get(names.bridge);
  const isPort = row?.ports.some((port) => port.interfaces.some((entry) => entry.name === uplink)) ?? false;
  const isOurs = profileIds(names).every((id) => uuids.get(id) === profileUuid(id));
  if (isOurs || !isOwner || !isPort) return null;
  return (id) => uuids.get(id) ?? profileUuid(id);
}

/**
 * Steps that give an adopted bridge our settings without taking it apart; null when the bridge is ours already, or differs in
 * something that only building it anew changes.
 */
export function adoptInPlace(
  wanted: WantedBridge,
  names: BridgeNames,
  differences: readonly Difference[],
  source: UplinkSource,
  observation: Observation,
): readonly Step[] | null {
  const uuidOf = adoptedUuids(names, source.link.name, observation);
  if (uuidOf === null || !differences.every((difference) => isSoft(difference.subject))) return null;
  // Not the first run since: `adjustInPlace` does what is left.
  const ours = wanted.profiles.filter((profile) => isMarked(profile.uuid, observation));
  if (ours.length > 0) return null;
  const bridge = profileOf(wanted, names.bridge);
  const final = profileOf(wanted, names.bridgeInterface);
  const { addressLink } = source;
  const hold = ipv6Hold(final, addressLink, observation);
  const lease = dynamicFamilies(final.settings).includes(4) && carriedAddresses(addressLink).some(isIpv4);
  const { id, uuid } = final;
  return [
    {
      do: 'updateProfiles',
      profiles: wanted.profiles.map(proving),
      storage: 'memory',
      why: `${names.bridge} works already and is adopted as it is; its profiles get the admin's own settings`,
    },
    {
      do: 'reapply',
      id: bridge.id,
      uuid: bridge.uuid,
      settings: bridge.settings,
      why: 'the external ids by which ovn-kubernetes finds the uplink, in place',
    },
    ...(hold === null
      ? []
      : [
          {
            do: 'holdIpv6' as const,
            interface: names.bridge,
            ...hold,
            metric: losingMetric,
            why: `${names.bridge} answers for the IPv6 addresses while NetworkManager asks for them again`,
          },
        ]),
    ...(lease
      ? [
          {
            do: 'reapply' as const,
            id,
            uuid,
            settings: overlapSettings(final, addressLink, observation),
            why: 'asks for the lease while the old address still answers',
          },
          {
            do: 'waitDynamic' as const,
            id,
            uuid,
            interface: names.bridge,
            lease,
            ipv6DefaultMetric: null,
            why: 'the same MAC gets the same lease',
          },
        ]
      : []),
    { do: 'reapply', id, uuid, settings: null, why: 'in place, so that the link stays up' },
    ...(hold === null || hold.gateways.length === 0
      ? []
      : [
          {
            do: 'waitDynamic' as const,
            id,
            uuid,
            interface: names.bridge,
            lease: false,
            ipv6DefaultMetric: Number(final.settings.ipv6?.['route-metric']?.[1]),
            why: 'the held default route goes only when there is another one',
          },
          {
            do: 'releaseIpv6' as const,
            interface: names.bridge,
            gateways: hold.gateways,
            metric: losingMetric,
            why: 'the advertised default route has taken over',
          },
        ]),
  ];
}

/**
 * What becomes of the clones: those of an adopted bridge stay in use, but in memory and not connecting by themselves, so that a reboot
 * starts from the admin's own; all others go, once their bond runs the admin's profile again.
 */
export function cloneSteps(
  adopted: readonly BridgeNames[],
  persist: boolean | null,
  observation: Observation,
): { readonly before: readonly Step[]; readonly after: readonly Step[]; readonly differences: readonly Difference[] } {
  const { profiles } = observation.networkManager;
  const clones = profiles.filter((profile) => profile.id.endsWith(cloneEnding));
  const controllers = new Set(adopted.map((names) => names.uplinkInterface));
  const isKept = (clone: NmProfile): boolean => {
    const controller = clone.settings.connection?.master?.[1];
    return profiles.some(
      (entry) => controllers.has(entry.id) && (entry.uuid === controller || entry.id === controller),
    );
  };
  const resting = clones.filter((clone) => connectsByItself(clone) && !(isKept(clone) && persist === true));
  const gone = clones.filter((clone) => !isKept(clone));
  return {
    differences: [
      ...resting
        .filter(isKept)
        .map(({ id }) => ({ subject: `profile ${id}`, wanted: 'at rest', observed: 'connects by itself' })),
      ...gone.map(({ id }) => ({ subject: `profile ${id}`, wanted: 'absent', observed: 'present' })),
    ],
    before:
      resting.length === 0
        ? []
        : [
            {
              do: 'updateProfiles',
              profiles: resting.map(({ id, uuid, settings }) =>
                proving({ id, uuid, settings, ...secretsFrom(settings, uuid) }),
              ),
              storage: 'memory',
              why: 'a reboot starts from the profiles that these were cloned from',
            },
          ],
    after:
      gone.length === 0
        ? []
        : [
            {
              do: 'deleteProfiles',
              profiles: gone.map(({ id, uuid }) => ({ id, uuid })),
              why: 'the profiles that these were cloned from are in use again',
            },
          ],
  };
}

/** NetworkManager leaves the property out where it is true. */
function connectsByItself(profile: NmProfile): boolean {
  return profile.settings.connection?.autoconnect?.[1] !== false;
}

function isMarked(uuid: string, observation: Observation): boolean {
  const profile = observation.networkManager.profiles.find((entry) => entry.uuid === uuid);
  return JSON.stringify(profile?.settings.user?.data ?? '').includes('microshift-net.');
}

/** Settings that a profile may get while it runs; what makes another device or data path is not among them. */
function isSoft(subject: string): boolean {
  return (
    /^(profile \S+ [\w-]+\.|address )/.test(subject) &&
    !/ (connection\.(type|interface-name)|vlan\.(id|parent)|bond\.options|team\.config|ovs-bridge\.datapath-type|ovs-interface\.type)$/.test(
      subject,
    )
  );
}

function isIpv4(address: string): boolean {
  return !address.includes(':');
}

function profileOf(wanted: WantedBridge, id: string): WantedProfile {
  const profile = wanted.profiles.find((entry) => entry.id === id);
  if (profile === undefined) throw new TypeError(`${wanted.bridge} has no profile ${id}`);
  return profile;
}
