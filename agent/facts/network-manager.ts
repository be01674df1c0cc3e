import { toPlain } from '../drivers/dbus/codec.ts';
import type { NetworkManager } from '../drivers/networkmanager/nm-client.ts';
import {
  activeInterface,
  deviceInterface,
  deviceType,
  dhcp4Interface,
  dhcp6Interface,
  profileInterface,
  rootInterface,
  rootPath,
  wiredInterface,
} from '../drivers/networkmanager/nm-names.ts';
import type { ManagedObject } from '../drivers/networkmanager/shapes.ts';
import { isAgentError } from '../errors.ts';
import type {
  DhcpIdentity,
  NetworkManagerFacts,
  NmActiveConnection,
  NmDevice,
  NmProfile,
} from '../model/observation.ts';
import { escapeText } from '../printable.ts';
import { connectionDefaults, readManagerConfig } from './manager-defaults.ts';
import { mergeConfig } from './merge-config.ts';
import { withoutShown } from './shown-profiles.ts';

/**
 * Length in characters at which names of profiles are cut. They appear in messages, and every user who may add a
 * profile can choose any name.
 */
const longestId = 256;

/** Value of NMCapability for Open vSwitch, which NetworkManager has if its plugin for Open vSwitch is loaded. */
const ovsCapability = 2;

/**
 * Reads the devices, active connections, checkpoints and profiles of NetworkManager. Leaves out the profiles that
 * NetworkManager has generated for lo and for taps of bridges (facts/shown-profiles.ts). The read takes one round trip
 * for all objects, then one for each profile, in parallel.
 */
export async function observeNetworkManager(nm: NetworkManager): Promise<NetworkManagerFacts> {
  const objects = await nm.managedObjects();
  const withInterface = (name: string) =>
    Object.entries(objects).flatMap(([path, { [name]: properties }]) =>
      properties === undefined ? [] : [[path, properties] as const],
    );
  const profiles = await Promise.all(
    withInterface(profileInterface).map(([path, properties]) => readProfile(nm, path, properties)),
  );
  const root = objects[rootPath]?.[rootInterface] ?? {};
  const capabilities = toPlain(root.Capabilities);
  const [files, version] = [readManagerConfig(), text(root.Version)];
  const defaults = connectionDefaults(files, version);
  const config = mergeConfig(files, version).filter(({ name }) => /^(keyfile$|device)/.test(name));
  return withoutShown({
    version: text(root.Version),
    ovsPlugin: Array.isArray(capabilities) && capabilities.includes(ovsCapability),
    devices: withInterface(deviceInterface).map(([path, properties]) => ({
      ...readDevice(path, properties, objects[path]?.[wiredInterface] ?? {}),
      dhcp: readDhcp(properties, objects),
    })),
    activeConnections: withInterface(activeInterface).map(([path, properties]) => readActive(path, properties)),
    profiles: profiles.filter((profile) => profile !== null),
    checkpoints: texts(root.Checkpoints),
    ...(defaults.length === 0 ? {} : { defaults }),
    ...(config.length > 0 && { config }),
  });
}

/**
 * Reads a profile. Returns null if NetworkManager no longer has the profile, because it was deleted after the listing,
 * or if the profile's settings do not have the expected form. If NetworkManager stops, the observation fails, because a
 * NIC without profiles would look unconfigured.
 */
async function readProfile(nm: NetworkManager, path: string, properties: Properties): Promise<NmProfile | null> {
  const settings = await nm.profileSettings(path).catch((error: unknown) => {
    if (isAgentError(error) && error.kind !== 'networkmanager-refused') throw error;
    return null;
  });
  if (settings === null) return null;
  return {
    path,
    uuid: String(settings.connection?.uuid?.[1] ?? ''),
    id: escapeText(String(settings.connection?.id?.[1] ?? ''), longestId),
    filename: text(properties.Filename),
    settings,
  };
}

function readDevice(path: string, properties: Properties, wired: Properties): NmDevice {
  return {
    path,
    interface: text(properties.Interface),
    ipInterface: text(properties.IpInterface),
    ...(number(properties.DeviceType) === deviceType.ovsInterface && text(properties.Udi) === ''
      ? { lacksLink: true }
      : {}),
    type: number(properties.DeviceType),
    state: number(properties.State),
    activeConnection: objectPath(properties.ActiveConnection),
    hwAddress: text(properties.HwAddress),
    permanentHwAddress: text(wired.PermHwAddress),
    driver: text(properties.Driver),
  };
}

function readDhcp(properties: Properties, objects: Readonly<Record<string, ManagedObject>>): DhcpIdentity | null {
  const options = (path: string | null, interfaceName: string): Record<string, unknown> | null =>
    path === null ? null : (toPlain(objects[path]?.[interfaceName]?.Options) as Record<string, unknown> | null);
  const dhcp4 = options(objectPath(properties.Dhcp4Config), dhcp4Interface);
  const dhcp6 = options(objectPath(properties.Dhcp6Config), dhcp6Interface);
  if (dhcp4 === null && dhcp6 === null) return null;
  const word = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  return {
    clientId: word(dhcp4?.dhcp_client_identifier),
    duid: word(dhcp6?.dhcp6_client_id),
    iaid: word(dhcp6?.iaid),
    ...given('address', word(dhcp4?.ip_address)),
    ...given('routers', word(dhcp4?.routers)?.split(/[ ,]+/) ?? null),
  };
}

function given<K extends string, V>(key: K, value: V | null): { readonly [k in K]?: V } {
  return (value === null ? {} : { [key]: value }) as { readonly [k in K]?: V };
}

function readActive(path: string, properties: Properties): NmActiveConnection {
  return {
    path,
    id: escapeText(text(properties.Id), longestId),
    uuid: text(properties.Uuid),
    type: text(properties.Type),
    profile: text(properties.Connection),
    devices: texts(properties.Devices),
    state: number(properties.State),
    stateFlags: number(properties.StateFlags),
  };
}

/**
 * Properties of a D-Bus object as dbus-next returns them: each value is wrapped in a Variant. Only properties that the
 * agent reads are unwrapped, because an object has dozens of properties and a node hundreds of objects.
 */
type Properties = ManagedObject[string];

function text(value: unknown): string {
  return String(toPlain(value) ?? '');
}

function number(value: unknown): number {
  return Number(toPlain(value) ?? 0);
}

function texts(value: unknown): string[] {
  const plain = toPlain(value);
  return Array.isArray(plain) ? plain.map(String) : [];
}

/** Returns an object path; null for the path `/`, which stands for no object in D-Bus. */
function objectPath(value: unknown): string | null {
  const path = text(value);
  return path === '' || path === '/' ? null : path;
}
