import { existsSync, statSync } from 'node:fs';

/**
 * Whether Open vSwitch can make taps (tuntap.rst of the kernel's documentation): there is the device, whose opening loads the driver where it is not
 * loaded yet; or, where a sandbox hides the device, the driver. Not by access(2), which asks the list of devices that a unit may use.
 */
export function hasTun(): boolean {
  return statSync('/dev/net/tun', { throwIfNoEntry: false }) !== undefined || existsSync('/sys/class/misc/tun');
}
