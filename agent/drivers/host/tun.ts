import { existsSync } from 'node:fs';

/**
 * Whether Open vSwitch can make taps (tun.rst of the kernel's documentation): there is the device, whose opening loads the driver where it is not
 * loaded yet; or, where a sandbox hides the device, the driver.
 */
export function hasTun(): boolean {
  return existsSync('/dev/net/tun') || existsSync('/sys/class/misc/tun');
}
