import { AgentError } from '../errors.ts';
import type { NmProfile, Observation } from '../model/observation.ts';
import { type BridgeNames, ownProfileIds, userData } from './names.ts';
import type { UplinkSource } from './profiles.ts';

/**
 * The admin's profile of an uplink: the one the NIC runs now, or, once the NIC is in the bridge, the one our profiles say they were
 * made from. Fails with `interface-not-found` or `no-uplink` when there is none.
 */
export function uplinkSource(names: BridgeNames, uplink: string, observation: Observation): UplinkSource {
  const link = observation.links.find((entry) => entry.name === uplink);
  if (link === undefined) throw new AgentError('interface-not-found', `the interface ${uplink} does not exist`);
  const active = activeProfile(uplink, observation);
  const bridgeLink = observation.links.find((entry) => entry.name === names.bridge);
  const inBridge = active !== undefined && ownProfileIds.has(active.id);
  const profile = inBridge || active === undefined ? rememberedSource(names, uplink, observation) : active;
  if (profile === undefined) throw noProfile(uplink);
  const bridgeHasAddresses = bridgeLink?.addresses.some((entry) => entry.scope === 'global') ?? false;
  return {
    uuid: profile.uuid,
    id: profile.id,
    settings: profile.settings,
    link,
    addressLink: inBridge && bridgeLink !== undefined && bridgeHasAddresses ? bridgeLink : link,
  };
}

/** The profile a device runs now. */
export function activeProfile(interfaceName: string, observation: Observation): NmProfile | undefined {
  const { devices, activeConnections, profiles } = observation.networkManager;
  const device = devices.find(
    (entry) => entry.interface === interfaceName && entry.type !== 24 && entry.type !== 25 && entry.type !== 26,
  );
  const active = activeConnections.find((entry) => entry.path === device?.activeConnection);
  return profiles.find((profile) => profile.uuid === active?.uuid);
}

function rememberedSource(names: BridgeNames, uplink: string, observation: Observation): NmProfile | undefined {
  const { profiles } = observation.networkManager;
  const ours = profiles.find((profile) => profile.id === names.uplinkInterface);
  const data = ours?.settings.user?.data?.[1] as Record<string, string> | undefined;
  const remembered = profiles.find((profile) => profile.uuid === data?.[userData.sourceProfile]);
  return remembered ?? profiles.find((profile) => isProfileFor(profile, uplink));
}

function isProfileFor(profile: NmProfile, uplink: string): boolean {
  const connection = profile.settings.connection;
  return (
    !ownProfileIds.has(profile.id) &&
    connection?.['interface-name']?.[1] === uplink &&
    connection['slave-type'] === undefined
  );
}

function noProfile(uplink: string): AgentError {
  return new AgentError('no-uplink', `${uplink} has no NetworkManager profile, so there is nothing to move to br-ex`, {
    hint: `let NetworkManager configure it (nmcli device set ${uplink} managed yes; nmcli device up ${uplink}), or name another uplink in ovn.yaml`,
    facts: { interface: uplink },
  });
}
