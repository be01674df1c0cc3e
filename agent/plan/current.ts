import type { Observation } from '../model/observation.ts';
import type { Wanted, WantedBridge } from '../model/plan.ts';
import { type BridgeNames, bridges, isPortCopy, profileIds, sourceOf, userData } from './names.ts';
import { secretsFrom } from './secrets.ts';
import { uplinkInBridge } from './uplink-in-bridge.ts';

/** Bridges of ours as they are now, in the form a plan aims at: what a later `undo` goes back to. */
export function currentBridges(observation: Observation): Wanted {
  return { bridges: bridges.flatMap((names) => currentBridge(names, observation) ?? []) };
}

function currentBridge(names: BridgeNames, observation: Observation): WantedBridge | null {
  const ids = profileIds(names);
  const profiles = observation.networkManager.profiles.filter(
    (profile) => ids.includes(profile.id) || isPortCopy(names, profile),
  );
  const link = observation.links.find((entry) => entry.name === names.bridge);
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  if (profiles.length === 0 || link === undefined || row === undefined) return null;
  const uplink = uplinkInBridge(names, observation);
  const origin = profiles.find((profile) => profile.id === names.uplinkInterface)?.settings.user?.data?.[1] as
    | Record<string, string>
    | undefined;
  return {
    bridge: names.bridge,
    uplink:
      uplink === null
        ? null
        : {
            interface: uplink,
            sourceProfile: origin?.[userData.sourceProfile] ?? '',
            sourceProfileId: origin?.[userData.sourceId] ?? '',
          },
    mac: link.mac.toUpperCase(),
    profiles: profiles.map((profile) => ({
      id: profile.id,
      uuid: profile.uuid,
      settings: profile.settings,
      ...(isPortCopy(names, profile) ? { mayWait: true as const } : {}),
      ...secretsFrom(profile.settings, sourceOf(profile) ?? profile.uuid),
    })),
  };
}
