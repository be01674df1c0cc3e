import { toPlain } from '../dbus/codec.ts';
import type { NetworkManager } from './nm-client.ts';
import { deviceInterface, deviceType, rootCall } from './nm-names.ts';

/**
 * Returns the path of NetworkManager's object for the kernel device of this name, and not of an Open vSwitch port or
 * bridge that has the same name.
 */
export async function kernelDevice(nm: NetworkManager, name: string): Promise<string> {
  const [path] = await nm.request(`find the device ${name}`, rootCall('GetDeviceByIpIface', 's', name));
  return String(path);
}

/**
 * Returns the paths of NetworkManager's Open vSwitch objects with one of these names and types. A bridge, its port and
 * its internal interface share one name.
 */
export async function ovsDevices(
  nm: NetworkManager,
  names: ReadonlySet<string>,
  types: readonly number[] = Object.values(deviceType),
): Promise<readonly string[]> {
  const objects = await nm.managedObjects();
  return Object.entries(objects).flatMap(([path, { [deviceInterface]: device }]) =>
    names.has(String(toPlain(device?.Interface))) && types.includes(Number(toPlain(device?.DeviceType))) ? [path] : [],
  );
}
