import { type Deadline, monotonicMs, throwIfStopped } from '../../deadline.ts';
import { daemonCall } from '../../drivers/dbus/bus-connection.ts';
import { serviceEvent } from '../../drivers/host/process/service-event.ts';
import { service } from '../../drivers/networkmanager/nm-names.ts';
import { asAgentError } from '../../errors.ts';
import { endingWith } from '../../failures.ts';
import type { Wanted } from '../../model/plan.ts';
import { checkpointSeconds } from '../checkpoint-timer.ts';
import { type Node, openNode, openTuning } from '../node.ts';
import { keepLeftBridges } from './left-bridges.ts';

/**
 * Time limit for NetworkManager and Open vSwitch to start again. systemd restarts them within seconds; a longer absence
 * has to be corrected by a person.
 */
const comeBackMs = 30_000;
/**
 * Time after which the timer of NetworkManager's checkpoint has expired, even if it was extended just before
 * NetworkManager became unreachable.
 */
const unaidedAfterMs = checkpointSeconds * 1000 + 1_000;

/**
 * Returns the open connections if they work, otherwise new ones as soon as D-Bus, NetworkManager and Open vSwitch run.
 * `previous` is the state before the transaction. NetworkManager may roll back by itself meanwhile, so MicroShift's
 * bridges in `previous` are first protected from this rollback.
 */
export async function reconnectNode(
  node: Node,
  previous: Wanted,
  deadline: Deadline,
  say: (message: string) => void,
): Promise<Node> {
  if (await works(node)) return node;
  // If Open vSwitch itself is not running, MicroShift's bridges cannot be protected now. This failure is ignored,
  // because the bridges are observed again once Open vSwitch is running.
  await keepUnaided(previous).catch(() => undefined);
  return openNodeWithin(comeBackMs, deadline, say);
}

/**
 * Removes NetworkManager's mark from MicroShift's bridges, so that a rollback by the checkpoint's timer keeps them.
 * Does not need D-Bus.
 */
async function keepUnaided(previous: Wanted): Promise<void> {
  const ports = await openTuning();
  await endingWith(
    () => keepLeftBridges(previous, ports.ovs),
    () => ports.close(),
  );
}

/**
 * Opens connections as soon as D-Bus, NetworkManager and Open vSwitch run. Fails at the time limit with the error of
 * the service that is missing.
 */
export async function openNodeWithin(
  limitMs: number,
  deadline: Deadline,
  say: (message: string) => void,
): Promise<Node> {
  const waitMs = Math.min(limitMs, deadline.remainingMs());
  const giveUp = monotonicMs() + waitMs;
  let said = false;
  for (;;) {
    throwIfStopped(deadline);
    try {
      return await openNode();
    } catch (error) {
      if (monotonicMs() > giveUp) throw error;
      if (!said)
        say(`waiting up to ${Math.ceil(waitMs / 1000)} s for services to come back: ${asAgentError(error).message}`);
      said = true;
      await serviceEvent();
    }
  }
}

/**
 * Functions by which a rollback reaches the services of the node again, or restores the node without NetworkManager.
 */
export interface ReconnectPorts<Connections> {
  /** Returns the open connections if they work, otherwise new ones once NetworkManager runs again. */
  readonly reconnect: (deadline: Deadline) => Promise<Connections>;
  /**
   * Restores the parts that NetworkManager's checkpoint does not contain: bridges in Open vSwitch, and settings of the
   * kernel. Returns true if both are in the old state afterwards. Does not need NetworkManager.
   */
  readonly completeUnaided: () => Promise<boolean>;
  /**
   * Removes from the bridges the NICs that still have their addresses, so that the node is reachable through them. Does
   * not need NetworkManager.
   */
  readonly freeAddressed: () => Promise<void>;
}

/**
 * Returns working connections; null if NetworkManager is unreachable and its checkpoint timer has restored the old
 * state.
 */
export async function reconnectOrRestored<Connections>(
  { reconnect, completeUnaided, freeAddressed }: ReconnectPorts<Connections>,
  deadline: Deadline,
): Promise<Connections | null> {
  // If Open vSwitch, like NetworkManager, is not running, the old state cannot be proved and counts as not restored.
  const isRestored = (): Promise<boolean> => completeUnaided().catch(() => false);
  const reconnected: Promise<Connections | null> = reconnect(deadline).catch(async (error: unknown) => {
    // The state is checked a second time. The first check takes place when the checkpoint's timer has expired, and LACP
    // or DHCP after NetworkManager's rollback can end later.
    if (await isRestored()) return null;
    await freeAddressed().catch(() => undefined);
    throw error;
  });
  let timer: NodeJS.Timeout | undefined;
  const unaided = new Promise<Connections | null>((resolve, reject) => {
    const look = async (): Promise<Connections | null> => ((await isRestored()) ? null : reconnected);
    timer = setTimeout(() => look().then(resolve, reject), unaidedAfterMs);
  });
  return Promise.race([reconnected, unaided]).finally(() => clearTimeout(timer));
}

async function works(node: Node): Promise<boolean> {
  const alive = node.bus.call(daemonCall('GetNameOwner', service));
  return Promise.all([alive, node.nm.profilePaths(), node.ovs.facts()]).then(
    () => true,
    () => false,
  );
}
