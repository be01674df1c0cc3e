import { type Deadline, monotonicMs, throwIfStopped } from '../deadline.ts';
import { daemonCall } from '../drivers/dbus/connection.ts';
import { serviceEvent } from '../drivers/host/service-event.ts';
import { service } from '../drivers/networkmanager/names.ts';
import { asAgentError } from '../errors.ts';
import { addressesOf, isBindable, type Link } from '../model/observation.ts';
import type { LinkAddresses, Wanted } from '../model/plan.ts';
import { isOfMicroShift } from '../plan/bridge/microshift-bridge.ts';
import { bridgesOf } from '../plan/names.ts';
import { checkpointSeconds } from './checkpoint-timer.ts';
import { type Node, openNode, openTuning } from './node.ts';

/** systemd restarts NetworkManager and Open vSwitch within seconds; after that somebody has to look anyway. */
const comeBackMs = 30_000;
/** From then on NetworkManager's timer has run out, however late it was pushed forward. */
const unaidedAfterMs = checkpointSeconds * 1000 + 1_000;

/** The node's connections if they still work, else new ones, once D-Bus, NetworkManager and Open vSwitch are back. */
export async function reconnectNode(node: Node, deadline: Deadline, say: (message: string) => void): Promise<Node> {
  return (await works(node)) ? node : openNodeWithin(comeBackMs, deadline, say);
}

/** Connections once D-Bus, NetworkManager and Open vSwitch are there. Fails with the kind of what is still missing when the time is over. */
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

/** How a way back gets at the node's services, and looks at the node without them. */
export interface ReconnectPorts<Connections> {
  /** A connection that works: the old one, or a new one when it was lost. Waits for NetworkManager to come back. */
  readonly reconnect: (deadline: Deadline) => Promise<Connections>;
  /** What the kernel and Open vSwitch show without NetworkManager: true when the old state is there. */
  readonly looksRestored: () => Promise<boolean>;
  /** Has NICs that still have their addresses answer again, without NetworkManager. */
  readonly freeAddressed: () => Promise<void>;
}

/**
 * Connections that work; null when NetworkManager cannot be reached any more and has, by the timer of its checkpoint, restored the
 * old state without us.
 */
export async function reconnectOrRestored<Connections>(
  { reconnect, looksRestored, freeAddressed }: ReconnectPorts<Connections>,
  deadline: Deadline,
): Promise<Connections | null> {
  // Where Open vSwitch is away, too, there is nothing to see yet.
  const isRestored = (): Promise<boolean> => looksRestored().catch(() => false);
  const reconnected: Promise<Connections | null> = reconnect(deadline).catch(async (error: unknown) => {
    // LACP, or a lease, can take longer after the rollback than the first look waits.
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
 * Takes NICs that were in no bridge before, and still have the addresses they had, out of the one they are in. There they hear no answers: the
 * node falls silent as soon as the kernel asks for a neighbour. With NetworkManager gone for good nobody else takes either of the two away.
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
 * Whether the kernel and Open vSwitch, which can be asked without D-Bus, are as they were: every link has its addresses, and each of
 * our bridges is there with its NIC exactly when it was.
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
