// Short form of observations for the files of cases: without the usual values, and with NetworkManager's object paths
// from their last folder on.
import { isDeepStrictEqual } from 'node:util';
import {
  type Link,
  type LinkAddress,
  type NmActiveConnection,
  type NmDevice,
  type NmProfile,
  type Observation,
  prefixedAddress,
} from '../../../agent/model/observation.ts';
import type { ProfileSettings, SettingValue } from '../../../agent/model/profile-settings.ts';
import { usualLink } from '../link.ts';

/** A value some of whose parts are left out; `192.0.2.50/24` is an address with only usual properties. */
type Short<T> = T extends SettingValue
  ? T | string
  : T extends LinkAddress
    ? Partial<T> | string
    : T extends readonly (infer Item)[]
      ? readonly Short<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]?: Short<T[Key]> }
        : T;
export type ShortObservation = Short<Observation>;

const objects = '/org/freedesktop/NetworkManager/';
const usualAddress = { tentative: false, dadFailed: false, temporary: false, deprecated: false };
const usualLoopback = {
  index: 1,
  mac: '00:00:00:00:00:00',
  ...usualLink,
  mtuBytes: 65_536,
  hardwareType: 772,
  addresses: [
    { family: 4, address: '127.0.0.1', prefixLength: 8, scope: 'host', ...usualAddress },
    { family: 6, address: '::1', prefixLength: 128, scope: 'host', ...usualAddress },
  ],
};
const usualPort = { externalIds: {} };
const usualInterface = { ...usualPort, type: '', error: null };
const usualBridge = { ...usualPort, otherConfig: {}, datapathType: '', failMode: null };
/** Usual values of each setting that a profile can have. */
const usualSettings: ProfileSettings = {
  connection: { permissions: ['as', []], timestamp: ['t', 1_795_211_400] },
  '802-3-ethernet': { 'auto-negotiate': ['b', false], 's390-options': ['a{ss}', {}] },
  'ovs-port': { trunks: ['aa{sv}', []] },
  ipv4: { 'address-data': ['aa{sv}', []], 'route-data': ['aa{sv}', []] },
  ipv6: { 'address-data': ['aa{sv}', []], 'route-data': ['aa{sv}', []] },
};

/** Returns the complete observation for the short form that a case has. A complete observation stays as it is. */
export function wholeObservation(short: ShortObservation): Observation {
  return { ...short, ...wholeParts(numberedObservation(short)) } as Observation;
}

/**
 * Adds the object paths and the rows' UUIDs to the short form of an observation. Both follow from the order, so that a
 * case can add or remove a device or a profile.
 */
export function numberedObservation(short: ShortObservation): ShortObservation {
  const { devices = [], profiles = [] } = short.networkManager ?? {};
  const numbered = {
    devices: devices.map((device, index) => ({ path: `Devices/${index + 1}`, ...device })),
    profiles: profiles.map((profile, index) => ({ path: `Settings/${index + 1}`, ...profile })),
  };
  const bridges = numberedBridges(short.ovs?.bridges ?? [], profiles);
  return {
    ...short,
    networkManager: { ...short.networkManager, ...numbered },
    ...(short.ovs !== undefined && { ovs: { ...short.ovs, bridges } }),
  };
}

type ShortBridges = NonNullable<NonNullable<ShortObservation['ovs']>['bridges']>;

/**
 * Adds to the rows of Open vSwitch, unless they have them: UUIDs, the name of a port's interface, and the UUID of the
 * profile, by which NetworkManager recognizes its own rows.
 */
function numberedBridges(bridges: ShortBridges, profiles: readonly Short<NmProfile>[]): ShortBridges {
  let rows = 0;
  const numbered = <T extends { readonly name?: string | undefined }>(row: T, isOf: (type: string) => boolean) => {
    rows += 1;
    const profile = profiles.find(({ settings = {} }) => {
      const { 'interface-name': name, type } = settings.connection ?? {};
      return name === row.name && isOf(String(type));
    });
    return {
      uuid: `00000000-0000-4000-9000-${String(rows).padStart(12, '0')}`,
      externalIds: profile?.uuid === undefined ? {} : { 'NM.connection.uuid': profile.uuid },
      ...row,
    };
  };
  return bridges.map(({ ports = [], ...bridge }) => ({
    ...numbered(bridge, (type) => type === 'ovs-bridge'),
    ports: ports.map(({ interfaces = [], ...port }) => ({
      ...numbered(port, (type) => type === 'ovs-port'),
      interfaces: interfaces.map((entry) =>
        numbered({ name: port.name ?? '', ...entry }, (type) => !['ovs-bridge', 'ovs-port'].includes(type)),
      ),
    })),
  }));
}

/** Returns the short form of an observation. */
export function shortObservation(whole: Observation): ShortObservation {
  const { networkManager: nm = {}, ...others } = { ...whole, ...shortParts(whole) };
  const { devices = [], profiles = [] } = nm;
  const unnumbered = {
    devices: devices.map((device, index) => without(device, { path: `Devices/${index + 1}` })),
    profiles: profiles.map((profile, index) => without(profile, { path: `Settings/${index + 1}` })),
  };
  const bridges = unnumberedBridges(others.ovs?.bridges ?? [], profiles);
  return { ...others, networkManager: { ...nm, ...unnumbered }, ovs: { ...others.ovs, bridges } };
}

/** Returns the rows without the values that numberedBridges() adds. */
function unnumberedBridges(bridges: ShortBridges, profiles: readonly Short<NmProfile>[]): ShortBridges {
  const bare = bridges.map(({ name = '', ports = [] }) => ({
    name,
    ports: ports.map(({ name = '', interfaces = [] }) => ({
      name,
      interfaces: interfaces.map(({ name = '' }) => ({ name })),
    })),
  }));
  const usual = numberedBridges(bare, profiles);
  return bridges.map(({ name = '', ports = [], ...bridge }, index) => ({
    ...without({ externalIds: {}, ...bridge }, usual[index] ?? {}),
    name,
    ports: ports.map(({ name = '', interfaces = [], ...port }, place) => {
      const other = usual[index]?.ports?.[place] ?? {};
      const entries = interfaces.map((entry, at) =>
        without({ externalIds: {}, ...entry }, { ...other.interfaces?.[at], name }),
      );
      return { ...without({ externalIds: {}, ...port }, other), name, interfaces: entries };
    }),
  }));
}

type Parts = Pick<Observation, 'links' | 'networkManager' | 'ovs'>;

/** Returns the complete links and facts of NetworkManager and Open vSwitch for their short form. */
export function wholeParts({ links = [], networkManager = {}, ovs = {} }: Short<Parts>): Parts {
  const nm = withPaths(networkManager, objects, '');
  const { devices = [], activeConnections = [], profiles = [] } = nm;
  const wholeProfiles = profiles.map(wholeProfile);
  return {
    links: links.map(wholeLink),
    networkManager: {
      ...nm,
      devices: devices.map(({ path, interface: name = '', ...device }) => {
        return { path, interface: name, ...usualDevice({ interface: name, ...device }), ...device };
      }),
      activeConnections: activeConnections.map(({ path, devices, state = 2, ...connection }) => {
        const { stateFlags, ...names } = connection;
        return { path, ...usualNames(names.profile, wholeProfiles), ...names, devices, state, stateFlags };
      }),
      profiles: wholeProfiles,
    },
    ovs: {
      ...ovs,
      bridges: (ovs.bridges ?? []).map(({ ports = [], ...bridge }) => ({
        ...usualBridge,
        ...bridge,
        ports: ports.map(({ interfaces = [], ...port }) => ({
          ...usualPort,
          ...port,
          interfaces: interfaces.map((entry) => ({ ...usualInterface, ...entry })),
        })),
      })),
    },
  } as Parts;
}

/** Returns the short form of links and of facts of NetworkManager and Open vSwitch. */
function shortParts({ links, networkManager, ovs }: Parts): Short<Parts> {
  const { profiles } = networkManager;
  return {
    links: links.map(shortLink),
    networkManager: withPaths(
      {
        ...networkManager,
        devices: networkManager.devices.map(({ type, ...device }) => {
          const { path, interface: name, ...special } = without(device, usualDevice({ type, ...device }));
          return { path, interface: name, type, ...special };
        }),
        activeConnections: networkManager.activeConnections.map(({ profile, ...connection }) => {
          const { path, ...special } = without(connection, { ...usualNames(profile, profiles), state: 2 });
          return { path, profile, ...special };
        }),
        profiles: profiles.map(({ settings, ...profile }) => ({
          ...without(profile, { filename: usualFile(profile.id) }),
          settings: mapSettings(settings, (name, values) => shortTexts(without(values, usualOf(profile, name)))),
        })),
      },
      '',
      objects,
    ),
    ovs: {
      ...ovs,
      bridges: ovs.bridges.map(({ ports, ...bridge }) => ({
        ...without(bridge, usualBridge),
        ports: ports.map(({ interfaces, ...port }) => ({
          ...without(port, usualPort),
          interfaces: interfaces.map((entry) => without(entry, usualInterface)),
        })),
      })),
    },
  };
}

function wholeLink({ name, index, mac, addresses = [], ...link }: Short<Link>): Link {
  if (name === 'lo' && index === undefined) return { name, ...usualLoopback } as Link;
  return { name, index, mac, ...usualLink, ...link, addresses: addresses.map(wholeAddress) } as Link;
}

/** Returns the complete address for its short form. */
export function wholeAddress(short: Short<LinkAddress>): LinkAddress {
  return { ...usualAddress, ...(typeof short === 'string' ? addressOf(short) : short) } as LinkAddress;
}

function shortLink({ name, ...link }: Link): Short<Link> {
  if (name === 'lo' && isDeepStrictEqual(link, usualLoopback)) return { name };
  const { addresses, ...special } = link;
  return {
    name,
    ...without(special, usualLink),
    ...(addresses.length > 0 && { addresses: addresses.map(shortAddress) }),
  };
}

function shortAddress(whole: LinkAddress): Short<LinkAddress> {
  const special = without(whole, usualAddress);
  const text = prefixedAddress(whole);
  return isDeepStrictEqual(special, addressOf(text)) ? text : special;
}

/** Parses an address; an address in fe80::/10 has the scope of the link (RFC 4291 section 2.5.6). */
function addressOf(text: string): Partial<LinkAddress> {
  const [address = '', prefixLength] = text.split('/');
  const scope = address.startsWith('fe80:') ? 'link' : 'global';
  return { family: address.includes(':') ? 6 : 4, address, prefixLength: Number(prefixLength), scope };
}

function usualDevice({ type = 0, interface: name = '' }: Short<NmDevice>): Partial<NmDevice> {
  const isVirtual = [25, 26].includes(type);
  return {
    ipInterface: isVirtual ? '' : name,
    type,
    state: 100,
    activeConnection: null,
    ...(isVirtual && { hwAddress: '' }),
    ...((isVirtual || type === 24) && { driver: 'openvswitch' }),
    ...(type === 20 && { driver: 'veth' }),
    ...(type === 32 && { state: 10, hwAddress: '00:00:00:00:00:00', driver: 'unknown' }),
  };
}

function wholeProfile({ settings = {}, ...profile }: Short<NmProfile>): NmProfile {
  const whole = mapSettings(settings as ProfileSettings, (name, values) => {
    const all = { ...usualOf(profile, name), ...wholeTexts(values) };
    return Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
  const { path, uuid, id, filename = usualFile(id) } = profile;
  return { path, uuid, id, filename, ...profile, settings: whole } as NmProfile;
}

function usualFile(id: string | undefined): string {
  return `/etc/NetworkManager/system-connections/${id}.nmconnection`;
}

/** Returns properties in which a plain text stands for a value with the D-Bus signature `s`. */
function shortTexts(values: ProfileSettings[string]): Readonly<Record<string, Short<SettingValue>>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value[0] === 's' ? String(value[1]) : value]),
  );
}

function wholeTexts(values: Readonly<Record<string, Short<SettingValue>>>): ProfileSettings[string] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? ['s', value] : value]),
  );
}

function usualOf(
  { id = '', uuid = '' }: Partial<Pick<NmProfile, 'id' | 'uuid'>>,
  name: string,
): ProfileSettings[string] {
  const names: ProfileSettings[string] = name === 'connection' ? { id: ['s', id], uuid: ['s', uuid] } : {};
  return { ...usualSettings[name], ...names };
}

/** Returns the id, UUID and type of an active connection, which are those of its profile. */
function usualNames(path: string | undefined, profiles: readonly NmProfile[]): Partial<NmActiveConnection> {
  const profile = profiles.find((one) => one.path === path);
  if (profile === undefined) return {};
  const { id, uuid, settings } = profile;
  return { id, uuid, type: String(settings.connection?.type?.[1]) };
}

function mapSettings<Values>(
  settings: ProfileSettings,
  change: (name: string, values: ProfileSettings[string]) => Values,
): Readonly<Record<string, Values>> {
  return Object.fromEntries(Object.entries(settings).map(([name, values]) => [name, change(name, values)]));
}

/** Returns the value without the entries that are equal in the usual value. */
function without<T extends object>(value: T, usual: object): T {
  const other = usual as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(value).filter(([key, item]) => !isDeepStrictEqual(item, other[key]))) as T;
}

/** Returns a copy whose object paths have another prefix. */
function withPaths<T>(value: T, beginning: string, former: string): T {
  const path = new RegExp(`^${former}((?:ActiveConnection|Checkpoint|Devices|Settings)/\\d+)$`);
  return JSON.parse(JSON.stringify(value), (_, item) =>
    typeof item === 'string' ? item.replace(path, `${beginning}$1`) : item,
  ) as T;
}
