import type { Link, NmDevice, NmProfile, Observation, OvsBridge } from '../model/observation.ts';
import type { NetworkDifference, Wanted, WantedBridge, WantedProfile } from '../model/plan.ts';
import type { ProfileSettings, SettingValue } from '../model/settings.ts';

/*
 * Compares the node with what was set up, on managed fields only: a property NetworkManager adds by itself (timestamps, defaults)
 * is no difference, or every run would find something to do.
 */

/** What could be ours; what exists of it and is not wanted is a difference. */
export interface OwnNames {
  readonly bridges: readonly string[];
  /** The bridge a profile was made for; null: it is not ours. */
  readonly bridgeOf: (profile: NmProfile, observation: Observation) => string | null;
  /** UUID of the profile that a bridge row belongs to; undefined: nobody's. */
  readonly ownerOf: (row: OvsBridge) => string | undefined;
}

/** Every difference between the wanted and the observed state; empty when the node is as wanted. */
export function compare(wanted: Wanted, observation: Observation, own: OwnNames): readonly NetworkDifference[] {
  const wantedProfiles = new Set(wanted.bridges.flatMap((bridge) => bridge.profiles.map((profile) => profile.uuid)));
  const leftovers = observation.networkManager.profiles.flatMap((profile): readonly NetworkDifference[] => {
    const bridge = wantedProfiles.has(profile.uuid) ? null : own.bridgeOf(profile, observation);
    if (bridge === null) return [];
    const subject = `profile ${profile.id} (${profile.uuid})`;
    return [{ bridge, kind: 'leftover', profile: profile.id, subject, wanted: 'absent', observed: 'present' }];
  });
  const wantedBridges = new Set(wanted.bridges.map((bridge) => bridge.bridge));
  const surplus = observation.ovs.bridges.filter(
    (bridge) =>
      own.bridges.includes(bridge.name) && !wantedBridges.has(bridge.name) && isOurs(bridge, observation, own),
  );
  return [
    ...wanted.bridges.flatMap((bridge) => compareBridge(bridge, observation)),
    ...leftovers,
    ...surplus.map((row) => difference(row.name, 'surplus', `bridge ${row.name}`, 'absent', 'present')),
  ];
}

/** A bridge that was made by hand, or that another tool's profile owns, is not ours to miss or to remove. */
function isOurs(bridge: OvsBridge, observation: Observation, own: OwnNames): boolean {
  const owner = own.ownerOf(bridge);
  if (owner === undefined) return false;
  const profile = observation.networkManager.profiles.find((entry) => entry.uuid === owner);
  return profile === undefined || own.bridgeOf(profile, observation) !== null;
}

function compareBridge(wanted: WantedBridge, observation: Observation): readonly NetworkDifference[] {
  const { bridge: name } = wanted;
  const row = observation.ovs.bridges.find((bridge) => bridge.name === name);
  const link = observation.links.find((entry) => entry.name === name);
  const mac = link?.mac.toUpperCase() ?? 'absent';
  return [
    ...wanted.profiles.flatMap((profile) => compareProfile(wanted, profile, observation)),
    ...(row === undefined ? [difference(name, 'bridge', `bridge ${name}`, 'present', 'absent')] : []),
    ...(row === undefined ? [] : [...comparePorts(wanted, row, observation), ...compareOwner(wanted, row)]),
    ...(row !== undefined && mac !== wanted.mac ? [difference(name, 'mac', `MAC of ${name}`, wanted.mac, mac)] : []),
    ...wanted.profiles.flatMap((profile) => compareFixedAddresses(profile, name, link)),
  ];
}

/** NetworkManager takes care of a bridge only if its row names the profile. */
function compareOwner(wanted: WantedBridge, row: OvsBridge): readonly NetworkDifference[] {
  const owner = row.externalIds['NM.connection.uuid'];
  const profile = wanted.profiles.find((entry) => entry.id === row.name);
  if (profile === undefined || owner === profile.uuid) return [];
  return [difference(row.name, 'owner', `owner of bridge ${row.name}`, profile.uuid, owner ?? 'nobody')];
}

function comparePorts(wanted: WantedBridge, row: OvsBridge, observation: Observation): readonly NetworkDifference[] {
  const devices = row.ports.flatMap((port) =>
    port.interfaces.filter((entry) => entry.type === '' || entry.type === 'system'),
  );
  const uplink = wanted.uplink?.interface ?? null;
  const present = devices.find((entry) => entry.name === uplink);
  const subject = `bridge ${row.name} port ${uplink}`;
  return [
    ...(uplink !== null && present === undefined ? [difference(row.name, 'port', subject, 'present', 'absent')] : []),
    ...(present?.error != null ? [difference(row.name, 'port-error', subject, 'no error', present.error)] : []),
    ...(uplink !== null && present !== undefined ? compareUplink(row.name, uplink, observation) : []),
    ...devices
      .filter((entry) => entry.name !== uplink)
      .map((entry) =>
        difference(row.name, 'foreign-device', `bridge ${row.name} port ${entry.name}`, 'absent', 'present'),
      ),
  ];
}

/** NMDeviceType ovs-interface, ovs-port and ovs-bridge, which can share a name with the kernel's own device. */
const ovsDeviceTypes = [24, 25, 26];
/** NMDeviceState. */
const disconnected = 30;
const activated = 100;

/**
 * The NIC runs its own profile without IP settings. Whatever starts that profile again (a cable that is back, an admin) gives it addresses,
 * or a DHCP client that waits in vain. One without a carrier, or that NetworkManager does not manage, runs nothing, which is fine.
 */
function compareUplink(bridge: string, uplink: string, observation: Observation): readonly NetworkDifference[] {
  const isUplink = (entry: NmDevice): boolean => entry.interface === uplink && !ovsDeviceTypes.includes(entry.type);
  const state = observation.networkManager.devices.find(isUplink)?.state ?? 0;
  const link = observation.links.find((entry) => entry.name === uplink);
  if (state === disconnected && link?.carrier === true)
    return [difference(bridge, 'uplink-inactive', `profile of ${uplink} active`, 'yes', 'no')];
  const subject = `IP settings of ${uplink}`;
  if (state > disconnected && state < activated)
    return [difference(bridge, 'uplink-configured', subject, 'none', 'NetworkManager is configuring it')];
  const addresses = state === activated ? addressesOf(link) : [];
  if (addresses.length === 0) return [];
  return [difference(bridge, 'uplink-configured', subject, 'none', addresses.join(', '))];
}

function compareProfile(
  { bridge }: WantedBridge,
  wanted: WantedProfile,
  observation: Observation,
): readonly NetworkDifference[] {
  const { profiles, activeConnections } = observation.networkManager;
  const of = { bridge, profile: wanted.id };
  const profile = profiles.find((entry) => entry.uuid === wanted.uuid);
  if (profile === undefined)
    return [{ ...of, kind: 'profile', subject: `profile ${wanted.id}`, wanted: 'present', observed: 'absent' }];
  const isActive = activeConnections.some((entry) => entry.uuid === wanted.uuid && entry.state === 2);
  const subject = `profile ${wanted.id} active`;
  const settings = compareSettings(wanted, profile.settings).map((entry) => ({ ...entry, ...of }));
  return isActive ? settings : [...settings, { ...of, kind: 'active', subject, wanted: 'yes', observed: 'no' }];
}

/** Properties in which a profile differs, wanted ones first, then those somebody added to the settings we write as a whole. */
function compareSettings(
  wanted: WantedProfile,
  observed: ProfileSettings,
): readonly Omit<NetworkDifference, 'bridge'>[] {
  const differences: Omit<NetworkDifference, 'bridge'>[] = [];
  const add = (setting: string, key: string, value: string): void => {
    const subject = `profile ${wanted.id} ${setting}.${key}`;
    const seen = show(observed[setting]?.[key]);
    differences.push({ kind: 'setting', setting, key, subject, wanted: value, observed: seen });
  };
  for (const [name, setting] of Object.entries(wanted.settings)) {
    for (const [key, value] of Object.entries(setting)) {
      // A state that was recorded has them.
      if (ownKeys.has(`${name}.${key}`)) continue;
      if (canonical(name, key, value) !== canonical(name, key, observed[name]?.[key])) add(name, key, show(value));
    }
  }
  for (const name of wholeSettings) for (const key of addedKeys(name, wanted, observed)) add(name, key, '(unset)');
  return differences;
}

function addedKeys(name: string, wanted: WantedProfile, observed: ProfileSettings): readonly string[] {
  const own = wanted.settings[name] ?? {};
  // NetworkManager gives profiles of ports IP settings of its own.
  if (!(name in wanted.settings) && name.startsWith('ipv')) return [];
  return Object.entries(observed[name] ?? {})
    .filter(([key]) => !(key in own) && !ownKeys.has(`${name}.${key}`))
    .filter(([key, value]) => canonical(name, key, value) !== canonical(name, key, undefined))
    .map(([key]) => key);
}

function compareFixedAddresses(
  profile: WantedProfile,
  bridge: string,
  link: Link | undefined,
): readonly NetworkDifference[] {
  if (profile.settings['ovs-interface']?.type?.[1] !== 'internal') return [];
  const present = addressesOf(link);
  return fixedAddresses(profile.settings)
    .filter((address) => !present.includes(address))
    .map((address) => difference(bridge, 'address', `address ${address} on ${bridge}`, 'present', 'absent'));
}

function addressesOf(link: Link | undefined): readonly string[] {
  return (link?.addresses ?? []).map((entry) => `${entry.address}/${entry.prefixLength}`);
}

/** Addresses a profile sets by itself, as `address/prefix`. */
export function fixedAddresses(settings: ProfileSettings): readonly string[] {
  return ['ipv4', 'ipv6'].flatMap((name) => {
    const list = (settings[name]?.['address-data']?.[1] ?? []) as readonly Record<string, SettingValue>[];
    return list.map((entry) => `${entry.address?.[1]}/${entry.prefix?.[1]}`);
  });
}

/** Settings that carry what the admin's profile says and nothing else: a property that was taken out there must go here too. */
const wholeSettings = ['connection', 'ipv4', 'ipv6', 'proxy', 'hostname'];

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

function difference(
  bridge: string,
  kind: NetworkDifference['kind'],
  subject: string,
  wanted: string,
  observed: string,
): NetworkDifference {
  return { bridge, kind, subject, wanted, observed };
}

function show(value: SettingValue | undefined): string {
  if (value === undefined) return '(unset)';
  return typeof value[1] === 'string' ? value[1] : JSON.stringify(value[1]);
}
