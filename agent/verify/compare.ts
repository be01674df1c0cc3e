import type { NmProfile, Observation, OvsBridge } from '../model/observation.ts';
import type { Difference, Wanted, WantedBridge, WantedProfile } from '../model/plan.ts';
import type { ProfileSettings, SettingValue } from '../model/settings.ts';

/*
 * Compares the node with what was set up, on managed fields only: a property NetworkManager adds by itself (timestamps, defaults)
 * is no difference, or every run would find something to do.
 */

/** Names of every bridge and profile that could be ours; what exists of them and is not wanted is a difference. */
export interface OwnNames {
  readonly bridges: readonly string[];
  readonly isOwnProfile: (profile: NmProfile) => boolean;
}

/** Every difference between the wanted and the observed state; empty when the node is as wanted. */
export function compare(wanted: Wanted, observation: Observation, own: OwnNames): readonly Difference[] {
  const wantedProfiles = new Set(wanted.bridges.flatMap((bridge) => bridge.profiles.map((profile) => profile.uuid)));
  const leftovers = observation.networkManager.profiles.filter(
    (profile) => own.isOwnProfile(profile) && !wantedProfiles.has(profile.uuid),
  );
  const wantedBridges = new Set(wanted.bridges.map((bridge) => bridge.bridge));
  const surplus = observation.ovs.bridges.filter(
    (bridge) =>
      own.bridges.includes(bridge.name) && !wantedBridges.has(bridge.name) && isOurs(bridge, observation, own),
  );
  return [
    ...wanted.bridges.flatMap((bridge) => compareBridge(bridge, observation)),
    ...leftovers.map((profile) => difference(`profile ${profile.id} (${profile.uuid})`, 'absent', 'present')),
    ...surplus.map((bridge) => difference(`bridge ${bridge.name}`, 'absent', 'present')),
  ];
}

/** A bridge that was made by hand, or that another tool's profile owns, is not ours to miss or to remove. */
function isOurs(bridge: OvsBridge, observation: Observation, own: OwnNames): boolean {
  const owner = bridge.externalIds['NM.connection.uuid'];
  if (owner === undefined) return false;
  const profile = observation.networkManager.profiles.find((entry) => entry.uuid === owner);
  return profile === undefined || own.isOwnProfile(profile);
}

function compareBridge(wanted: WantedBridge, observation: Observation): readonly Difference[] {
  const { bridge: name } = wanted;
  const row = observation.ovs.bridges.find((bridge) => bridge.name === name);
  const link = observation.links.find((entry) => entry.name === name);
  const mac = link?.mac.toUpperCase() ?? 'absent';
  return [
    ...wanted.profiles.flatMap((profile) => compareProfile(profile, observation)),
    ...(row === undefined ? [difference(`bridge ${name}`, 'present', 'absent')] : comparePorts(wanted, row)),
    ...(row === undefined ? [] : compareOwner(wanted, row)),
    ...(row !== undefined && mac !== wanted.mac ? [difference(`MAC of ${name}`, wanted.mac, mac)] : []),
    ...wanted.profiles.flatMap((profile) => compareFixedAddresses(profile, name, observation)),
  ];
}

/** NetworkManager takes care of a bridge only if its row names the profile. */
function compareOwner(wanted: WantedBridge, row: OvsBridge): readonly Difference[] {
  const owner = row.externalIds['NM.connection.uuid'];
  const profile = wanted.profiles.find((entry) => entry.id === row.name);
  if (profile === undefined || owner === profile.uuid) return [];
  return [difference(`owner of bridge ${row.name}`, profile.uuid, owner ?? 'nobody')];
}

function comparePorts(wanted: WantedBridge, row: OvsBridge): readonly Difference[] {
  const devices = row.ports.flatMap((port) =>
    port.interfaces.filter((entry) => entry.type === '' || entry.type === 'system'),
  );
  const uplink = wanted.uplink?.interface ?? null;
  const present = devices.find((entry) => entry.name === uplink);
  const subject = `bridge ${row.name} port ${uplink}`;
  return [
    ...(uplink !== null && present === undefined ? [difference(subject, 'present', 'absent')] : []),
    ...(present?.error != null ? [difference(subject, 'no error', present.error)] : []),
    ...devices
      .filter((entry) => entry.name !== uplink)
      .map((entry) => difference(`bridge ${row.name} port ${entry.name}`, 'absent', 'present')),
  ];
}

function compareProfile(wanted: WantedProfile, observation: Observation): readonly Difference[] {
  const { profiles, activeConnections } = observation.networkManager;
  const profile = profiles.find((entry) => entry.uuid === wanted.uuid);
  if (profile === undefined) return [difference(`profile ${wanted.id}`, 'present', 'absent')];
  const active = activeConnections.some((entry) => entry.uuid === wanted.uuid && entry.state === 2);
  return [
    ...compareSettings(wanted, profile),
    ...(active || wanted.mayWait === true ? [] : [difference(`profile ${wanted.id} active`, 'yes', 'no')]),
  ];
}

/** Properties in which a profile differs, wanted ones first, then those somebody added to the settings we write as a whole. */
export function compareSettings(wanted: WantedProfile, profile: NmProfile): readonly Difference[] {
  const differences: Difference[] = [];
  for (const [name, setting] of Object.entries(wanted.settings)) {
    for (const [key, value] of Object.entries(setting)) {
      // A state that was recorded has them.
      if (ownKeys.has(`${name}.${key}`)) continue;
      const observed = profile.settings[name]?.[key];
      if (canonical(name, key, value) === canonical(name, key, observed)) continue;
      differences.push(difference(`profile ${wanted.id} ${name}.${key}`, show(value), show(observed)));
    }
  }
  for (const name of wholeSettings) differences.push(...addedKeys(name, wanted, profile.settings));
  return differences;
}

function addedKeys(name: string, wanted: WantedProfile, observed: ProfileSettings): readonly Difference[] {
  const own = wanted.settings[name] ?? {};
  // NetworkManager gives profiles of ports IP settings of its own.
  if (!(name in wanted.settings) && name.startsWith('ipv')) return [];
  return Object.entries(observed[name] ?? {})
    .filter(([key]) => !(key in own) && !ownKeys.has(`${name}.${key}`))
    .filter(([key, value]) => canonical(name, key, value) !== canonical(name, key, undefined))
    .map(([key, value]) => difference(`profile ${wanted.id} ${name}.${key}`, '(unset)', show(value)));
}

function compareFixedAddresses(
  profile: WantedProfile,
  bridge: string,
  observation: Observation,
): readonly Difference[] {
  if (profile.settings['ovs-interface']?.type?.[1] !== 'internal') return [];
  const link = observation.links.find((entry) => entry.name === bridge);
  const present = new Set(link?.addresses.map((entry) => `${entry.address}/${entry.prefixLength}`));
  return fixedAddresses(profile.settings)
    .filter((address) => !present.has(address))
    .map((address) => difference(`address ${address} on ${bridge}`, 'present', 'absent'));
}

/** Addresses a profile sets by itself, as `address/prefix`. */
export function fixedAddresses(settings: ProfileSettings): readonly string[] {
  return ['ipv4', 'ipv6'].flatMap((name) => {
    const list = (settings[name]?.['address-data']?.[1] ?? []) as readonly Record<string, SettingValue>[];
    return list.map((entry) => `${entry.address?.[1]}/${entry.prefix?.[1]}`);
  });
}

/** Settings that carry what the admin's profile says and nothing else: a property that was taken out there must go here too. */
const wholeSettings = ['connection', 'ipv4', 'ipv6', 'proxy', 'hostname', 'ethtool', '802-1x', 'sriov', 'tc', 'dcb'];

/** Properties NetworkManager keeps in a profile by itself. */
const ownKeys: ReadonlySet<string> = new Set(['connection.timestamp', 'connection.read-only']);

/** Values that NetworkManager writes as "unset" when a profile is read back. */
const defaults: Readonly<Record<string, string>> = {
  'connection.autoconnect': 'true',
  'connection.permissions': '[]',
  'ipv4.address-data': '[]',
  'ipv4.route-data': '[]',
  'ipv4.dns-search': '[]',
  'ipv4.dns-data': '[]',
  'ipv6.address-data': '[]',
  'ipv6.route-data': '[]',
  'ipv6.dns-search': '[]',
  'ipv6.dns-data': '[]',
  'ovs-bridge.fail-mode': '""',
};

function canonical(name: string, key: string, value: SettingValue | undefined): string {
  if (value === undefined) return defaults[`${name}.${key}`] ?? 'undefined';
  return JSON.stringify(sortKeys(value[1]));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}

function difference(subject: string, wanted: string, observed: string): Difference {
  return { subject, wanted, observed };
}

function show(value: SettingValue | undefined): string {
  if (value === undefined) return '(unset)';
  return typeof value[1] === 'string' ? value[1] : JSON.stringify(value[1]);
}
