import { AgentError } from '../../errors.ts';
import { type BridgeNames, bridgeOfProfile, sourceOf } from '../../model/names.ts';
import { type DhcpIdentity, type Link, type NmProfile, nicDevice, type Observation } from '../../model/observation.ts';
import type { WantedProfile } from '../../model/plan.ts';
import { type ProfileSettings, textOf } from '../../model/profile-settings.ts';
import { namedUplink, uplinkInBridge } from '../../model/uplink-in-bridge.ts';
import { type CarriedDefault, carriedDefaults, withDefaults } from './carried-defaults.ts';
import { copyOfExternal, isCopyOf, isMadeUp } from './external-profile.ts';
import { wantedMac } from './mac.ts';
import { type RecordedIdentity, recordedIdentity } from './recorded-identity.ts';

/** Administrator's profile of an uplink, and the link that has the addresses of the uplink now. */
export interface UplinkSource {
  readonly uuid: string;
  readonly id: string;
  /**
   * Settings of the profile, with the defaults from NetworkManager's configuration that apply to the NIC and not to its
   * bridge.
   */
  readonly settings: ProfileSettings;
  /** Defaults from NetworkManager's configuration that `settings` contains. */
  readonly defaults: readonly CarriedDefault[];
  /** Link of the uplink itself. */
  readonly link: Link;
  /** Link that has the addresses now: the uplink before the move, the bridge after it. */
  readonly addressLink: Link;
  /** MAC of the bridge. */
  readonly mac: string;
  /**
   * Identifiers that the NIC itself has sent to DHCP servers; null if the NIC has no lease, for example because the NIC
   * is in the bridge.
   */
  readonly dhcp: DhcpIdentity | null;
  /** Settings of the agent's profile of the bridge's interface, once the NIC is in the bridge; null before. */
  readonly given: ProfileSettings | null;
  /** Identity that an earlier run recorded for this NIC and this profile; empty if no run recorded one. */
  readonly recorded: RecordedIdentity;
  /** True while the administrator's profile is active on the NIC. */
  readonly isActive: boolean;
  /**
   * Copy of the profile that NetworkManager generated for the NIC, if another program configured the NIC; null
   * otherwise. The copy is activated on the NIC first.
   */
  readonly externalCopy: WantedProfile | null;
}

/**
 * Returns the administrator's profile of an uplink: the active profile of the NIC, before and after the move; or else
 * the profile from which the agent made its own profiles; or else a profile that is bound to the NIC by name. Fails
 * with `interface-not-found` or `no-uplink`.
 */
export function uplinkSource(names: BridgeNames, uplink: string, observation: Observation): UplinkSource {
  const link = observation.links.find((entry) => entry.name === uplink);
  if (link === undefined) {
    throw new AgentError('interface-not-found', `the interface ${uplink} does not exist`, {
      hint: 'plug it in again, or let `microshift-net apply` choose another uplink',
      facts: { interface: uplink },
    });
  }
  const profile = adminProfile(names, uplink, observation);
  if (profile === undefined) throw noProfile(uplink, names);
  const externalCopy = copyOfExternal(profile, observation);
  const bridgeLink = observation.links.find((entry) => entry.name === names.bridge);
  const bridgeHasAddresses = bridgeLink?.addresses.some((entry) => entry.scope === 'global') ?? false;
  const ours = observation.networkManager.profiles.find((entry) => entry.id === names.bridgeInterface);
  // A NIC that was removed from the bridge by hand still counts as its uplink, because the bridge still has the
  // settings of the NIC. The NIC is also compared by its name, because one profile can be active on several NICs
  // (connection.multi-connect).
  const isNamed = namedUplink(names, observation) === uplink;
  const carries =
    uplinkInBridge(names, observation) === uplink ||
    (isNamed && ours !== undefined && sourceOf(ours) === profile.uuid && isActivated(ours, observation));
  const given = carries ? (ours?.settings ?? null) : null;
  const own = externalCopy?.settings ?? profile.settings;
  const defaults = carriedDefaults(own, uplink, names.bridge, observation);
  const settings = withDefaults(own, defaults);
  return {
    uuid: externalCopy?.uuid ?? profile.uuid,
    id: profile.id,
    settings,
    defaults,
    link,
    mac: wantedMac(link, settings, textOf(given, '802-3-ethernet', 'assigned-mac-address')),
    given,
    dhcp: nicDevice(uplink, observation)?.dhcp ?? null,
    recorded: recordedIdentity(uplink, profile.uuid, settings, observation),
    addressLink: carries && bridgeLink !== undefined && bridgeHasAddresses ? bridgeLink : link,
    isActive: activeProfile(uplink, observation)?.uuid === profile.uuid,
    externalCopy,
  };
}

/**
 * Returns the administrator's profile of a NIC, whatever profile is active on it; undefined if the NIC has none. A
 * profile that NetworkManager has generated counts only if the agent's profiles were made from it, or if their source
 * is unknown. NetworkManager may have generated any other profile because it has lost the NIC's own profile
 * (bridge/displaced-profile.ts).
 */
export function adminProfile(names: BridgeNames, uplink: string, observation: Observation): NmProfile | undefined {
  const active = activeProfile(uplink, observation);
  const isFree = (profile: NmProfile): boolean => bridgeOfProfile(profile, observation) === null;
  const own = active !== undefined && isFree(active) ? active : undefined;
  if (own !== undefined && !isMadeUp(own, observation)) return own;
  const { profiles } = observation.networkManager;
  const origins = profiles
    .filter((profile) => bridgeOfProfile(profile, observation)?.bridge === names.bridge)
    .map(sourceOf);
  const fits = ({ settings }: NmProfile): boolean =>
    [undefined, '', uplink].includes(textOf(settings, 'connection', 'interface-name'));
  const origin = profiles.find((profile) => isFree(profile) && origins.includes(profile.uuid) && fits(profile));
  if (own !== undefined && (origin === undefined || isCopyOf(own, origin))) return own;
  return origin ?? profiles.find((profile) => isFree(profile) && isProfileFor(profile, uplink));
}

/** Returns the active profile of a device; undefined if no profile is active. */
export function activeProfile(interfaceName: string, observation: Observation): NmProfile | undefined {
  const { activeConnections, profiles } = observation.networkManager;
  const device = nicDevice(interfaceName, observation);
  const active = activeConnections.find((entry) => entry.path === device?.activeConnection);
  return profiles.find((profile) => profile.uuid === active?.uuid);
}

function isActivated({ uuid }: NmProfile, { networkManager }: Observation): boolean {
  return networkManager.activeConnections.some((active) => active.uuid === uuid && active.state === 2);
}

/** Returns true for a profile that is bound to this NIC by name and does not make it a port of another device. */
export function isProfileFor({ settings }: NmProfile, uplink: string): boolean {
  const isPort = textOf(settings, 'connection', 'slave-type') !== undefined;
  return textOf(settings, 'connection', 'interface-name') === uplink && !isPort;
}

function noProfile(uplink: string, { bridge }: BridgeNames): AgentError {
  return new AgentError(
    'no-uplink',
    `${uplink} has no NetworkManager profile, so there is nothing to move to ${bridge}`,
    {
      hint: `let NetworkManager configure it (nmcli device set ${uplink} managed yes; nmcli device up ${uplink}), or name another uplink in ovn.yaml`,
      facts: { interface: uplink },
    },
  );
}
