import { type Deadline, monotonicMs, startDeadline, throwIfStopped } from '../deadline.ts';
import { freeFromDatapath } from '../drivers/host/kernel-datapath.ts';
import { serviceEvent } from '../drivers/host/service-event.ts';
import { type ActivationWatch, watchActivations } from '../drivers/networkmanager/activation.ts';
import {
  checkpointStands,
  destroyCheckpoint,
  pushCheckpointForward,
  rollBackCheckpoint,
} from '../drivers/networkmanager/checkpoint.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import { AgentError, asAgentError, type ErrorKind, isAgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { LinkAddresses, Step, StepKind, Wanted } from '../model/plan.ts';
import { releaseLeft } from './held-routes.ts';
import { portsOf, quiet } from './quiet.ts';
import { type ReconnectPorts, reconnectOrRestored } from './reconnect.ts';
import { type StepContext, stepContext } from './step-context.ts';
import { execute } from './steps.ts';
import { waitForAddresses } from './wait-addresses.ts';

/**
 * Enough for NetworkManager to be restarted by systemd and for a DHCP exchange; the unit's TimeoutStartSec leaves this much after
 * the run's own deadline.
 */
export const restoreLimitMs = 60_000;
/** NetworkManager starts a rollback at once, but re-activations that wait for a device can hold its answer. */
const addressLimitMs = 45_000;
/** The planned way back takes a second or two; NetworkManager's rollback must still have its time after it. */
const plannedLimitMs = 20_000;
/** systemd has restarted a vswitchd that was killed after two seconds; an answer that takes more than one is that of one that hangs. */
const restartLimitMs = 6_000;
const hangsAfterMs = 1_000;

/** NetworkManager's timer must not start the NIC's profile anew under a way back that is under way. */
const plannedTimerSeconds = 25;
/** How long the way back waits for a lease or a router; LACP agrees anew within ten seconds. The NIC answers meanwhile. */
const settleLimitMs = 12_000;

/** What a step ends with when a service dies under it. systemd starts each of them again. */
const goneKinds: readonly ErrorKind[] = [
  'dbus-lost',
  'dbus-unreachable',
  'networkmanager-not-running',
  'ovsdb-lost',
  'ovsdb-unreachable',
];

/** Steps that wait until nothing has to be held for a NIC any more, and end what was held. */
const settles: readonly StepKind[] = ['waitDynamic', 'releaseRoutes'];

export interface Connections {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly observe: () => Promise<Observation>;
}

export interface RestorePorts extends ReconnectPorts<Connections> {
  /** Plans the way back to what was, from what is there; null where only NetworkManager's checkpoint knows how to build it again. */
  readonly planRestore: (observation: Observation) => readonly Step[] | null;
  readonly say: (message: string) => void;
}

interface Aim extends Connections {
  readonly failures: Failures;
  readonly ports: RestorePorts;
  readonly previous: Wanted;
  readonly before: readonly LinkAddresses[];
}

interface Restoration extends Aim {
  readonly watch: ActivationWatch;
  readonly withoutVswitchd: boolean;
}

/** Failures of a rollback before it ended, in the order in which they happened. */
type Failures = AgentError[];

/**
 * Brings back the state before a transaction and proves it: by the steps of a planned return, which change the NIC in place; where those
 * fail, by NetworkManager's checkpoint, which starts its profile anew, and what is left after it. A service that dies under it is waited for,
 * and the way back is planned anew from what is there then. Returns what is left as an error, or null.
 */
export async function restoreOldState(
  ports: RestorePorts,
  previous: Wanted,
  before: readonly LinkAddresses[],
  checkpoint: string | null,
): Promise<AgentError | null> {
  const deadline = startDeadline(restoreLimitMs);
  const failures: Failures = [];
  try {
    for (;;) {
      throwIfStopped(deadline);
      const connections = await reconnectOrRestored(ports, deadline);
      if (connections === null) {
        ports.say("NetworkManager's own timer has restored the old state");
        return null;
      }
      const aim = { ...connections, ports, previous, before, failures };
      const gone = await bringBack(aim, checkpoint, deadline).then(() => null, goneService);
      if (gone === null) return null;
      failures.push(gone);
      ports.say(`${gone.message}; the way back begins anew when it is there again`);
    }
  } catch (error) {
    const cause = asAgentError(error);
    return new AgentError('not-restored', `the old state could not be fully restored: ${cause.message}`, {
      hint: `run \`microshift-net disable\` once the cause is mended${cause.hint === undefined ? '' : ` (${cause.hint})`}`,
      cause,
      before: failures.filter(({ message }) => message !== cause.message),
      facts: { missing: before.map((link) => `${link.interface}: ${link.addresses.join(' ')}`) },
    });
  } finally {
    deadline.clear();
  }
}

/** A service that went away under the way back, which may come back; every other failure is thrown on. */
export function goneService(error: unknown): AgentError {
  if (isGone(error)) return error;
  throw error;
}

function isGone(error: unknown): error is AgentError {
  return isAgentError(error) && goneKinds.includes(error.kind);
}

/** The way back by way of the connections as they are now. A NetworkManager that goes ends every wait: what it was to bring does not come. */
async function bringBack(aim: Aim, checkpoint: string | null, whole: Deadline): Promise<void> {
  const { nm, ovs, ports, previous, before } = aim;
  const inBridges = previous.bridges.flatMap((bridge) => bridge.uplink?.interface ?? []);
  const outside = before.map((link) => link.interface).filter((name) => !inBridges.includes(name));
  const answers = await vswitchdAnswers(ovs);
  const present = (await ovs.facts()).bridges.map((bridge) => bridge.name);
  if (!answers) await freeFromDatapath(outside);
  const deadline = startDeadline(restoreLimitMs, whole);
  const endVanished = nm.onVanished((error) => deadline.interrupt(error));
  const watch = watchActivations(nm);
  try {
    const restoration = { ...aim, watch, withoutVswitchd: !answers };
    const stands = checkpoint !== null && (await checkpointStands(nm, checkpoint).catch(() => false));
    const standing = stands ? checkpoint : null;
    const isBack = standing !== null && (await goBackInPlace(restoration, standing, deadline));
    if (isBack) await destroyCheckpoint(nm, standing).catch(() => undefined);
    else {
      if (standing !== null) {
        ports.say('rolling back to the checkpoint');
        await rollBackCheckpoint(nm, standing).catch((error: unknown) => {
          aim.failures.push(asAgentError(error));
          ports.say(asAgentError(error).message);
        });
      }
      // Where there was nothing to roll back NetworkManager has come anew, and asks for a lease by a NIC that is still a port.
      await quiet(watch, nm, deadline, standing === null ? await portsOf(ovs) : []);
      // Also where it answers: one that was started meanwhile never knew of a bridge that has gone from the database since.
      await freeFromDatapath(await goneOf(ovs, present));
      await runSteps(restoration, deadline);
    }
    await freeFromDatapath(await goneOf(ovs, present));
  } finally {
    watch.stop();
    endVanished();
    deadline.clear();
  }
}

/**
 * The planned way back while the checkpoint still stands: no profile is started anew, so a bond keeps its ports. False when the old
 * state was not reached.
 */
async function goBackInPlace(restoration: Restoration, checkpoint: string, whole: Deadline): Promise<boolean> {
  const { nm, ports } = restoration;
  const deadline = startDeadline(plannedLimitMs, whole);
  try {
    // One that refuses rolls back already; what is left then is for the steps.
    await pushCheckpointForward(nm, checkpoint, plannedTimerSeconds).catch(() => undefined);
    if (ports.planRestore(await restoration.observe()) === null) return false;
    await runSteps(restoration, deadline);
    return true;
  } catch (error) {
    restoration.failures.push(asAgentError(error));
    ports.say(`the way back in place failed: ${asAgentError(error).message}`);
    return false;
  } finally {
    deadline.clear();
  }
}

/** Runs what brings the old state back from where the node is now, and waits until every link has its addresses. */
async function runSteps(restoration: Restoration, deadline: Deadline): Promise<void> {
  const { nm, ovs, observe, ports, before, watch, withoutVswitchd } = restoration;
  const context = stepContext({ nm, ovs, watch, deadline, withoutVswitchd });
  let stayedAway = false;
  const take = async (step: Step): Promise<void> => {
    const settling = settles.includes(step.do);
    if (settling && stayedAway) return;
    ports.say(`returning: ${step.why}`);
    if (!settling) await execute(context, step);
    else if (!(await settle(context, step, ports.say))) stayedAway = true;
  };
  for (const step of ports.planRestore(await observe()) ?? []) await take(step);
  for (const step of await releaseLeft()) await take(step);
  for (const link of before) await waitForAddresses(link.interface, link.addresses, deadline, addressLimitMs);
}

/**
 * Waits until the NIC has a lease or routes of its own. False where they stay away: it answers with what is held for it, and must not have
 * its profile started anew for that.
 */
async function settle(context: StepContext, step: Step, say: (message: string) => void): Promise<boolean> {
  const deadline = startDeadline(settleLimitMs, context.deadline);
  try {
    await execute({ ...context, deadline }, step);
    return true;
  } catch (error) {
    throwIfStopped(context.deadline);
    if (isGone(error)) throw error;
    say(`left to NetworkManager: ${asAgentError(error).message}`);
    return false;
  } finally {
    deadline.clear();
  }
}

/** Bridges that are in the database no more: NetworkManager waits for their devices to go, which vswitchd would see to. */
async function goneOf(ovs: OpenVSwitch, names: readonly string[]): Promise<readonly string[]> {
  const { bridges } = await ovs.facts();
  return names.filter((name) => !bridges.some((bridge) => bridge.name === name));
}

/** Whether ovs-vswitchd answers, at once or when systemd has restarted it. What leaves the database without it stays in the kernel. */
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
