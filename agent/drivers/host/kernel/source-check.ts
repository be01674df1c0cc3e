import { readFileSync, writeFileSync } from 'node:fs';
import { AgentError } from '../../../errors.ts';

const fileOf = (interfaceName: string): string => `/proc/sys/net/ipv4/conf/${interfaceName}/rp_filter`;

/**
 * Returns the kernel's source validation on an interface (rp_filter, ip-sysctl.rst): `0` off, `1` strict, `2` loose.
 * Fails with `step-failed` if the interface does not exist.
 */
export function readSourceCheck(interfaceName: string): string {
  try {
    return readFileSync(fileOf(interfaceName), 'utf8').trim();
  } catch (cause) {
    throw new AgentError('step-failed', `${fileOf(interfaceName)} cannot be read`, {
      cause,
      hint: `check that ${interfaceName} is there: ip link show ${interfaceName}`,
    });
  }
}

/**
 * Sets the source validation of an interface. With `1`, the node's own IP stack accepts no packet from an interface to
 * which no route leads, not even an ARP request. Open vSwitch reads the interface through a packet socket, and still
 * receives all packets.
 */
export function setSourceCheck(interfaceName: string, value: string): void {
  try {
    writeFileSync(fileOf(interfaceName), value);
  } catch (cause) {
    throw new AgentError('step-failed', `${fileOf(interfaceName)} cannot be written`, {
      cause,
      hint: 'check that no other program keeps /proc/sys read-only',
    });
  }
}
