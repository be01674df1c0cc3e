import type { Deadline } from '../deadline.ts';
import type { ActivationWatch } from '../drivers/networkmanager/activation.ts';
import { activationStates } from '../drivers/networkmanager/activation-states.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { activeState } from '../drivers/networkmanager/names.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import type { Wanted } from '../model/plan.ts';
import { type BridgeNames, bridges, ownerKeys, profileUuid } from '../plan/names.ts';

/** NetworkManager takes a device down in some hundred milliseconds; a bond has to let go of its ports first. */
const endLimitMs = 5_000;

interface StrayPort {
  readonly names: BridgeNames;
  readonly port: string;
}

/**
 * Takes a NIC out of a bridge that it was not in before. After a rollback NetworkManager removes rows that it has seen attached; when the
 * rollback came between the start of the activation and that, the NIC would stay in the bridge and its own profile wait for a
 * lease in vain.
 */
export async function freeStrayUplinks(
  connections: { readonly nm: NetworkManager; readonly ovs: OpenVSwitch },
  watch: ActivationWatch,
  previous: Wanted,
  deadline: Deadline,
): Promise<void> {
  const { nm, ovs } = connections;
  const strays = await strayPorts(ovs, previous);
  if (strays.length === 0) return;
  const profiles = strays.map(({ names }) => profileUuid(names.uplinkInterface));
  let states: readonly number[] = [];
  const decided = async (): Promise<boolean> => {
    states = await activationStates(nm, profiles);
    return states.length === 0 || states.includes(activeState.activated);
  };
  await watch.until('the end of the uplink', decided, deadline, endLimitMs).catch(() => undefined);
  // NetworkManager removes its rows while it ends a connection: what is there afterwards is nobody's.
  if (states.length > 0) return;
  for (const { names, port } of await strayPorts(ovs, previous))
    await ovs.returnBridge({ bridge: names.bridge, markKey: ownerKeys.borrowed }, port);
}

/** Ports with an uplink profile of ours in bridges that had another uplink before, or none, or were not there. */
async function strayPorts(ovs: OpenVSwitch, previous: Wanted): Promise<readonly StrayPort[]> {
  const facts = await ovs.facts();
  return bridges.flatMap((names) => {
    const row = facts.bridges.find((entry) => entry.name === names.bridge);
    const before = previous.bridges.find((entry) => entry.bridge === names.bridge)?.uplink?.interface;
    return (row?.ports ?? [])
      .filter((port) => port.externalIds[ownerKeys.networkManager] === profileUuid(names.uplinkPort))
      .filter((port) => port.name !== before)
      .map((port) => ({ names, port: port.name }));
  });
}
