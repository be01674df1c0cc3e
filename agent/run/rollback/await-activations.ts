import type { Deadline } from '../../deadline.ts';
import type { ActivationWatch } from '../../drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../../drivers/networkmanager/nm-client.ts';
import {
  activeInterface,
  activeState,
  deviceInterface,
  rootInterface,
  rootPath,
} from '../../drivers/networkmanager/nm-names.ts';
import type { OpenVSwitch } from '../../drivers/openvswitch/ovs-client.ts';

/**
 * Time limit for activations to end. Activations that a rollback started take a few seconds; an activation that waits
 * for an absent DHCP server must not delay the rollback for longer.
 */
const quietLimitMs = 10_000;

/**
 * Returns the ports of all bridges, except the internal interfaces of the bridges themselves. A NIC receives no replies
 * while it is a port, so a DHCP exchange on it cannot end before it leaves its bridge.
 */
export async function portsOf(ovs: OpenVSwitch): Promise<readonly string[]> {
  const { bridges } = await ovs.facts();
  return bridges.flatMap(({ name, ports }) => ports.map((port) => port.name).filter((port) => port !== name));
}

/**
 * Waits until NetworkManager neither activates nor deactivates a profile, so that the next observation is not of a
 * transient state. Ignores the NICs in `deaf`, which receive no replies. Returns without an error at the time limit.
 */
export async function awaitActivations(
  watch: ActivationWatch,
  nm: NetworkManager,
  deadline: Deadline,
  deaf: readonly string[],
): Promise<void> {
  const isSettled = async (active: string): Promise<boolean> => {
    const state = await nm.property(active, activeInterface, 'State').catch(() => activeState.activated);
    if (state === activeState.activated) return true;
    const devices = (await nm.property(active, activeInterface, 'Devices').catch(() => [])) as string[];
    const names = await Promise.all(
      devices.map((path) => nm.property(path, deviceInterface, 'Interface').catch(() => '')),
    );
    return names.length > 0 && names.every((name) => deaf.includes(String(name)));
  };
  const isQuiet = async (): Promise<boolean> => {
    const actives = (await nm.property(rootPath, rootInterface, 'ActiveConnections')) as string[];
    return (await Promise.all(actives.map(isSettled))).every((settled) => settled);
  };
  // An activation can last longer than the time limit, for example on a NIC without a DHCP server. The rollback then
  // continues during this activation.
  await watch.until('all activations', isQuiet, deadline, quietLimitMs).catch(() => undefined);
}
