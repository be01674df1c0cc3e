import { readFileSync, writeFileSync } from 'node:fs';
import { AgentError } from '../../errors.ts';

const fileOf = (interfaceName: string): string => `/proc/sys/net/ipv4/conf/${interfaceName}/rp_filter`;

/**
 * Whether the kernel checks the source of what comes in on an interface (rp_filter, ip-sysctl.rst): `0` no, `1` strictly, `2` loosely. Fails with
 * `step-failed` where the interface is gone.
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
 * Sets it. With `1` the node's own IP stack takes nothing from an interface that no route leads through, not even who asks for an IPv4 address;
 * Open vSwitch, which reads the interface by a packet socket, still gets all of it.
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
