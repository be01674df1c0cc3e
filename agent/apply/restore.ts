import { type Deadline, monotonicMs, startDeadline } from '../deadline.ts';
import { keepMac } from '../drivers/host/keep-mac.ts';
import { freeFromDatapath } from '../drivers/host/kernel-datapath.ts';
import { serviceEvent } from '../drivers/host/service-event.ts';
import { watchActivations } from '../drivers/networkmanager/activation.ts';
import { rollBackCheckpoint } from '../drivers/networkmanager/checkpoint.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { rootInterface, rootPath } from '../drivers/networkmanager/names.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import { AgentError, asAgentError } from '../errors.ts';
import type { Observation, OvsFacts } from '../model/observation.ts';
import type { LinkBefore, Step, StrayPort, Wanted } from '../model/plan.ts';
import { checkpointSeconds } from './checkpoint-timer.ts';
import { execute, stepContext } from './execute.ts';
import { freeStrayUplinks } from './stray-uplinks.ts';
import { waitForAddresses } from './wait-addresses.ts';

/**
 * Enough for NetworkManager to be restarted by systemd and for a DHCP exchange; the unit's TimeoutStartSec leaves this much after
 * the run's own deadline.
 */
export const restoreLimitMs = 60_000;
/** NetworkManager starts a rollback at once, but re-activations that wait for a device can hold its answer. */
const addressLimitMs = 45_000;
/** From then on NetworkManager's timer has run out, however late it was pushed forward. */
const unaidedAfterMs = checkpointSeconds * 1000 + 1_000;
/** systemd has restarted a vswitchd that was killed after two seconds; an answer that takes more than one is that of one that hangs. */
const restartLimitMs = 6_000;
const hangsAfterMs = 1_000;
/** Re-activations that a rollback started take a few seconds; one that waits for a DHCP server that is gone must not hold the return. */
const settleLimitMs = 10_000;

export interface Connections {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly observe: () => Promise<Observation>;
}

export interface RestorePorts {
  /** A connection that works: the old one, or a new one when it was lost. Waits for NetworkManager to come back. */
  readonly reconnect: (deadline: Deadline) => Promise<Connections>;
  /** What the kernel and Open vSwitch show without NetworkManager: true when the old state is there. Absent: it is not asked. */
  readonly looksRestored?: () => Promise<boolean>;
  /** Plans the way back to what was. */
  readonly planRestore: (previous: Wanted, observation: Observation) => readonly Step[];
  /** Finds NICs that are in a bridge where they were not before. */
  readonly strayUplinks: (previous: Wanted, facts: OvsFacts) => readonly StrayPort[];
  readonly say: (message: string) => void;
}

/**
 * Brings back the state before a transaction and proves it: NetworkManager's checkpoint first, which knows everything; then, where
 * it is gone (NetworkManager was restarted) or did not do, the steps of a planned return. Returns what is left as an error, or null.
 */
export async function restoreOldState(
  ports: RestorePorts,
  previous: Wanted,
  before: readonly LinkBefore[],
  checkpoint: string | null,
): Promise<AgentError | null> {
  const deadline = startDeadline(restoreLimitMs);
  const keeping: (() => void)[] = [];
  try {
    const connections = await reconnect(ports, deadline);
    if (connections === null) {
      ports.say("NetworkManager's own timer has restored the old state");
      return null;
    }
    const { nm, ovs, observe } = connections;
    const inBridges = previous.bridges.flatMap((bridge) => bridge.uplink?.interface ?? []);
    const outside = before.map((link) => link.interface).filter((name) => !inBridges.includes(name));
    const answers = await vswitchdAnswers(ovs);
    const present = (await ovs.facts()).bridges.map((bridge) => bridge.name);
    if (!answers) await freeFromDatapath(outside);
    for (const { interface: name, mac } of before) if (mac !== undefined) keeping.push(await keepMac(name, mac));
    const watch = watchActivations(nm);
    try {
      if (checkpoint !== null && (await checkpointExists(nm, checkpoint))) {
        ports.say('rolling back to the checkpoint');
        await rollBackCheckpoint(nm, checkpoint).catch((error: unknown) => ports.say(asAgentError(error).message));
      }
      if (answers) await freeStrayUplinks({ nm, ovs }, watch, (facts) => ports.strayUplinks(previous, facts), deadline);
      await settled(nm, deadline);
      // Also where it answers: one that was started meanwhile never knew of a bridge that has gone from the database since.
      await freeFromDatapath(await goneOf(ovs, present));
      const steps = ports.planRestore(previous, await observe());
      const context = stepContext({ nm, ovs, watch, deadline });
      for (const step of steps) {
        ports.say(`returning: ${step.why}`);
        await execute(context, step);
      }
    } finally {
      watch.stop();
    }
    for (const link of before) await waitForAddresses(link.interface, link.addresses, deadline, addressLimitMs);
    return null;
  } catch (error) {
    const cause = asAgentError(error);
    return new AgentError('not-restored', `the old state could not be fully restored: ${cause.message}`, {
      hint: `run \`microshift-net disable\` once the cause is mended${cause.hint === undefined ? '' : ` (${cause.hint})`}`,
      cause,
      facts: { missing: before.map((link) => `${link.interface}: ${link.addresses.join(' ')}`) },
    });
  } finally {
    for (const end of keeping) end();
    deadline.clear();
  }
}

/** Bridges that are in the database no more: NetworkManager waits for their devices to go, which vswitchd would see to. */
async function goneOf(ovs: OpenVSwitch, names: readonly string[]): Promise<readonly string[]> {
  const { bridges } = await ovs.facts();
  return names.filter((name) => !bridges.some((bridge) => bridge.name === name));
}

/**
 * Whether ovs-vswitchd answers, at once or when systemd has restarted it. Without it NetworkManager cannot take a bridge apart: what it
 * removes from the database meanwhile, a new vswitchd knows nothing of and leaves in the kernel.
 */
async function vswitchdAnswers(ovs: OpenVSwitch): Promise<boolean> {
  const giveUpMs = monotonicMs() + restartLimitMs;
  for (;;) {
    const askedMs = monotonicMs();
    try {
      await ovs.probeVswitchd();
      return true;
    } catch {
      if (monotonicMs() - askedMs > hangsAfterMs || monotonicMs() > giveUpMs) return false;
      await serviceEvent();
    }
  }
}

/**
 * Connections that work; null when NetworkManager cannot be reached any more and has, by the timer of its checkpoint, restored the
 * old state without us.
 */
async function reconnect(ports: RestorePorts, deadline: Deadline): Promise<Connections | null> {
  const reconnected = ports.reconnect(deadline);
  const { looksRestored } = ports;
  if (looksRestored === undefined) return reconnected;
  let timer: NodeJS.Timeout | undefined;
  const unaided = new Promise<Connections | null>((resolve, reject) => {
    const look = async (): Promise<Connections | null> => ((await looksRestored()) ? null : reconnected);
    timer = setTimeout(() => look().then(resolve, reject), unaidedAfterMs);
  });
  return Promise.race([reconnected, unaided]).finally(() => clearTimeout(timer));
}

/** True while NetworkManager still has the checkpoint. */
export async function checkpointExists(nm: NetworkManager, checkpoint: string): Promise<boolean> {
  const checkpoints = await nm.property(rootPath, rootInterface, 'Checkpoints').catch(() => []);
  return Array.isArray(checkpoints) && checkpoints.includes(checkpoint);
}

/** Waits until no connection is being activated or deactivated, so that what is observed next is not a state in passing. */
async function settled(nm: NetworkManager, deadline: Deadline): Promise<void> {
  const quiet = async (): Promise<boolean> => {
    const actives = (await nm.property(rootPath, rootInterface, 'ActiveConnections')) as string[];
    const states = await Promise.all(
      actives.map((path) =>
        nm.property(path, 'org.freedesktop.NetworkManager.Connection.Active', 'State').catch(() => 2),
      ),
    );
    return states.every((state) => state === 2);
  };
  const watch = watchActivations(nm);
  try {
    // A connection that stays in activation (a NIC without a DHCP server) must not hold the return.
    await watch.until('all activations', quiet, deadline, settleLimitMs).catch(() => undefined);
  } finally {
    watch.stop();
  }
}
