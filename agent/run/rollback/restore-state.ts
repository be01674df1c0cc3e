import { type Deadline, startDeadline, throwIfStopped } from '../../deadline.ts';
import { freeFromDatapath } from '../../drivers/host/kernel/kernel-datapath.ts';
import { type ActivationWatch, watchActivations } from '../../drivers/networkmanager/activation.ts';
import {
  checkpointStands,
  destroyCheckpoint,
  pushCheckpointForward,
  rollBackCheckpoint,
} from '../../drivers/networkmanager/checkpoint.ts';
import type { NetworkManager } from '../../drivers/networkmanager/nm-client.ts';
import type { OpenVSwitch } from '../../drivers/openvswitch/ovs-client.ts';
import { AgentError, asAgentError } from '../../errors.ts';
import type { Observation } from '../../model/observation.ts';
import type { LinkAddresses, Step, Wanted } from '../../model/plan.ts';
import { stepTitle } from '../../model/step-title.ts';
import { settles } from '../../model/step-traits.ts';
import { execute } from '../steps/execute-step.ts';
import { releaseLeft } from '../steps/held-routes.ts';
import { type StepContext, stepContext } from '../steps/step-context.ts';
import { waitForAddresses } from '../steps/wait-addresses.ts';
import { awaitActivations, portsOf } from './await-activations.ts';
import { goneService, isGone } from './gone-service.ts';
import { freeLeftBridge, keepLeftBridges } from './left-bridges.ts';
import { type ReconnectPorts, reconnectOrRestored } from './reconnect.ts';
import { vswitchdAnswers } from './vswitchd-answers.ts';

/**
 * Time limit of a rollback, enough for systemd to restart NetworkManager and for a DHCP exchange. TimeoutStartSec= of
 * the unit exceeds the limit of a run by at least this much.
 */
export const restoreLimitMs = 60_000;
/**
 * Time limit for the links to have their previous addresses again. After NetworkManager's rollback, activations that
 * wait for a device can delay the addresses.
 */
const addressLimitMs = 45_000;
/**
 * Time limit of a rollback by the agent's own steps, which takes a second or two. If the steps fail, enough time has to
 * remain for a rollback by NetworkManager.
 */
const plannedLimitMs = 20_000;
/** Checkpoint timer during a rollback by the agent's own steps, so that NetworkManager does not roll back as well. */
const plannedTimerSeconds = 25;
/**
 * Time limit for a DHCP lease or a router advertisement during a rollback. The limit includes the negotiation of LACP,
 * which takes up to ten seconds. The NIC is reachable meanwhile, because the kernel holds its addresses.
 */
const settleLimitMs = 12_000;

export interface Connections {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly observe: () => Promise<Observation>;
}

export interface RestorePorts extends ReconnectPorts<Connections> {
  /**
   * Plans the steps from the present state to the previous one; returns null if only NetworkManager's checkpoint can
   * restore the previous state.
   */
  readonly planRestore: (observation: Observation) => readonly Step[] | null;
  /**
   * Removes from lo the addresses that the transaction added. NetworkManager's rollback may add them again: it
   * activates the profile that NetworkManager generated for lo at its last start, with the addresses that lo had then.
   */
  readonly clearLoopback: () => Promise<void>;
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

/** Failures during a rollback, in the order in which they happened. */
type Failures = AgentError[];

/**
 * Rolls back to the state before a transaction and proves that state. First runs the agent's own steps, which do not
 * activate the NIC's profile again. If a step fails, NetworkManager rolls back to its checkpoint, which activates the
 * profile again, and the remaining steps follow. If a service stops meanwhile, waits for it and plans again. Returns an
 * error if the rollback was incomplete, otherwise null.
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
      const gone = await restoreOnce(aim, checkpoint, deadline).then(() => null, goneService);
      if (gone === null) return null;
      failures.push(gone);
      ports.say(`${gone.message}; the rollback starts again when it runs again`);
    }
  } catch (error) {
    const cause = asAgentError(error);
    return new AgentError('not-restored', `the old state could not be fully restored: ${cause.message}`, {
      hint: `run \`microshift-net disable\` once the cause is fixed${cause.hint === undefined ? '' : ` (${cause.hint})`}`,
      cause,
      before: failures.filter(({ message }) => message !== cause.message),
      facts: { missing: before.map((link) => `${link.interface}: ${link.addresses.join(' ')}`) },
    });
  } finally {
    deadline.clear();
  }
}

/**
 * Rolls back over the present connections. If NetworkManager exits, every wait ends, because its signals will not
 * arrive.
 */
async function restoreOnce(aim: Aim, checkpoint: string | null, whole: Deadline): Promise<void> {
  const { nm, ovs, previous, before } = aim;
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
      if (standing !== null) await rollBackWithCheckpoint(restoration, standing);
      // If the checkpoint is missing, NetworkManager was restarted. The new NetworkManager may request a lease through
      // a NIC that is still a port and gets no reply, so the rollback does not wait for such NICs.
      await awaitActivations(watch, nm, deadline, standing === null ? await portsOf(ovs) : []);
      await aim.ports.clearLoopback();
      // Ports of removed bridges are removed from the kernel's data path here, because a restarted ovs-vswitchd knows
      // only the bridges that are still in the database of Open vSwitch.
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
 * Makes NetworkManager roll back to the checkpoint, and keeps the bridges of MicroShift. If NetworkManager fails,
 * records the failure and returns, so that the agent's own steps can follow.
 */
async function rollBackWithCheckpoint(restoration: Restoration, checkpoint: string): Promise<void> {
  const { nm, ovs, observe, ports, previous, failures, withoutVswitchd } = restoration;
  ports.say('rolling back to the checkpoint');
  await keepLeftBridges(previous, ovs);
  try {
    await rollBackCheckpoint(nm, checkpoint);
  } catch (error) {
    failures.push(asAgentError(error));
    ports.say(asAgentError(error).message);
    return;
  }
  const { microshift = [] } = previous;
  if (microshift.length === 0) return;
  const { links } = await observe();
  for (const left of microshift) await freeLeftBridge(ovs, left, links, !withoutVswitchd);
}

/**
 * Rolls back by the agent's own steps while the checkpoint still exists. These steps activate no profile again, so that
 * a bond keeps its ports. Returns false if the old state was not reached.
 */
async function goBackInPlace(restoration: Restoration, checkpoint: string, whole: Deadline): Promise<boolean> {
  const { nm, ports } = restoration;
  const deadline = startDeadline(plannedLimitMs, whole);
  try {
    // If the timer cannot be extended, NetworkManager is already rolling back to the checkpoint. The failure is
    // ignored, because the steps complete that rollback.
    await pushCheckpointForward(nm, checkpoint, plannedTimerSeconds).catch(() => undefined);
    if (ports.planRestore(await restoration.observe()) === null) return false;
    await runSteps(restoration, deadline);
    return true;
  } catch (error) {
    restoration.failures.push(asAgentError(error));
    ports.say(`the planned rollback failed: ${asAgentError(error).message}`);
    return false;
  } finally {
    deadline.clear();
  }
}

/** Runs the steps from the present state to the old one, and waits until every link has its addresses. */
async function runSteps(restoration: Restoration, deadline: Deadline): Promise<void> {
  const { nm, ovs, observe, ports, before, watch, withoutVswitchd } = restoration;
  const context = stepContext({ nm, ovs, watch, deadline, withoutVswitchd });
  let stayedAway = false;
  const take = async (step: Step): Promise<void> => {
    const settling = settles(step);
    if (settling && stayedAway) return;
    ports.say(`returning: ${stepTitle(step)}`);
    if (!settling) await execute(context, step);
    else if (!(await settle(context, step, ports.say))) stayedAway = true;
  };
  for (const step of ports.planRestore(await observe()) ?? []) await take(step);
  for (const step of await releaseLeft()) await take(step);
  for (const link of before) await waitForAddresses(link.interface, link.addresses, deadline, addressLimitMs);
}

/**
 * Runs a step that waits for a lease or routes of the NIC. Returns false if they do not arrive: the NIC is reachable
 * with the held addresses and routes, so the rollback continues and does not activate the profile again.
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

/**
 * Returns the bridges whose rows have been deleted from the database of Open vSwitch. ovs-vswitchd removes the devices
 * of these bridges later, and NetworkManager waits for that removal.
 */
async function goneOf(ovs: OpenVSwitch, names: readonly string[]): Promise<readonly string[]> {
  const { bridges } = await ovs.facts();
  return names.filter((name) => !bridges.some((bridge) => bridge.name === name));
}
