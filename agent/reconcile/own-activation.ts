import type { Node } from '../assemble.ts';
import type { Deadline } from '../deadline.ts';
import { watchActivations } from '../drivers/networkmanager/activation.ts';
import { activationStates } from '../drivers/networkmanager/activation-states.ts';
import { activeState, rootInterface, rootPath } from '../drivers/networkmanager/names.ts';
import type { NmProfile, Observation } from '../model/observation.ts';
import { bridges, profileUuid } from '../plan/names.ts';

/**
 * The bridges' own addresses are all there is to wait for: NetworkManager calls a bridge and its ports active as soon as their rows are
 * in the database.
 */
const addressProfiles = bridges.map((names) => profileUuid(names.bridgeInterface));

/**
 * Profiles of ours that connect by themselves and are not active. NetworkManager may be about to bring them up, as at a boot with
 * `persist: true` and after its own restart; a transaction begun now would build anew what is coming.
 */
export function mayComeByThemselves({ networkManager }: Observation): readonly string[] {
  const isActive = ({ uuid }: NmProfile): boolean =>
    networkManager.activeConnections.some((active) => active.uuid === uuid && active.state === activeState.activated);
  return networkManager.profiles
    .filter(
      (profile) =>
        addressProfiles.includes(profile.uuid) &&
        profile.settings.connection?.autoconnect?.[1] !== false &&
        !isActive(profile),
    )
    .map((profile) => profile.uuid);
}

/**
 * Waits until NetworkManager has brought these profiles up, or is not about to: it has finished starting and activates none of them.
 * Ends at once where neither is the case, and quietly at its limit.
 */
export async function broughtUp(
  node: Node,
  uuids: readonly string[],
  deadline: Deadline,
  limitMs: number,
): Promise<void> {
  const { nm } = node;
  const watch = watchActivations(nm);
  const settled = async (): Promise<boolean> => {
    const states = await activationStates(nm, uuids);
    if (states.includes(activeState.activating)) return false;
    const active = states.filter((state) => state === activeState.activated);
    return active.length === uuids.length || (await nm.property(rootPath, rootInterface, 'Startup')) !== true;
  };
  try {
    await watch.until('the start of the bridge', settled, deadline, limitMs).catch((error: unknown) => {
      if (deadline.signal.aborted) throw error;
    });
  } finally {
    watch.stop();
  }
}
