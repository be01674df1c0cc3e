import type { Deadline } from '../deadline.ts';
import type { ActivationWatch } from '../drivers/networkmanager/activation.ts';
import { activationStates } from '../drivers/networkmanager/activation-states.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { activeState } from '../drivers/networkmanager/names.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import type { OvsFacts } from '../model/observation.ts';
import type { StrayPort } from '../model/plan.ts';

/** NetworkManager takes a device down in some hundred milliseconds; a bond has to let go of its ports first. */
const endLimitMs = 5_000;

/**
 * Takes a NIC out of a bridge that it was not in before. After a rollback NetworkManager removes rows that it has seen attached; when the
 * rollback came between the start of the activation and that, the NIC would stay in the bridge and its own profile wait for a
 * lease in vain.
 */
export async function freeStrayUplinks(
  connections: { readonly nm: NetworkManager; readonly ovs: OpenVSwitch },
  watch: ActivationWatch,
  strayPorts: (facts: OvsFacts) => readonly StrayPort[],
  deadline: Deadline,
): Promise<void> {
  const { nm, ovs } = connections;
  const strays = strayPorts(await ovs.facts());
  if (strays.length === 0) return;
  const profiles = strays.map((stray) => stray.profile);
  let states: readonly number[] = [];
  const decided = async (): Promise<boolean> => {
    states = await activationStates(nm, profiles);
    return states.length === 0 || states.includes(activeState.activated);
  };
  await watch.until('the end of the uplink', decided, deadline, endLimitMs).catch(() => undefined);
  // NetworkManager removes its rows while it ends a connection: what is there afterwards is nobody's.
  if (states.length > 0) return;
  for (const stray of strayPorts(await ovs.facts())) await ovs.returnBridge(stray, stray.port);
}
