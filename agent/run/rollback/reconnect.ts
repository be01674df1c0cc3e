import { type Deadline, monotonicMs, throwIfStopped } from '../../deadline.ts';
import { daemonCall } from '../../drivers/dbus/bus-connection.ts';
import { serviceEvent } from '../../drivers/host/process/service-event.ts';
import { service } from '../../drivers/networkmanager/nm-names.ts';
import { asAgentError } from '../../errors.ts';
import { bridgesOf } from '../../model/names.ts';
import { addressesOf, isBindable, type Link } from '../../model/observation.ts';
import type { LinkAddresses, Wanted } from '../../model/plan.ts';
import { isOfMicroShift } from '../../plan/bridge/microshift-bridge.ts';
import { checkpointSeconds } from '../checkpoint-timer.ts';
import { type Node, openNode, openTuning } from '../node.ts';

/**
 * Limit for the restart of NetworkManager and Open vSwitch. systemd restarts them within seconds; a longer absence
 * needs a person.
 */
const comeBackMs = 30_000;
/** Time after which NetworkManager's timer has certainly expired, however late it was extended. */
const unaidedAfterMs = checkpointSeconds * 1000 + 1_000;

/**
 * Returns the open connections if they work, otherwise new ones as soon as D-Bus, NetworkManager and Open vSwitch run.
 */
export async function reconnectNode(node: Node, deadline: Deadline, say: (message: string) => void): Promise<Node> {
  return (await works(node)) ? node : openNodeWithin(comeBackMs, deadline, say);
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
  const giveUp = monotonicMs() + Math.min(limitMs, deadline.remainingMs());
  let said = false;
  for (;;) {
    throwIfStopped(deadline);
    try {
      return await openNode();
    } catch (error) {
      if (monotonicMs() > giveUp) throw error;
      if (!said) say(`waiting for services to come back: ${asAgentError(error).message}`);
      said = true;
      await serviceEvent();
    }
  }
}

/** Access of a rollback to the services of the node, and to the node without NetworkManager. */
export interface ReconnectPorts<Connections> {
  /** Returns a working connection: the open one, or a new one if it was lost. Waits for NetworkManager to run again. */
  readonly reconnect: (deadline: Deadline) => Promise<Connections>;
  /** True if the kernel and Open vSwitch are in the old state; does not need NetworkManager. */
  readonly looksRestored: () => Promise<boolean>;
  /** Makes NICs answer again that still have their addresses; does not need NetworkManager. */
  readonly freeAddressed: () => Promise<void>;
}

/**
 * Returns working connections; null if NetworkManager is unreachable and its checkpoint timer has restored the old
 * state.
 */
export async function reconnectOrRestored<Connections>(
  { reconnect, looksRestored, freeAddressed }: ReconnectPorts<Connections>,
  deadline: Deadline,
): Promise<Connections | null> {
  // Without Open vSwitch the state is not known yet.
  const isRestored = (): Promise<boolean> => looksRestored().catch(() => false);
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

/**
 * Removes NICs from a bridge if they were in no bridge before and still have their previous addresses. A port receives
 * no replies, so the node becomes unreachable as soon as the kernel resolves a neighbour. If NetworkManager does not
 * return, no other program corrects that.
 */
export async function freeAddressed(previous: Wanted, before: readonly LinkAddresses[]): Promise<void> {
  const inBridges = previous.bridges.flatMap(({ uplink }) => uplink?.interface ?? []);
  const ports = await openTuning();
  try {
    const { links, ovs } = await ports.observe();
    for (const { interface: name, addresses } of before) {
      const bridge = ovs.bridges.find((row) => row.name !== name && row.ports.some((port) => port.name === name))?.name;
      if (bridge === undefined || inBridges.includes(name)) continue;
      const bindable = bindableOf(name, links);
      if (addresses.some((address) => bindable.includes(address)))
        await ports.ovs.detachUplink({ bridge, interface: name }, true);
    }
  } finally {
    ports.close();
  }
}

/**
 * True if the kernel and Open vSwitch, which need no D-Bus, are as before: every link has its addresses, and each
 * bridge of the agent exists with its NIC exactly if it did before.
 */
export async function looksRestored(previous: Wanted, before: readonly LinkAddresses[]): Promise<boolean> {
  const ports = await openTuning();
  try {
    const { links, ovs } = await ports.observe();
    const hasAddresses = ({ interface: name, addresses }: LinkAddresses): boolean => {
      const bindable = bindableOf(name, links);
      return addresses.every((address) => bindable.includes(address));
    };
    const isAsBefore = ({ bridge: name }: { readonly bridge: string }): boolean => {
      const wanted = previous.bridges.find((bridge) => bridge.bridge === name);
      const row = ovs.bridges.find((bridge) => bridge.name === name);
      const isMicroShifts = previous.microshift?.some((bridge) => bridge.bridge === name) === true;
      if (isMicroShifts) return row !== undefined && isOfMicroShift(row, { links });
      if (wanted === undefined || row === undefined) return wanted === undefined && row === undefined;
      return wanted.uplink === null || row.ports.some((port) => port.name === wanted.uplink?.interface);
    };
    return before.every(hasAddresses) && bridgesOf({ ovs }, previous.added).every(isAsBefore);
  } finally {
    ports.close();
  }
}

function bindableOf(name: string, links: readonly Link[]): readonly string[] {
  const link = links.find((entry) => entry.name === name);
  return addressesOf(link, isBindable);
}
