import { isDeepStrictEqual } from 'node:util';
import { devicesIn, nicsIn } from '../model/bridge-devices.ts';
import {
  addressesOf,
  type Link,
  type NmProfile,
  nicDevice,
  type Observation,
  type OvsBridge,
  type OvsInterface,
} from '../model/observation.ts';
import type { NetworkDifference, Wanted, WantedBridge, WantedProfile } from '../model/plan.ts';
import {
  fixedAddresses,
  type Json,
  type ProfileSettings,
  type SettingValue,
  textOf,
} from '../model/profile-settings.ts';
import { compareOthers } from './compare-others.ts';
import { compareLoopback, compareSignpost, compareUnused, passedOver } from './on-loopback.ts';

/*
 * Comparison of the node with the desired state, limited to the fields that the agent manages. A property that
 * NetworkManager adds by itself (timestamps, defaults) is not a difference, because otherwise every run would find one.
 */

/**
 * Functions that recognize bridges and profiles of the agent. A bridge or profile of the agent is a difference if it is
 * not desired.
 */
export interface OwnNames {
  readonly bridgesOf: (observation: Observation) => readonly string[];
  /** Returns the bridge for which a profile was made; null if the profile is not the agent's. */
  readonly bridgeOf: (profile: NmProfile, observation: Observation) => string | null;
  /** Returns the UUID of the profile to which a bridge row belongs; undefined if it belongs to none. */
  readonly ownerOf: (row: OvsBridge) => string | undefined;
}

const missing = { wanted: 'present', observed: 'absent' } as const;
const superfluous = { wanted: 'absent', observed: 'present' } as const;
const inactive = { wanted: 'yes', observed: 'no' } as const;

/** Returns every difference between the desired and the observed state; empty if they are equal. */
export function compare(wanted: Wanted, observation: Observation, own: OwnNames): readonly NetworkDifference[] {
  const wantedProfiles = new Set(wanted.bridges.flatMap((bridge) => bridge.profiles.map((profile) => profile.uuid)));
  const leftovers = observation.networkManager.profiles.flatMap((profile): readonly NetworkDifference[] => {
    const bridge = wantedProfiles.has(profile.uuid) ? null : own.bridgeOf(profile, observation);
    if (bridge === null) return [];
    const { id, uuid } = profile;
    return [{ bridge, kind: 'leftover', profile: id, uuid, onDisk: false, ...superfluous }];
  });
  const wantedBridges = new Set(wanted.bridges.map((bridge) => bridge.bridge));
  const names = own.bridgesOf(observation);
  const surplus = observation.ovs.bridges.filter(
    (bridge) => names.includes(bridge.name) && !wantedBridges.has(bridge.name) && isOurs(bridge, observation, own),
  );
  const gone = (wanted.microshift ?? []).filter(
    ({ bridge }) => !observation.ovs.bridges.some((row) => row.name === bridge),
  );
  return [
    ...wanted.bridges.flatMap((bridge) => compareBridge(bridge, observation)),
    ...gone.map(({ bridge }) => ({ bridge, kind: 'bridge', ...missing }) as const),
    ...(wantedBridges.has(passedOver) ? [] : compareUnused(observation)),
    ...leftovers,
    ...surplus.map(({ name }) => ({ bridge: name, kind: 'surplus', ...superfluous }) as const),
  ];
}

/**
 * Returns true if a bridge is the agent's: its profile is the agent's or no longer exists. Such a bridge is superfluous
 * if it is not desired. Other bridges, which were made by hand or have a profile of another tool, are not removed.
 */
function isOurs(bridge: OvsBridge, observation: Observation, own: OwnNames): boolean {
  const owner = own.ownerOf(bridge);
  if (owner === undefined) return false;
  const profile = observation.networkManager.profiles.find((entry) => entry.uuid === owner);
  return profile === undefined || own.bridgeOf(profile, observation) !== null;
}

function compareBridge(wanted: WantedBridge, observation: Observation): readonly NetworkDifference[] {
  const { bridge, profiles } = wanted;
  const row = observation.ovs.bridges.find((entry) => entry.name === bridge);
  const link = observation.links.find((entry) => entry.name === bridge);
  return [
    ...profiles.flatMap((profile) => compareProfile(bridge, profile, observation)),
    ...(row === undefined
      ? [{ bridge, kind: 'bridge', ...missing } as const]
      : [...comparePorts(wanted, row, observation), ...compareOwner(wanted, row), ...compareMac(wanted, link)]),
    ...profiles.flatMap((profile) => compareFixedAddresses(profile, bridge, link)),
    ...compareLoopback(wanted, observation),
    ...compareSignpost(wanted, observation),
    ...compareOthers(wanted, observation),
  ];
}

/**
 * Compares the owner of a bridge: the UUID of a profile in the external_ids of the bridge's row. NetworkManager manages
 * the bridge only if this profile is the one for the bridge.
 */
function compareOwner({ bridge, profiles }: WantedBridge, row: OvsBridge): readonly NetworkDifference[] {
  const owner = row.externalIds['NM.connection.uuid'] ?? null;
  const profile = profiles.find((entry) => entry.id === bridge);
  if (profile === undefined || owner === profile.uuid) return [];
  return [{ bridge, kind: 'owner', wanted: profile.uuid, observed: owner }];
}

function compareMac({ bridge, mac }: WantedBridge, link: Link | undefined): readonly NetworkDifference[] {
  const observed = link?.mac.toUpperCase() ?? null;
  return observed === mac ? [] : [{ bridge, kind: 'mac', wanted: mac, observed }];
}

function comparePorts(wanted: WantedBridge, row: OvsBridge, observation: Observation): readonly NetworkDifference[] {
  const devices = devicesIn(row);
  const { bridge } = wanted;
  // A second NIC in the bridge is a difference, because it could close a loop between two ports of a LAN switch. Taps
  // and veths of guests do not count as differences.
  const others = nicsIn(row, observation).filter((entry) => entry.name !== wanted.uplink?.interface);
  return [
    ...(wanted.uplink === null ? [] : comparePort(bridge, wanted.uplink.interface, devices, observation)),
    ...others.map(({ name }) => ({ bridge, kind: 'foreign-device', device: name, ...superfluous }) as const),
  ];
}

function comparePort(
  bridge: string,
  device: string,
  present: readonly OvsInterface[],
  observation: Observation,
): readonly NetworkDifference[] {
  const row = present.find((entry) => entry.name === device);
  if (row === undefined) return [{ bridge, kind: 'port', device, ...missing }];
  const failed = { bridge, kind: 'port-error', device, wanted: null, observed: row.error } as const;
  return [...(row.error === null ? [] : [failed]), ...compareUplink(bridge, device, observation)];
}

/** Values of NMDeviceState. */
const disconnected = 30;
const activated = 100;

/**
 * Compares the state of the NIC: its own profile must be active, but without IP settings on the NIC. Another activation
 * of the profile, for example after a carrier change or by an administrator, adds the addresses again, or starts a DHCP
 * client that gets no answer. A NIC without a carrier, or a NIC that NetworkManager does not manage, has no active
 * profile, which is not a difference.
 */
function compareUplink(bridge: string, device: string, observation: Observation): readonly NetworkDifference[] {
  const state = nicDevice(device, observation)?.state ?? 0;
  const link = observation.links.find((entry) => entry.name === device);
  if (state === disconnected && link?.carrier === true)
    return [{ bridge, kind: 'uplink-inactive', device, ...inactive }];
  const configured = { bridge, kind: 'uplink-configured', device, wanted: null } as const;
  if (state > disconnected && state < activated) return [{ ...configured, observed: 'configuring' }];
  if (state !== activated) return [];
  const { routes = [], rules = [] } = observation.foreign?.find((entries) => entries.interface === device) ?? {};
  const observed = [
    ...addressesOf(link),
    ...routes.map(({ destination }) => destination),
    ...rules.map(({ words }) => `rule ${words[1]}`),
  ];
  if (observed.length === 0) return [];
  const isOfOthers = (link?.addresses ?? []).every((entry) => entry.foreign === true);
  return [{ ...configured, observed: observed.join(', '), ...(isOfOthers ? { others: true as const } : {}) }];
}

function compareProfile(
  bridge: string,
  wanted: WantedProfile,
  { networkManager }: Observation,
): readonly NetworkDifference[] {
  const { id, uuid } = wanted;
  const profile = networkManager.profiles.find((entry) => entry.uuid === uuid);
  if (profile === undefined) return [{ bridge, kind: 'profile', profile: id, ...missing }];
  const isActive = networkManager.activeConnections.some((entry) => entry.uuid === uuid && entry.state === 2);
  const settings = compareSettings(bridge, wanted, profile.settings);
  return isActive ? settings : [...settings, { bridge, kind: 'active', profile: id, ...inactive }];
}

/**
 * Returns the properties in which a profile differs from the desired one: first those that the desired profile has,
 * then those that were added to a setting that the agent writes as a whole, such as `ipv4`.
 */
function compareSettings(
  bridge: string,
  { id: profile, settings }: WantedProfile,
  present: ProfileSettings,
): readonly NetworkDifference[] {
  const keys = [
    ...Object.entries(settings).flatMap(([name, setting]) => Object.keys(setting).map((key) => [name, key] as const)),
    ...wholeSettings.flatMap((name) => addedKeys(name, settings, present).map((key) => [name, key] as const)),
  ];
  return keys.flatMap(([setting, key]): readonly NetworkDifference[] => {
    const [mine, other] = [settings[setting]?.[key], present[setting]?.[key]];
    const name = `${setting}.${key}`;
    // A desired state from a journal also contains properties that NetworkManager maintains by itself. They are not
    // compared.
    if (ownKeys.has(name) || areEqual(meaning(name, mine), meaning(name, other))) return [];
    return [{ bridge, kind: 'setting', profile, setting, key, wanted: show(mine), observed: show(other) }];
  });
}

function addedKeys(name: string, wanted: ProfileSettings, present: ProfileSettings): readonly string[] {
  // IP settings that were added to a port's profile are not differences, because NetworkManager adds them.
  if (!(name in wanted) && name.startsWith('ipv')) return [];
  return Object.keys(present[name] ?? {}).filter((key) => !(key in (wanted[name] ?? {})));
}

function compareFixedAddresses(
  profile: WantedProfile,
  bridge: string,
  link: Link | undefined,
): readonly NetworkDifference[] {
  if (textOf(profile.settings, 'ovs-interface', 'type') !== 'internal') return [];
  const present = addressesOf(link);
  return fixedAddresses(profile.settings)
    .filter((address) => !present.includes(address))
    .map((address) => ({ bridge, kind: 'address', address, ...missing }));
}

/**
 * Settings of which the agent writes every property, mostly from the administrator's profile. If the administrator has
 * removed a property, the agent's profile must not have it either.
 */
const wholeSettings = ['connection', 'ipv4', 'ipv6', 'proxy', 'hostname'];

/** Properties that NetworkManager maintains in a profile by itself. */
const ownKeys: ReadonlySet<string> = new Set(['connection.timestamp', 'connection.read-only']);

/** Values for which NetworkManager returns no property when a profile is read. */
const defaults: Readonly<Record<string, Json>> = {
  'connection.autoconnect': true,
  'connection.permissions': [],
  'ovs-bridge.fail-mode': '',
  ...Object.fromEntries(
    ['ipv4', 'ipv6'].flatMap((name) =>
      ['address-data', 'route-data', 'dns-search', 'dns-data'].map((key) => [`${name}.${key}`, []]),
    ),
  ),
};

/**
 * Compares two values. The JSON of the values is compared first, because equal values usually have equal JSON. At the
 * first deep comparison, Node.js loads a module, which takes a fiftieth of the time of a run that changes nothing.
 */
function areEqual(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || isDeepStrictEqual(one, other);
}

function meaning(name: string, value: SettingValue | undefined): Json | undefined {
  return value === undefined ? defaults[name] : value[1];
}

function show(value: SettingValue | undefined): string | null {
  if (value === undefined) return null;
  return typeof value[1] === 'string' ? value[1] : JSON.stringify(value[1]);
}
