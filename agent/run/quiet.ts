import type { Deadline } from '../deadline.ts';
import type { ActivationWatch } from '../drivers/networkmanager/activation.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import {
  activeInterface,
  activeState,
  deviceInterface,
  rootInterface,
  rootPath,
} from '../drivers/networkmanager/names.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';

/** Re-activations that a rollback started take a few seconds; one that waits for a DHCP server that is gone must not hold the return. */
const quietLimitMs = 10_000;

/** NICs in bridges: they hear no answers, and a lease that one of them waits for does not come before it is out. */
export async function portsOf(ovs: OpenVSwitch): Promise<readonly string[]> {
  const { bridges } = await ovs.facts();
  return bridges.flatMap(({ name, ports }) => ports.map((port) => port.name).filter((port) => port !== name));
}

/** Waits until no connection is being activated or deactivated but those of `deaf` NICs, so that what is observed next is not a state in passing. */
export async function quiet(
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
  // A connection that stays in activation (a NIC without a DHCP server) must not hold the return.
  await watch.until('all activations', isQuiet, deadline, quietLimitMs).catch(() => undefined);
}
