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
 * Limit for the restart of NetworkManager and Open vSwitch. systemd restarts them within seconds; a longer absence
 * needs a person.
 */
const comeBackMs = 30_000;
/** Time after which NetworkManager's timer has certainly expired, however late it was extended. */
const unaidedAfterMs = checkpointSeconds * 1000 + 1_000;

/**
 * Returns the open connections if they work, otherwise new ones as soon as D-Bus, NetworkManager and Open vSwitch run.
 * `previous`: state before the transaction, of which NetworkManager's own rollback would remove the bridges of
 * MicroShift.
 */
export async function reconnectNode(
  node: Node,
  previous: Wanted,
  deadline: Deadline,
  say: (message: string) => void,
): Promise<Node> {
  if (await works(node)) return node;
  // The call fails if Open vSwitch is the service that does not run; the bridges are observed again after its return.
  await keepUnaided(previous).catch(() => undefined);
  return openNodeWithin(comeBackMs, deadline, say);
}

/** Keeps the bridges of MicroShift over a rollback of NetworkManager's checkpoint timer; does not need D-Bus. */
async function keepUnaided(previous: Wanted): Promise<void> {
  const ports = await openTuning();
  await endingWith(
    () => keepLeftBridges(previous, ports.ovs),
    () => ports.close(),
  );
}

/**
 * Opens connections as soon as D-Bus, NetworkManager and Open vSwitch run. At the limit, fails with the error of the
 * one that is missing.
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

/** Access of a rollback to the services of the node, and to the node without NetworkManager. */
export interface ReconnectPorts<Connections> {
  /** Returns a working connection: the open one, or a new one if it was lost. Waits for NetworkManager to run again. */
  readonly reconnect: (deadline: Deadline) => Promise<Connections>;
  /**
   * Completes the rollback of NetworkManager's checkpoint timer in Open vSwitch and the kernel. Returns true if both are in the
   * old state then. Does not need NetworkManager.
   */
  readonly completeUnaided: () => Promise<boolean>;
  /** Makes NICs answer again that still have their addresses; does not need NetworkManager. */
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
  // Without Open vSwitch the state is not known yet.
  const isRestored = (): Promise<boolean> => completeUnaided().catch(() => false);
  const reconnected: Promise<Connections | null> = reconnect(deadline).catch(async (error: unknown) => {
    // LACP or a lease can take longer after NetworkManager's rollback than the first check waits.
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
