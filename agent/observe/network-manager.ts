import { toPlain } from '../drivers/dbus/codec.ts';
import type { ManagedObject, NetworkManager } from '../drivers/networkmanager/client.ts';
import {
  activeInterface,
  deviceInterface,
  profileInterface,
  rootInterface,
  rootPath,
} from '../drivers/networkmanager/names.ts';
import type { NetworkManagerFacts, NmActiveConnection, NmDevice, NmProfile } from '../model/observation.ts';

/** NMCapability: OVS, set when the plugin is loaded. */
const ovsCapability = 2;

/** Reads devices, active connections, checkpoints and every profile of NetworkManager: one round trip, plus one per profile in flight at once. */
export async function observeNetworkManager(nm: NetworkManager): Promise<NetworkManagerFacts> {
  const objects = await nm.managedObjects();
  const root = plainProperties(objects[rootPath], rootInterface);
  const withInterface = (name: string): [string, ManagedObject][] =>
    Object.entries(objects).filter(([, object]) => name in object);
  const profiles = await Promise.all(
    withInterface(profileInterface).map(([path, object]) =>
      readProfile(nm, path, plainProperties(object, profileInterface)),
    ),
  );
  return {
    version: String(root.Version ?? ''),
    ovsPlugin: Array.isArray(root.Capabilities) && root.Capabilities.includes(ovsCapability),
    devices: withInterface(deviceInterface).map(([path, object]) =>
      readDevice(path, plainProperties(object, deviceInterface)),
    ),
    activeConnections: withInterface(activeInterface).map(([path, object]) =>
      readActive(path, plainProperties(object, activeInterface)),
    ),
    profiles: profiles.filter((profile) => profile !== null),
    checkpoints: Array.isArray(root.Checkpoints) ? root.Checkpoints.map(String) : [],
  };
}

/** A profile; null when it was deleted between listing and reading. */
async function readProfile(
  nm: NetworkManager,
  path: string,
  properties: Record<string, unknown>,
): Promise<NmProfile | null> {
  const settings = await nm.profileSettings(path).catch(() => null);
  if (settings === null) return null;
  return {
    path,
    uuid: String(settings.connection?.uuid?.[1] ?? ''),
    id: String(settings.connection?.id?.[1] ?? ''),
    filename: String(properties.Filename ?? ''),
    settings,
  };
}

function readDevice(path: string, properties: Record<string, unknown>): NmDevice {
  return {
    path,
    interface: String(properties.Interface ?? ''),
    ipInterface: String(properties.IpInterface ?? ''),
    type: Number(properties.DeviceType ?? 0),
    state: Number(properties.State ?? 0),
    activeConnection: objectPath(properties.ActiveConnection),
    hwAddress: String(properties.HwAddress ?? ''),
    driver: String(properties.Driver ?? ''),
  };
}

function readActive(path: string, properties: Record<string, unknown>): NmActiveConnection {
  return {
    path,
    id: String(properties.Id ?? ''),
    uuid: String(properties.Uuid ?? ''),
    type: String(properties.Type ?? ''),
    profile: String(properties.Connection ?? ''),
    devices: Array.isArray(properties.Devices) ? properties.Devices.map(String) : [],
    state: Number(properties.State ?? 0),
    stateFlags: Number(properties.StateFlags ?? 0),
  };
}

function plainProperties(object: ManagedObject | undefined, interfaceName: string): Record<string, unknown> {
  const properties = object?.[interfaceName] ?? {};
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, toPlain(value)]));
}

/** D-Bus writes "none" as the path `/`. */
function objectPath(value: unknown): string | null {
  return value === undefined || value === '/' ? null : String(value);
}
