import type { DefaultsSection } from '../../model/connection-defaults.ts';
import { type NmDevice, nicDevice, type Observation } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { jsonOf, type ProfileSettings, type SettingValue, textOf } from '../../model/profile-settings.ts';

/*
 * Defaults of NetworkManager's configuration that match a NIC by its type, name, MAC or driver and do not match the
 * bridge's interface. They move to the bridge together with the NIC's address: a property that the NIC's profile leaves
 * to such a default is written to the profile of the bridge's interface.
 */

/** A default that is written to a profile. */
export interface CarriedDefault {
  /** Name of the property, such as `ipv4.dns-priority`. */
  readonly property: string;
  readonly value: string;
  readonly section: string;
  readonly file: string;
}

interface Property {
  /** D-Bus signature of the profile's property. */
  readonly signature: 's' | 'i' | 'u' | 'x';
  /** Value with which a profile leaves the property to the configuration; omitting the property has the same effect. */
  readonly unset: string | number;
  /** Minimum and maximum that NetworkManager accepts; it ignores other numbers. */
  readonly range?: readonly [number, number];
  /**
   * Minor version of NetworkManager 1 since which profiles have the property; absent if all supported versions have it.
   */
  readonly since?: number;
}

const largest = 2_147_483_647;
const ternary = { signature: 'i', unset: -1, range: [0, 1] } as const;
const mode = { signature: 'i', unset: -1, range: [0, 2] } as const;
const seconds = { signature: 'i', unset: 0, range: [1, largest] } as const;
const priority = { signature: 'i', unset: 0, range: [-largest, largest] } as const;
const number = { signature: 'u', unset: 0, range: [1, 4_294_967_295] } as const;
const words = { signature: 's', unset: '' } as const;

const ofBothFamilies = (family: string): Readonly<Record<string, Property>> => ({
  [`${family}.dhcp-hostname-flags`]: number,
  [`${family}.dhcp-iaid`]: words,
  [`${family}.dhcp-send-release`]: { ...ternary, since: 48 },
  [`${family}.dhcp-timeout`]: seconds,
  [`${family}.dns-priority`]: priority,
  [`${family}.required-timeout`]: { ...ternary, range: [0, largest], since: 34 },
  [`${family}.route-metric`]: { signature: 'x', unset: -1, range: [0, 4_294_967_295] },
  [`${family}.route-table`]: number,
  [`${family}.routed-dns`]: { ...ternary, since: 52 },
});

/**
 * Properties that move to the bridge's interface together with the address, and for which NetworkManager's
 * configuration may have a default (nm-device.c and nm-policy.c, NM_CON_DEFAULT).
 */
const properties: Readonly<Record<string, Property>> = {
  'connection.mdns': mode,
  'connection.llmnr': mode,
  'connection.dns-over-tls': { ...mode, since: 34 },
  'connection.dnssec': { ...mode, since: 56 },
  'connection.mptcp-flags': { ...number, since: 42 },
  'connection.mud-url': words,
  'connection.stable-id': words,
  'hostname.priority': { ...priority, since: 30 },
  'hostname.from-dhcp': { ...ternary, since: 30 },
  'hostname.from-dns-lookup': { ...ternary, since: 30 },
  'hostname.only-from-default': { ...ternary, since: 30 },
  ...ofBothFamilies('ipv4'),
  'ipv4.dad-timeout': { ...ternary, range: [0, 30_000] },
  'ipv4.dhcp-client-id': words,
  'ipv4.dhcp-dscp': { ...words, since: 46 },
  'ipv4.dhcp-ipv6-only-preferred': { ...mode, since: 52 },
  'ipv4.dhcp-vendor-class-identifier': words,
  'ipv4.forwarding': { ...mode, since: 54 },
  'ipv4.link-local': { signature: 'i', unset: 0, range: [1, 4], since: 40 },
  ...ofBothFamilies('ipv6'),
  // With the values 2 and 3, a profile leaves `ipv6.addr-gen-mode` to NetworkManager's configuration
  // (NMSettingIP6ConfigAddrGenMode).
  'ipv6.addr-gen-mode': { signature: 'i', unset: 3, range: [0, 1] },
  'ipv6.dhcp-duid': words,
  'ipv6.ip6-privacy': mode,
  'ipv6.ra-timeout': seconds,
  'ipv6.temp-preferred-lifetime': { ...seconds, since: 48 },
  'ipv6.temp-valid-lifetime': { ...seconds, since: 48 },
};

/**
 * Returns the defaults of NetworkManager's configuration on which a profile relies, and which apply to its NIC but not
 * to the bridge.
 */
export function carriedDefaults(
  settings: ProfileSettings,
  nic: string,
  bridge: string,
  observation: Observation,
): readonly CarriedDefault[] {
  const { defaults = [], version } = observation.networkManager;
  const device = nicDevice(nic, observation);
  if (defaults.length === 0 || device === undefined) return [];
  const minor = Number(version.split('.')[1]);
  return Object.entries(properties).flatMap(([property, known]): CarriedDefault[] => {
    const own = lookUp(property, defaults, matched(device));
    if (own === null || (known.since ?? 0) > minor || !isLeft(settings, property, known)) return [];
    const ofBridge = lookUp(property, defaults, matchedBridge(bridge));
    return own.value === ofBridge?.value || settingOf(known, own.value) === null ? [] : [{ property, ...own }];
  });
}

/** Returns notes about the defaults that are written to a profile, with their source. */
export function defaultsNotes(carried: readonly CarriedDefault[], nic: string, bridge: string): readonly PlanNote[] {
  return carried.map(({ property, value, section, file }) => ({
    level: 'info',
    message: `${property}=${value} of [${section}] in ${file} is for ${nic} and not for ${bridge}, which gets it in its profile`,
  }));
}

/** Returns a profile's settings with the defaults of `carried` added. */
export function withDefaults(settings: ProfileSettings, carried: readonly CarriedDefault[]): ProfileSettings {
  const all: Record<string, Readonly<Record<string, SettingValue>>> = { ...settings };
  for (const { property, value } of carried) {
    const [name = '', key = ''] = property.split('.');
    const known = properties[property];
    const written = known === undefined ? null : settingOf(known, value);
    if (written !== null) all[name] = { ...all[name], [key]: written };
  }
  return all;
}

/**
 * Returns true for a property that the profile leaves to the configuration, in a family that the profile configures.
 */
function isLeft(settings: ProfileSettings, property: string, { unset }: Property): boolean {
  const [name = '', key = ''] = property.split('.');
  if (name.startsWith('ipv') && ['disabled', 'ignore', undefined].includes(textOf(settings, name, 'method')))
    return false;
  const value = jsonOf(settings, name, key);
  if (property === 'ipv6.addr-gen-mode') return value === undefined || value === 2 || value === unset;
  return value === undefined || String(value) === String(unset);
}

/** Returns a value of the configuration in the form of a profile; null if NetworkManager would ignore the value. */
function settingOf({ signature, range = [0, 0] }: Property, text: string): SettingValue | null {
  if (signature === 's') return text === '' ? null : ['s', text];
  const value = /^[+-]?(0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : Number.NaN;
  return value >= range[0] && value <= range[1] ? [signature, value] : null;
}

/**
 * Searches the sections that match the device for the first one that has the property or stops the search
 * (`stop-match`). Returns the value of the property; null if that section lacks the property, or if the search finds no
 * section (nm-config-data.c, _match_section_infos_lookup).
 */
function lookUp(
  property: string,
  sections: readonly DefaultsSection[],
  matches: (specs: readonly string[]) => boolean,
): Omit<CarriedDefault, 'property'> | null {
  const found = sections.find(
    ({ matchDevice, stopMatch, values }) =>
      (values[property] !== undefined || stopMatch) && (matchDevice === null || matches(matchDevice)),
  );
  const value = found?.values[property];
  return found === undefined || value === undefined ? null : { ...value, section: found.section };
}

/** Attributes of a device that a device list can match. */
interface Matched {
  readonly name: string;
  readonly type: string;
  readonly driver: string;
  /** MAC of the device; null if it is not known. */
  readonly mac: string | null;
}

/** Names of NMDeviceType in match specifications (nm-device.c, get_type_description). */
const typeNames: Readonly<Record<number, string>> = {
  1: 'ethernet',
  2: 'wifi',
  10: 'bond',
  11: 'vlan',
  13: 'bridge',
  14: 'generic',
  15: 'team',
  16: 'tun',
  22: 'dummy',
};

function matched({
  interface: name,
  type,
  driver,
  permanentHwAddress = '',
  hwAddress,
}: NmDevice): (specs: readonly string[]) => boolean {
  const mac = (permanentHwAddress === '' ? hwAddress : permanentHwAddress).toLowerCase();
  // NetworkManager matches a veth as ethernet.
  const typeName = type === 20 ? 'ethernet' : (typeNames[type] ?? '');
  return (specs) => isMatch(specs, { name, type: typeName, driver, mac });
}

function matchedBridge(name: string): (specs: readonly string[]) => boolean {
  return (specs) => isMatch(specs, { name, type: 'ovs-interface', driver: 'openvswitch', mac: null });
}

/**
 * Returns true if a device list matches a device (NetworkManager.conf(5), DEVICE LIST FORMAT; nm-core-utils.c,
 * nm_match_spec_device). A list that contains only exceptions matches all other devices.
 */
function isMatch(specs: readonly string[], device: Matched): boolean {
  const parts = specs.map((spec) => {
    const isExcept = /^except:/i.test(spec);
    return { isExcept, holds: fits(isExcept ? spec.slice('except:'.length) : spec, device, !isExcept) };
  });
  if (parts.length === 0 || parts.some(({ isExcept, holds }) => isExcept && holds)) return false;
  return parts.every(({ isExcept }) => isExcept) || parts.some(({ isExcept, holds }) => !isExcept && holds);
}

function fits(spec: string, { name, type, driver, mac }: Matched, isFuzzy: boolean): boolean {
  if (spec === '*') return true;
  const [, tag = '', rest = spec] =
    /^(type|mac|interface-name|driver|s390-subchannels|dhcp-plugin):(.*)$/i.exec(spec) ?? [];
  switch (tag.toLowerCase()) {
    case 'type':
      return rest === type;
    case 'mac':
      return rest.toLowerCase() === mac;
    case 'interface-name':
      if (rest.startsWith('=')) return rest.slice(1) === name;
      return isGlob(rest.replace(/^~/, ''), name);
    case 'driver':
      return rest.includes('/')
        ? driver.startsWith(rest.slice(0, rest.lastIndexOf('/'))) && rest.endsWith('/*')
        : rest === driver;
    case '':
      return isFuzzy && (rest === name || rest.toLowerCase() === mac);
    default:
      return false;
  }
}

/**
 * Returns true if a pattern matches a text by the rules of GLib's g_pattern_match_simple: only `*` and `?` are special.
 */
function isGlob(pattern: string, text: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(text);
}
