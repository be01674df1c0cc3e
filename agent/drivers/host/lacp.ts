import { readFileSync } from 'node:fs';

/** Collecting and distributing of the actor's port state (IEEE 802.1AX section 6.4.2.3): both sides carry traffic on this port. */
const agreed = 0x30;

/** True when LACP has agreed on every port of a bond that has a carrier; also for a device that is no bond. */
export function lacpAgreed(bond: string, root = ''): boolean {
  const directory = `${root}/sys/class/net`;
  const ports = readText(`${directory}/${bond}/bonding/slaves`)?.split(/\s+/).filter(Boolean) ?? [];
  return ports.every((port) => {
    if (readText(`${directory}/${port}/carrier`) !== '1') return true;
    const state = Number(readText(`${directory}/${port}/bonding_slave/ad_actor_oper_port_state`) ?? agreed);
    return (state & agreed) === agreed;
  });
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
