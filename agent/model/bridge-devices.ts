import { type KnownLinks, linkKindOf, traitsOf } from './link-kinds.ts';
import { isExternal, type Observation, type OvsBridge, type OvsInterface } from './observation.ts';

/** NMDeviceType veth; NMDeviceState unmanaged. */
const vethDevice = 20;
const unmanaged = 10;

/** Devices of the kernel's in an Open vSwitch bridge: its uplink, and what others have put into it. */
export function devicesIn(bridge: OvsBridge | undefined): readonly OvsInterface[] {
  const interfaces = bridge?.ports.flatMap((port) => port.interfaces) ?? [];
  return interfaces.filter((entry) => entry.type === '' || entry.type === 'system');
}

/** Returns the devices in a bridge that could be an uplink: neither cables of guests, nor tunnels, nor database entries of removed devices. */
export function nicsIn(bridge: OvsBridge | undefined, known: KnownLinks): readonly OvsInterface[] {
  const isThere = (name: string): boolean => known.links.some((link) => link.name === name);
  return devicesIn(bridge).filter(({ name }) => isThere(name) && mayBeNic(name, known));
}

/** Whether a device in a bridge may be a way into the LAN: no cable of a guest, and no tunnel or MACsec device that others put there. */
export function mayBeNic(name: string, known: KnownLinks): boolean {
  const link = known.links.find((entry) => entry.name === name);
  return !isGuestCable(name, known) && (link === undefined || traitsOf(linkKindOf(link, known)).isNic);
}

/** True for a node's end of the cable of a virtual machine (tap) or of a container (veth) that nobody gave a profile. */
export function isGuestCable(name: string, { links, networkManager }: KnownLinks): boolean {
  const isTap = links.some((link) => link.name === name && link.kind === 'tun');
  return isTap || (networkManager !== undefined && isWithoutProfile(name, vethDevice, { networkManager }));
}

/** Not managed by NetworkManager at all, or shown with what somebody else configured on it. */
export function isWithoutProfile(
  name: string,
  type: number,
  { networkManager }: Pick<Observation, 'networkManager'>,
): boolean {
  const device = networkManager.devices.find((entry) => entry.interface === name && entry.type === type);
  if (device === undefined) return false;
  const active = networkManager.activeConnections.find((entry) => entry.path === device.activeConnection);
  return device.state === unmanaged || (active !== undefined && isExternal(active));
}
