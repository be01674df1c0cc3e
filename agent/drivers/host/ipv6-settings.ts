import { writeFileSync } from 'node:fs';
import { fileText } from './kernel-files.ts';

/** What NetworkManager sets of an interface when it takes it, and may leave there when it lets go of it. */
const keys = ['disable_ipv6', 'accept_ra'];

/**
 * Gives an interface the settings of IPv6 that the kernel gives a new one (ip-sysctl.rst, conf/default), and lets it take addresses of IPv6 where `hasIpv6`.
 * Best effort: a kernel without IPv6 has none of them.
 */
export function resetIpv6Settings(interfaceName: string, hasIpv6: boolean): void {
  for (const key of keys) {
    const file = `/proc/sys/net/ipv6/conf/${interfaceName}/${key}`;
    const wanted = key === 'disable_ipv6' && hasIpv6 ? '0' : fileText(`/proc/sys/net/ipv6/conf/default/${key}`);
    if (wanted === null || fileText(file) === wanted) continue;
    try {
      writeFileSync(file, wanted);
    } catch {
      // The interface has gone, or /proc/sys is read-only here.
    }
  }
}

/** Whether the kernel itself configures IPv6 on an interface from router advertisements (ip-sysctl.rst); NetworkManager turns that off where it does. */
export function takesAdvertisements(interfaceName: string): boolean {
  const read = (key: string): string | null => fileText(`/proc/sys/net/ipv6/conf/${interfaceName}/${key}`);
  return read('disable_ipv6') === '0' && Number(read('accept_ra') ?? 0) > 0;
}
