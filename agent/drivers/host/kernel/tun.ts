import { existsSync, statSync } from 'node:fs';

/**
 * Returns true if Open vSwitch can create taps (tuntap.rst of the kernel's documentation). Either the device exists,
 * and opening it loads the driver if necessary; or the driver is loaded, and a sandbox hides the device. access(2) is
 * not used, because its result depends on the list of devices that the unit may use.
 */
export function hasTun(): boolean {
  return statSync('/dev/net/tun', { throwIfNoEntry: false }) !== undefined || existsSync('/sys/class/misc/tun');
}
