import { AgentError } from '../errors.ts';
import type { NmDevice, NmProfile, Observation } from '../model/observation.ts';
import { keptCopy, withoutKept } from './kept.ts';
import { wantedMac } from './mac.ts';
import { type BridgeNames, isOwnProfile, userData } from './names.ts';
import type { UplinkSource } from './profiles.ts';
import { isOvsDevice } from './suitability.ts';

/**
 * The admin's profile of an uplink: the one the NIC runs now, or, once the NIC is in the bridge, the one our profiles say they were
 * made from. Fails with `interface-not-found` or `no-uplink` when there is none.
 */
export function uplinkSource(names: BridgeNames, uplink: string, observation: Observation): UplinkSource {
  const link = observation.links.find((entry) => entry.name === uplink);
  if (link === undefined) {
    throw new AgentError('interface-not-found', `the interface ${uplink} does not exist`, {
      hint: 'plug it in again, or let `microshift-net apply` choose another uplink',
      facts: { interface: uplink },
    });
  }
  const active = activeProfile(uplink, observation);
  const bridgeLink = observation.links.find((entry) => entry.name === names.bridge);
  const inBridge = active !== undefined && isOwnProfile(active);
  const profile = inBridge || active === undefined ? rememberedSource(names, uplink, observation) : active;
  if (profile === undefined) throw noProfile(uplink);
  const bridgeHasAddresses = bridgeLink?.addresses.some((entry) => entry.scope === 'global') ?? false;
  const kept = keptCopy(profile, observation);
  const ours = observation.networkManager.profiles.find((entry) => entry.id === names.bridgeInterface);
  const given = inBridge ? (ours?.settings ?? null) : null;
  return {
    uuid: kept?.uuid ?? profile.uuid,
    id: profile.id,
    kept,
    settings: withoutKept(profile.settings),
    link,
    mac: wantedMac(link, profile.settings, given?.['802-3-ethernet']?.['assigned-mac-address']),
    given,
    dhcp: nicDevice(uplink, observation)?.dhcp ?? null,
    addressLink: inBridge && bridgeLink !== undefined && bridgeHasAddresses ? bridgeLink : link,
  };
}

/** The profile a device runs now. */
export function activeProfile(interfaceName: string, observation: Observation): NmProfile | undefined {
  const { activeConnections, profiles } = observation.networkManager;
  const device = nicDevice(interfaceName, observation);
  const active = activeConnections.find((entry) => entry.path === device?.activeConnection);
  return profiles.find((profile) => profile.uuid === active?.uuid);
}

/** NetworkManager's device of the kernel's one with this name. */
function nicDevice(interfaceName: string, { networkManager }: Observation): NmDevice | undefined {
  return networkManager.devices.find((entry) => entry.interface === interfaceName && !isOvsDevice(entry));
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
    !isOwnProfile(profile) && connection?.['interface-name']?.[1] === uplink && connection['slave-type'] === undefined
  );
}

function noProfile(uplink: string): AgentError {
  return new AgentError('no-uplink', `${uplink} has no NetworkManager profile, so there is nothing to move to br-ex`, {
    hint: `let NetworkManager configure it (nmcli device set ${uplink} managed yes; nmcli device up ${uplink}), or name another uplink in ovn.yaml`,
    facts: { interface: uplink },
  });
}
