import { toPlain } from '../dbus/codec.ts';
import type { NetworkManager } from './client.ts';
import { deviceInterface, deviceType, rootCall } from './names.ts';

/** NetworkManager's object for the kernel's device of this name (OVS ports and bridges share names with it). */
export async function kernelDevice(nm: NetworkManager, name: string): Promise<string> {
  const [path] = await nm.request(`find the device ${name}`, rootCall('GetDeviceByIpIface', 's', name));
  return String(path);
}

/** NetworkManager's objects of Open vSwitch with this name: a bridge, its port and its own interface share one. */
export async function ovsDevices(
  nm: NetworkManager,
  name: string,
  types: readonly number[] = Object.values(deviceType),
): Promise<readonly string[]> {
  const objects = await nm.managedObjects();
  return Object.entries(objects).flatMap(([path, { [deviceInterface]: device }]) =>
    toPlain(device?.Interface) === name && types.includes(Number(toPlain(device?.DeviceType))) ? [path] : [],
  );
}
