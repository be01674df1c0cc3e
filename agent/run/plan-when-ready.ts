import type { Deadline } from '../deadline.ts';
import { waitForKernel } from '../drivers/host/kernel/kernel-events.ts';
import { readLinks } from '../drivers/host/kernel/links.ts';
import { readRoutes } from '../drivers/host/kernel/routes.ts';
import { watchActivations } from '../drivers/networkmanager/activation.ts';
import { kernelDevice } from '../drivers/networkmanager/devices.ts';
import { deviceInterface, deviceState } from '../drivers/networkmanager/nm-names.ts';
import { AgentError } from '../errors.ts';
import { dynamicFamilies } from '../model/dynamic-families.ts';
import { bridges } from '../model/names.ts';
import { nicDevice, type Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { jsonOf, textOf } from '../model/profile-settings.ts';
import { tentativeAddresses } from '../plan/bridge/tentative-addresses.ts';
import { asksForMadeIdentity } from '../plan/profiles/dhcp-identity.ts';
import { wasUplink } from '../plan/uplink/remembered.ts';
import type { Node } from './node.ts';
import { planWithDetails } from './plan-with-details.ts';
import { detectionOver } from './steps/duplicate-detection.ts';

/** Waits that have reached their limits: `nic` for a named NIC, `route` for a default route. */
export interface WaitsOver {
  readonly nic: boolean;
  readonly route: boolean;
}

type Planned = { readonly kind: 'planned'; readonly plan: Plan };

/**
 * Planner of a run. It is called after every observation until its result is not `waiting`. In a waiting result,
 * `interface` is the NIC that has to appear, or null for a default route; `isExpected` is false for a default route
 * that no configuration on the node can bring.
 */
export type Planner = (
  observation: Observation,
  over: WaitsOver,
) => Planned | { readonly kind: 'waiting'; readonly interface: string | null; readonly isExpected: boolean };

export interface WaitOptions {
  /** Time limit for a default route or a named NIC to appear. */
  readonly routeMs: number;
  /**
   * Time limit for the chosen NIC to get its addresses. A NIC that has no addresses at the limit is put into the bridge
   * nevertheless.
   */
  readonly uplinkMs: number;
  /** Time limit for NetworkManager and Open vSwitch to start. */
  readonly servicesMs: number;
}

/**
 * Time limit for NetworkManager to start the profile of a NIC after the kernel has created the NIC. If NetworkManager
 * starts none, the plan uses the NIC in its present state.
 */
const takenMs = 5_000;

/**
 * Time limit for a default route if no configuration that is on the node so far can bring one. The run still waits,
 * because a NIC that appears late may bring a route.
 */
const unexpectedRouteMs = 5_000;

/** Limits of a run that waits up to 40 s for a route, a lease or a NIC. */
export const patientWait: WaitOptions = { routeMs: 40_000, uplinkMs: 40_000, servicesMs: 0 };
/**
 * Limits of a repair, which also waits for services: the stop of a service can be the cause of the repair, and systemd
 * restarts the service within seconds.
 */
export const repairWait: WaitOptions = { ...patientWait, servicesMs: 10_000 };

/**
 * Observes and plans. If the plan has to wait for a NIC, a route, the activation of the uplink or duplicate address
 * detection, waits for the event and plans again.
 */
export async function planWhenReady(
  node: Node,
  planner: Planner,
  wait: WaitOptions,
  say: (message: string) => void,
  deadline: Deadline,
): Promise<{ plan: Plan; observation: Observation }> {
  let observation = await node.observe();
  let over: WaitsOver = { nic: wait.routeMs === 0, route: wait.routeMs === 0 };
  let decision = planner(observation, over);
  for (; decision.kind === 'waiting'; decision = planner(observation, over)) {
    const awaited = decision.interface;
    if (awaited === null ? over.route : over.nic)
      throw new AgentError('internal', 'the choice of the uplink waits for something that is over');
    const isThere = awaited === null ? hasDefaultRoute : () => hasLink(awaited);
    // If the NIC of the existing default route cannot be put into br-ex, the planner asks to wait for a default route
    // through another NIC. This wait ends at once, because any default route ends it.
    const limitMs = decision.isExpected ? wait.routeMs : Math.min(wait.routeMs, unexpectedRouteMs);
    if (!isThere()) say(`waiting up to ${limitMs / 1000} s for ${awaited ?? 'a default route'}`);
    await appears(isThere, deadline, limitMs);
    if (awaited !== null && hasLink(awaited)) await deviceReaches(node, awaited, isStarted, deadline, takenMs);
    over = awaited === null ? { ...over, route: true } : { ...over, nic: true };
    observation = await node.observe();
  }
  let { plan } = decision;
  for (const uplink of wait.uplinkMs > 0 ? awaitedUplinks(plan, observation) : []) {
    say(`waiting up to ${wait.uplinkMs / 1000} s for ${uplink} to be configured`);
    await deviceReaches(node, uplink, isSettled, deadline, wait.uplinkMs);
    observation = await node.observe();
    plan = planWithoutWaiting(planner, observation);
  }
  const tentative = plan.outcome === 'change' ? tentativeAddresses(plan, observation) : [];
  if (tentative.length > 0) {
    await detectionOver(tentative, deadline);
    observation = await node.observe();
    plan = planWithoutWaiting(planner, observation);
  }
  return planWithDetails(observation, (seen) => ({ plan: planWithoutWaiting(planner, seen) }), node.bus, { plan });
}

function planWithoutWaiting(planner: Planner, observation: Observation): Plan {
  const decision = planner(observation, { nic: true, route: true });
  if (decision.kind === 'planned') return decision.plan;
  throw new AgentError('internal', 'the choice of the uplink waits for something that is over');
}

/**
 * Returns the NICs that the plan puts into bridges while NetworkManager is still configuring them: the chosen uplink of
 * br-ex, and NICs of bridges of `bridge add`. Leaves out NICs whose addresses the bridge can request itself.
 */
function awaitedUplinks(plan: Plan, observation: Observation): readonly string[] {
  const attached = plan.steps.flatMap((step) => (step.do === 'attachUplink' ? step : []));
  return attached
    .filter(
      (step) => step.interface === plan.choice?.interface || !bridges.some(({ bridge }) => bridge === step.bridge),
    )
    .map((step) => step.interface)
    .filter((uplink) => isActivating(uplink, observation) && !canAskFromBridge(uplink, plan, observation));
}

function hasDefaultRoute(): boolean {
  return readRoutes().some((route) => /^(0\.0\.0\.0|::)\/0$/.test(route.destination));
}

function hasLink(name: string): boolean {
  return readLinks().some((link) => link.name === name);
}

/** Waits until the kernel has the awaited route or NIC (`isThere`). Returns without an error after `limitMs`. */
async function appears(isThere: () => boolean, deadline: Deadline, limitMs: number): Promise<void> {
  const timeout = () => new AgentError('activation-timeout', 'it did not come');
  await waitForKernel(isThere, deadline, limitMs, timeout).catch((error: unknown) => {
    if (deadline.signal.aborted) throw error;
  });
}

function isActivating(uplink: string, observation: Observation): boolean {
  const device = nicDevice(uplink, observation);
  return device !== undefined && device.state > deviceState.disconnected && device.state < deviceState.activated;
}

/** Value of NMSettingIP6ConfigAddrGenMode for EUI-64. */
const eui64 = 0;

/**
 * Returns true if the bridge can request the NIC's addresses from the LAN itself, so that the run need not wait until
 * the NIC has them. This saves a second DHCP exchange at every boot. The NIC has to be the uplink of an earlier run:
 * the bridge then has the same MAC and gets the same addresses. The result is false in three other cases. If all
 * addresses are fixed, they exist at once and are moved. A SLAAC address that is derived neither from the MAC nor from
 * a token would be lost unless the NIC has it before the move. A DHCP identity that would differ on the bridge can only
 * be read from the NIC.
 */
function canAskFromBridge(uplink: string, plan: Plan, observation: Observation): boolean {
  const wanted = plan.wanted.bridges.find((bridge) => bridge.uplink?.interface === uplink);
  const address = wanted?.profiles.find((profile) => textOf(profile.settings, 'ovs-interface', 'type') === 'internal');
  if (!wasUplink(uplink, observation) || address === undefined || asksForMadeIdentity(address.settings)) return false;
  const ipv6 = (key: string) => jsonOf(address.settings, 'ipv6', key);
  const families = dynamicFamilies(address.settings);
  const isKnown6 = ipv6('token') !== undefined || ipv6('addr-gen-mode') === eui64;
  return families.length > 0 && (!families.includes(6) || isKnown6);
}

/** Returns true for the states in which NetworkManager configures a device or has configured it. */
function isStarted(state: number): boolean {
  return state > deviceState.disconnected;
}

/**
 * Returns true for the states in which NetworkManager has configured a device, has failed to do so, or does not
 * configure it.
 */
function isSettled(state: number): boolean {
  return state >= deviceState.activated || state <= deviceState.disconnected;
}

/**
 * Waits until the state of NetworkManager's device fulfils a condition; the state is 0 without a device. Returns
 * without an error at the time limit.
 */
async function deviceReaches(
  { nm }: Node,
  name: string,
  isReached: (state: number) => boolean,
  deadline: Deadline,
  limitMs: number,
): Promise<void> {
  const watch = watchActivations(nm);
  const stateNow = async (): Promise<number> =>
    Number(await nm.property(await kernelDevice(nm, name), deviceInterface, 'State'));
  const look = (): Promise<boolean> =>
    stateNow()
      .catch(() => 0)
      .then(isReached);
  try {
    await watch.until(`the configuration of ${name}`, look, deadline, limitMs).catch((error: unknown) => {
      if (deadline.signal.aborted) throw error;
    });
  } finally {
    watch.stop();
  }
}
