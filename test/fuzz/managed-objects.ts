// NetworkManager's answers in dbus-next's form, made from the observation of a node.
import { Variant } from 'dbus-next/lib/variant.js';
import {
  activeInterface,
  deviceInterface,
  profileInterface,
  rootInterface,
  rootPath,
} from '../../agent/drivers/networkmanager/nm-names.ts';
import type { Observation } from '../../agent/model/observation.ts';

/** Returns the answer to GetManagedObjects, `a{oa{sa{sv}}}`. */
export function managedObjects(node: Observation): Record<string, Record<string, Record<string, Variant>>> {
  const { version, devices, activeConnections, profiles } = node.networkManager;
  const s = (value: string): Variant => new Variant('s', value);
  const u = (value: number): Variant => new Variant('u', value);
  const o = (value: string): Variant => new Variant('o', value);
  return {
    [rootPath]: {
      [rootInterface]: {
        Version: s(version),
        Capabilities: new Variant('au', [1, 2]),
        Checkpoints: new Variant('ao', []),
      },
    },
    ...Object.fromEntries(
      devices.map((device) => [
        device.path,
        {
          [deviceInterface]: {
            Interface: s(device.interface),
            IpInterface: s(device.ipInterface),
            DeviceType: u(device.type),
            State: u(device.state),
            ActiveConnection: o(device.activeConnection ?? '/'),
            HwAddress: s(device.hwAddress),
            Driver: s(device.driver),
          },
        },
      ]),
    ),
    ...Object.fromEntries(
      activeConnections.map((active) => [
        active.path,
        {
          [activeInterface]: {
            Id: s(active.id),
            Uuid: s(active.uuid),
            Type: s(active.type),
            Connection: o(active.profile),
            Devices: new Variant('ao', active.devices),
            State: u(active.state),
            StateFlags: u(active.stateFlags),
          },
        },
      ]),
    ),
    ...Object.fromEntries(
      profiles.map((profile) => [profile.path, { [profileInterface]: { Filename: s(profile.filename) } }]),
    ),
  };
}
