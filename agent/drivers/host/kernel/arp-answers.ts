import { writeFileSync } from 'node:fs';
import { fileText } from '../files/kernel-files.ts';

const fileOf = (interfaceName: string): string => `/proc/sys/net/ipv4/conf/${interfaceName}/arp_ignore`;
const [everyLocal, exceptHostScope] = ['0', '3'];

/**
 * Lets an interface answer ARP for the local addresses of every interface, except addresses of scope host
 * (ip-sysctl.rst, arp_ignore 3); by default, the kernel also answers for addresses of scope host. Changes nothing if an
 * administrator has set another value for the interface or for all interfaces, because the kernel uses the larger of
 * the two values. Best effort: does nothing if the interface no longer exists or /proc/sys is read-only.
 */
export function ignoreHostScope(interfaceName: string): void {
  const names = ['all', interfaceName];
  if (names.every((name) => read(name) === everyLocal)) write(interfaceName, exceptHostScope);
}

/**
 * Lets an interface answer ARP for every local address again: changes arp_ignore from 3 to 0, and leaves every other
 * value.
 */
export function answerForEvery(interfaceName: string): void {
  if (read(interfaceName) === exceptHostScope) write(interfaceName, everyLocal);
}

function read(name: string): string | undefined {
  return fileText(fileOf(name))?.trim();
}

function write(interfaceName: string, value: string): void {
  try {
    writeFileSync(fileOf(interfaceName), value);
  } catch {
    // A failed write is ignored: the interface no longer exists, or /proc/sys is read-only.
  }
}
