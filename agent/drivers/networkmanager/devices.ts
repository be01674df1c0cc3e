import { AgentError } from '../../errors.ts';
import { toPlain } from '../dbus/codec.ts';
import type { NetworkManager } from './client.ts';
import { deviceInterface, deviceType, rootCall } from './names.ts';

/** NetworkManager's object for the kernel's device of this name (OVS ports and bridges share names with it). */
export async function kernelDevice(nm: NetworkManager, name: string): Promise<string> {
  const [path] = await nm.request(`find the device ${name}`, rootCall('GetDeviceByIpIface', 's', name));
  return String(path);
}

/** NetworkManager's object for a bridge's own interface: the bridge and its port have objects of the same name. */
export async function ovsInterfaceDevice(nm: NetworkManager, name: string): Promise<string> {
  const objects = await nm.managedObjects();
  const found = Object.entries(objects).find(([, object]) => {
    const device = object[deviceInterface];
    return toPlain(device?.Interface) === name && toPlain(device?.DeviceType) === deviceType.ovsInterface;
  });
  if (found !== undefined) return found[0];
  throw new AgentError('step-failed', `NetworkManager has no device for ${name}`, {
    hint: 'look at `nmcli device` and journalctl -u NetworkManager',
  });
}
