import type { Node } from '../assemble.ts';
import type { Deadline } from '../deadline.ts';
import { watchActivations } from '../drivers/networkmanager/activation.ts';
import { activationStates } from '../drivers/networkmanager/activation-states.ts';
import { activeState, rootInterface, rootPath } from '../drivers/networkmanager/names.ts';
import type { NmProfile, Observation } from '../model/observation.ts';
import { bridges, ownerKeys, profileUuid } from '../plan/names.ts';

/**
 * The bridges' own addresses are all there is to wait for: NetworkManager calls a bridge and its ports active as soon as their rows are
 * in the database.
 */
const addressProfiles = bridges.map((names) => profileUuid(names.bridgeInterface));
const uplinkProfiles = bridges.map((names) => profileUuid(names.uplinkInterface));
const portProfiles = bridges.map((names) => profileUuid(names.uplinkPort));
/** NetworkManager attaches the uplink within a second of its start; a busy machine at boot takes some more. */
const attachLimitMs = 6_000;

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
 * Waits until NetworkManager has brought these profiles up, or is not about to: it has finished starting and activates none of them, or
 * it leaves the uplink out of the bridge. Ends at once where neither is the case, and quietly at its limit.
 */
export async function broughtUp(
  node: Node,
  uuids: readonly string[],
  deadline: Deadline,
  limitMs: number,
): Promise<void> {
  const { nm } = node;
  const watch = watchActivations(nm);
  const wait = (condition: () => Promise<boolean>, ms: number): Promise<void> =>
    watch.until('the start of the bridge', condition, deadline, ms).catch((error: unknown) => {
      if (deadline.signal.aborted) throw error;
    });
  const settled = async (): Promise<boolean> => {
    const states = await activationStates(nm, uuids);
    if (states.includes(activeState.activating)) return false;
    const active = states.filter((state) => state === activeState.activated);
    return active.length === uuids.length || (await nm.property(rootPath, rootInterface, 'Startup')) !== true;
  };
  try {
    // After its own restart NetworkManager may call the uplink active without having put it into the bridge (assumed connections).
    const decided = async (): Promise<boolean> =>
      (await activationStates(nm, uplinkProfiles)).includes(activeState.activated) || (await hasUplink(node));
    await wait(async () => (await settled()) || (await decided()), Math.min(attachLimitMs, limitMs));
    // Without its uplink the bridge waits for a lease that cannot come.
    if (await hasUplink(node)) await wait(settled, limitMs);
  } finally {
    watch.stop();
  }
}

/**
 * True when a bridge has a port that NetworkManager has put there for an uplink profile of ours. At a boot the rows of the last one are
 * still in the database, until NetworkManager has cleared them away and begins (nm-ovsdb.c): those do not count.
 */
async function hasUplink({ nm, ovs }: Node): Promise<boolean> {
  if ((await activationStates(nm, portProfiles)).length === 0) return false;
  const facts = await ovs.facts();
  return facts.bridges.some((bridge) =>
    bridge.ports.some((port) => portProfiles.includes(port.externalIds[ownerKeys.networkManager] ?? '')),
  );
}
