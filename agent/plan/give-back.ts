import type { NmProfile, Observation } from '../model/observation.ts';
import type { Step } from '../model/plan.ts';
import { carriedAddresses, handoverProfile } from './handover.ts';
import { type BridgeNames, profileIds, userData } from './names.ts';
import { activeProfile } from './source-profile.ts';

/**
 * Steps that take a bridge of ours apart and give its NIC back to the admin's own profile, from any state: a complete bridge, or
 * what a run that died left. Empty when there is nothing of ours.
 */
export function giveBack(names: BridgeNames, observation: Observation): readonly Step[] {
  const { profiles, activeConnections } = observation.networkManager;
  const ids = new Set(profileIds(names));
  const ours = profiles.filter((profile) => ids.has(profile.id));
  const uplink = formerUplink(names, ours);
  const admin = uplink === null ? undefined : adminProfile(ours, uplink, observation);
  const onNic = uplink === null ? undefined : activeProfile(uplink, observation);
  const bridgeLink = observation.links.find((link) => link.name === names.bridge);
  const bridgeProfile = ours.find((profile) => profile.id === names.bridgeInterface);
  const bridgeIsActive = activeConnections.some((active) => active.uuid === bridgeProfile?.uuid && active.state === 2);
  const addresses = bridgeLink === undefined ? [] : carriedAddresses(bridgeLink);
  const steps: Step[] = [];

  if (admin !== undefined && uplink !== null && onNic?.uuid !== admin.uuid) {
    if (bridgeProfile !== undefined && bridgeLink !== undefined && bridgeIsActive && addresses.length > 0) {
      const { id, uuid, settings } = bridgeProfile;
      steps.push({
        do: 'reapply',
        id,
        uuid,
        settings: handoverProfile({ id, uuid, settings }, bridgeLink, observation).settings,
        why: `${names.bridge} keeps its addresses behind metrics that lose, so that ${uplink} has the routes the moment it is configured`,
      });
    }
    steps.push({
      do: 'activate',
      profiles: [{ id: admin.id, uuid: admin.uuid, interface: uplink }],
      why: `${uplink} leaves ${names.bridge} and runs the profile ${admin.id} again`,
    });
  }
  if (ours.length > 0) {
    steps.push({
      do: 'deleteProfiles',
      profiles: ours.map(({ id, uuid }) => ({ id, uuid })),
      why: `nothing of ${names.bridge} stays behind`,
    });
  }
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  const owner = row?.externalIds['NM.connection.uuid'];
  // A bridge without an owner was made by hand, one with another owner is another tool's: neither is ours to remove.
  if (owner !== undefined && !profiles.some((profile) => profile.uuid === owner)) {
    steps.push({
      do: 'removeBridges',
      bridges: [names.bridge],
      why: `the bridge row of ${names.bridge} belongs to no profile any more`,
    });
  }
  if (uplink !== null && addresses.length > 0 && steps.length > 0) {
    steps.push({ do: 'waitAddresses', interface: uplink, addresses, why: `the node is reachable on ${uplink} again` });
  }
  return steps;
}

/** Interface our uplink profile is for. */
function formerUplink(names: BridgeNames, ours: readonly NmProfile[]): string | null {
  const profile =
    ours.find((entry) => entry.id === names.uplinkInterface) ?? ours.find((entry) => entry.id === names.uplinkPort);
  const name = profile?.settings.connection?.['interface-name']?.[1];
  return typeof name === 'string' ? name : null;
}

/** The profile ours were made from; failing that, the one that is bound to the interface. */
function adminProfile(ours: readonly NmProfile[], uplink: string, observation: Observation): NmProfile | undefined {
  const { profiles } = observation.networkManager;
  const own = new Set(ours.map((profile) => profile.uuid));
  const origins = ours.map(
    (profile) => (profile.settings.user?.data?.[1] as Record<string, string> | undefined)?.[userData.sourceProfile],
  );
  return (
    profiles.find((profile) => origins.includes(profile.uuid)) ??
    profiles.find(
      (profile) => !own.has(profile.uuid) && profile.settings.connection?.['interface-name']?.[1] === uplink,
    )
  );
}
