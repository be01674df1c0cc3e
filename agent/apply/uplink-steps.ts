import { holdAddresses, holdRoutes } from '../drivers/host/address-hold.ts';
import { keepMac } from '../drivers/host/keep-mac.ts';
import { guardLoan } from '../drivers/host/loan-guard.ts';
import { copyNeighbours } from '../drivers/host/neighbours.ts';
import { guardPort } from '../drivers/host/port-guard.ts';
import { activeInterface, activeState, deviceInterface, deviceState } from '../drivers/networkmanager/names.ts';
import type { StepArguments } from '../model/plan.ts';
import { activation, kernelDevice, preparedActivation } from './activations.ts';
import type { StepContext } from './execute.ts';
import { bindableLimitMs, waitForAddresses } from './wait-addresses.ts';

/** Leaving the bridge, and for a bond taking its ports along, takes NetworkManager some hundred milliseconds; this allows for LACP. */
const configuringLimitMs = 30_000;

/**
 * Puts the NIC into the bridge and tells NetworkManager to take it the moment that is committed: a port NetworkManager has not been
 * told of would stay in the bridge if we died, and no checkpoint takes it back. Telling it earlier would let it collide with our
 * rows; waiting for vswitchd first would leave a tenth of a second in which a kill cuts the node off. What is left of the gap is one
 * answer of ovsdb-server, and a guard for the agent's own death in it.
 */
export async function attachUplink(context: StepContext, step: StepArguments['attachUplink']): Promise<void> {
  const { nm, ovs, begun } = context;
  await ovs.probeVswitchd();
  const [begin, guard, ports] = await Promise.all([
    activation(nm, { uuid: step.interfaceProfile, interface: step.interface }),
    guardPort({ ...step, networkManager: nm.uniqueName }),
    Promise.all((step.ports ?? []).map((port) => preparedActivation(nm, port))),
    // The moment the NIC's own addresses go, the bridge answers without having to ask for anybody first.
    copyNeighbours(step.interface, step.bridge),
  ]);
  await ovs
    .attachUplink(step, () => {
      const active = begin();
      // A refusal is told by the step that waits for the activation.
      active.then(guard.release, guard.removePort);
      begun.set(step.interfaceProfile, active);
      for (const start of ports) start(begun);
    })
    .finally(() => {
      if (!begun.has(step.interfaceProfile)) guard.removePort();
    });
}

/**
 * The way back. NetworkManager takes the NIC out of the bridge first and gives it addresses afterwards, which is an outage of a
 * DHCP exchange or of duplicate address detection. So the bridge is hidden from it meanwhile: the NIC stays in, and the bridge answers,
 * until the NIC's own profile is being configured. Then the NIC gets the addresses, and leaves. Whatever fails, the bridge is
 * NetworkManager's again afterwards.
 */
export async function returnUplink(context: StepContext, step: StepArguments['returnUplink']): Promise<void> {
  const { nm, ovs, begun, deadline } = context;
  await ovs.probeVswitchd();
  const [begin, guard, endKeeping, ...ports] = await Promise.all([
    activation(nm, { uuid: step.profile.uuid, interface: step.interface }),
    guardLoan(step),
    // A bond whose MAC a profile had set gets one of its own when that profile goes, and with it another lease. Before the bridge is
    // hidden: nothing may come between that and the start of the NIC's own profile.
    keepMac(step.interface, step.mac),
    ...(step.ports ?? []).map((port) => preparedActivation(nm, port)),
  ]);
  let port: string | null = null;
  try {
    await ovs.borrowBridge(step);
    // NetworkManager would take the NIC out of a bridge that it still knows for its own.
    await nm.caughtUp();
    const active = begin();
    begun.set(step.profile.uuid, active);
    for (const start of ports) start(begun);
    const path = await active;
    guard.begun();
    await reached(context, path, step, deviceState.ipConfig);
    await holdAddresses(step.interface, step.addresses);
    // Fixed IPv6 addresses are NetworkManager's by now, and checked for duplicates while the bridge still answers. IPv4 ones are there.
    const checked = step.addresses.filter((address) => address.includes(':'));
    await waitForAddresses(step.interface, checked, deadline, bindableLimitMs);
    await copyNeighbours(step.bridge, step.interface);
    await holdRoutes(step);
    port = step.interface;
  } finally {
    endKeeping();
    await ovs.returnBridge(step, port).then(guard.release, (error: unknown) => {
      guard.giveBack();
      throw error;
    });
  }
}

/**
 * Waits until the activation has come so far. From `prepare` on NetworkManager has taken the old addresses off the NIC, at `ipConfig` it
 * gives it new ones. Also ends when the activation does, which the step that waits for it will tell.
 */
async function reached(
  { nm, watch, deadline }: StepContext,
  active: string,
  step: StepArguments['returnUplink'],
  least: number,
): Promise<void> {
  const device = await kernelDevice(nm, step.interface);
  const hasCome = async (): Promise<boolean> => {
    const ended = await nm.property(active, activeInterface, 'State').catch(() => activeState.deactivated);
    if (ended === activeState.deactivated) return true;
    if ((await nm.property(device, deviceInterface, 'ActiveConnection')) !== active) return false;
    const state = Number(await nm.property(device, deviceInterface, 'State'));
    return state >= least && state <= deviceState.activated;
  };
  const what = `the configuration of ${step.interface}`;
  await watch.until(what, hasCome, deadline, Math.min(configuringLimitMs, deadline.remainingMs()));
}
