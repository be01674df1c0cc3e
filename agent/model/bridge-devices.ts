import { type KnownLinks, linkKindOf, traitsOf } from './link-kinds.ts';
import { isExternal, type Observation, type OvsBridge, type OvsInterface } from './observation.ts';

/** Values of NMDeviceType (veth) and NMDeviceState (unmanaged). */
const vethDevice = 20;
const unmanaged = 10;

/** Returns the kernel devices in an Open vSwitch bridge: its uplink, and devices that other programs have added. */
export function devicesIn(bridge: OvsBridge | undefined): readonly OvsInterface[] {
  const interfaces = bridge?.ports.flatMap((port) => port.interfaces) ?? [];
  return interfaces.filter((entry) => entry.type === '' || entry.type === 'system');
}

/**
 * Returns the devices in a bridge that could be an uplink. Taps, veths of containers, tunnels and database entries of
 * removed devices are left out.
 */
export function nicsIn(bridge: OvsBridge | undefined, known: KnownLinks): readonly OvsInterface[] {
  const isThere = (name: string): boolean => known.links.some((link) => link.name === name);
  return devicesIn(bridge).filter(({ name }) => isThere(name) && mayBeNic(name, known));
}

/**
 * Returns true if a device in a bridge may lead into the LAN: it is neither a tap, nor a container's veth, nor a tunnel
 * or MACsec device.
 */
export function mayBeNic(name: string, known: KnownLinks): boolean {
  const link = known.links.find((entry) => entry.name === name);
  return !isGuestLink(name, known) && (link === undefined || traitsOf(linkKindOf(link, known)).isNic);
}

/**
 * Returns true for a virtual machine's tap, and for the node's end of a container's veth if it has no NetworkManager
 * profile.
 */
export function isGuestLink(name: string, { links, networkManager }: KnownLinks): boolean {
  const isTap = links.some((link) => link.name === name && link.kind === 'tun');
  return isTap || (networkManager !== undefined && isWithoutProfile(name, vethDevice, { networkManager }));
}

/**
 * Returns true if NetworkManager does not manage a device, or only shows the configuration that another program gave
 * it.
 */
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
