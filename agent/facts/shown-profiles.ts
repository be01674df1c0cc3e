import { deviceType } from '../drivers/networkmanager/nm-names.ts';
import { isExternal, type NetworkManagerFacts, type NmActiveConnection, type NmDevice } from '../model/observation.ts';

/** Values of NMDeviceType. */
const tun = 16;
const loopback = 32;

/**
 * Leaves out the profiles that NetworkManager generates for the configuration of other programs on lo, and on the taps
 * of bridges in Open vSwitch's userspace data path. No user or program wrote the settings of such a profile, and its id
 * is the name of the interface, such as `br-ex`. When NetworkManager first examines a device that it may manage, it
 * generates a profile if the device has addresses (nm-manager.c, recheck_assume_connection and
 * get_existing_connection). The file 50-microshift-net-devices.conf forbids NetworkManager to manage the taps of br-ex
 * and br-ex1. If NetworkManager reads the file only after it has generated a profile, the tap becomes unmanaged, but
 * the profile stays.
 */
export function withoutShown(facts: NetworkManagerFacts): NetworkManagerFacts {
  const ofOvs = facts.devices.filter(({ type }) => type === deviceType.ovsInterface).map((device) => device.interface);
  const isShown = ({ type, interface: name }: NmDevice): boolean =>
    type === loopback || (type === tun && ofOvs.includes(name));
  const paths = facts.devices.filter(isShown).map(({ path }) => path);
  const isMadeUp = (active: NmActiveConnection): boolean =>
    isExternal(active) && active.devices.some((path) => paths.includes(path));
  const uuids = facts.activeConnections.filter(isMadeUp).map(({ uuid }) => uuid);
  return {
    ...facts,
    activeConnections: facts.activeConnections.filter((active) => !isMadeUp(active)),
    profiles: facts.profiles.filter(({ uuid }) => !uuids.includes(uuid)),
  };
}
