import { writeFileSync } from 'node:fs';
import { fileText } from '../files/kernel-files.ts';

/**
 * IPv6 settings that NetworkManager changes on a managed interface, and may not restore when the interface becomes
 * unmanaged.
 */
const keys = ['disable_ipv6', 'accept_ra'];

/**
 * Resets the IPv6 settings of an interface to the kernel's defaults for new interfaces (ip-sysctl.rst, conf/default),
 * and enables IPv6 addresses if `hasIpv6` is true. Best effort: a kernel without IPv6 has no such settings.
 */
export function resetIpv6Settings(interfaceName: string, hasIpv6: boolean): void {
  for (const key of keys) {
    const file = `/proc/sys/net/ipv6/conf/${interfaceName}/${key}`;
    const wanted = key === 'disable_ipv6' && hasIpv6 ? '0' : fileText(`/proc/sys/net/ipv6/conf/default/${key}`);
    if (wanted === null || fileText(file) === wanted) continue;
    write(file, wanted);
  }
}

const detectionOf = (interfaceName: string): string => `/proc/sys/net/ipv6/conf/${interfaceName}/accept_dad`;
const off = '0';

/**
 * Disables duplicate address detection on an interface, so that the kernel uses an address as soon as it is added
 * (ip-sysctl.rst, accept_dad; of this value and that of conf/all, the kernel uses the larger one). Returns a function
 * that restores the former value. Best effort: changes nothing without IPv6, or if /proc/sys is read-only.
 */
export function disableDetection(interfaceName: string): () => void {
  const former = fileText(detectionOf(interfaceName));
  if (former === null || former === off) return () => undefined;
  write(detectionOf(interfaceName), off);
  return () => write(detectionOf(interfaceName), former);
}

/**
 * Enables duplicate address detection again, with the value for new interfaces (conf/default), in case a run that
 * crashed has left it disabled.
 */
export function enableDetection(interfaceName: string): void {
  const usual = fileText(detectionOf('default'));
  if (usual !== null && fileText(detectionOf(interfaceName)) === off) write(detectionOf(interfaceName), usual);
}

const advertisementsOf = (interfaceName: string): string => `/proc/sys/net/ipv6/conf/${interfaceName}/accept_ra`;

/**
 * Returns true if accept_ra of an interface is above 0. The kernel then accepts router advertisements as soon as the
 * interface has IPv6 addresses; with the value 1, only while forwarding is disabled (ip-sysctl.rst, accept_ra). Returns
 * false if the interface or IPv6 is absent.
 */
export function acceptsAdvertisements(interfaceName: string): boolean {
  return Number(fileText(advertisementsOf(interfaceName)) ?? off) > 0;
}

/**
 * Makes the kernel ignore router advertisements on an interface. Returns the reason if the kernel does not accept the
 * setting; null if it does, or if the interface or IPv6 is absent.
 */
export function ignoreAdvertisements(interfaceName: string): string | null {
  if (!acceptsAdvertisements(interfaceName)) return null;
  write(advertisementsOf(interfaceName), off);
  return acceptsAdvertisements(interfaceName) ? `${advertisementsOf(interfaceName)} cannot be written` : null;
}

function write(file: string, value: string): void {
  try {
    writeFileSync(file, value);
  } catch {
    // A failed write is ignored: the interface no longer exists, or /proc/sys is read-only.
  }
}

/**
 * Returns true if IPv6 is enabled on an interface and accept_ra lets the kernel itself configure IPv6 from router
 * advertisements. NetworkManager disables this on interfaces whose IPv6 it configures itself.
 */
export function takesAdvertisements(interfaceName: string): boolean {
  return (
    fileText(`/proc/sys/net/ipv6/conf/${interfaceName}/disable_ipv6`) === '0' && acceptsAdvertisements(interfaceName)
  );
}
