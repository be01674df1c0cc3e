import { existsSync, statSync } from 'node:fs';

/**
 * Returns true if Open vSwitch can make taps (tuntap.rst of the kernel's documentation). The device must exist, whose
 * opening loads the driver if necessary; or the driver must be loaded, if a sandbox hides the device. access(2) is not
 * used, because it evaluates the list of devices that the unit may use.
 */
export function hasTun(): boolean {
  return statSync('/dev/net/tun', { throwIfNoEntry: false }) !== undefined || existsSync('/sys/class/misc/tun');
}
