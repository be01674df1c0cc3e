import { type Deadline, startDeadline } from '../deadline.ts';
import { watchActivations } from '../drivers/networkmanager/activation.ts';
import { rollBackCheckpoint } from '../drivers/networkmanager/checkpoint.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import { rootInterface, rootPath } from '../drivers/networkmanager/names.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import { AgentError, asAgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { LinkAddresses, Plan, Wanted } from '../model/plan.ts';
import { execute, stepContext, waitForAddresses } from './execute.ts';

/**
 * Enough for NetworkManager to be restarted by systemd and for a DHCP exchange; the unit's TimeoutStartSec leaves this much after
 * the run's own deadline.
 */
export const restoreLimitMs = 60_000;
/** NetworkManager starts a rollback at once, but re-activations that wait for a device can hold its answer. */
const addressLimitMs = 45_000;
/** Re-activations that a rollback started take a few seconds; one that waits for a DHCP server that is gone must not hold the return. */
const settleLimitMs = 10_000;

export interface RestorePorts {
  /** A connection that works: the old one, or a new one when it was lost. Waits for NetworkManager to come back. */
  readonly reconnect: (
    deadline: Deadline,
  ) => Promise<{ nm: NetworkManager; ovs: OpenVSwitch; observe: () => Promise<Observation> }>;
  /** Plans the way back to the bridges as they were. */
  readonly planReturn: (previous: Wanted, observation: Observation) => Plan;
  readonly say: (message: string) => void;
}

/**
 * Brings back the state before a transaction and proves it: NetworkManager's checkpoint first, which knows everything; then, where
 * it is gone (NetworkManager was restarted) or did not do, the steps of a planned return. Returns what is left as an error, or null.
 */
export async function restoreOldState(
  ports: RestorePorts,
  previous: Wanted,
  before: readonly LinkAddresses[],
  checkpoint: string | null,
): Promise<AgentError | null> {
  const deadline = startDeadline(restoreLimitMs);
  try {
    const { nm, ovs, observe } = await ports.reconnect(deadline);
    if (checkpoint !== null && (await checkpointExists(nm, checkpoint))) {
      ports.say('rolling back to the checkpoint');
      await rollBackCheckpoint(nm, checkpoint).catch((error: unknown) => ports.say(asAgentError(error).message));
    }
    const watch = watchActivations(nm);
    try {
      await settled(nm, deadline);
      const plan = ports.planReturn(previous, await observe());
      const context = stepContext({ nm, ovs, watch, deadline });
      for (const step of plan.steps) {
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
    deadline.clear();
  }
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
