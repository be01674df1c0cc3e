import type { Deadline } from '../deadline.ts';
import { waitForKernel } from '../drivers/host/kernel-events.ts';
import { readLinks } from '../drivers/host/links.ts';
import { readRoutes } from '../drivers/host/routes.ts';
import { watchActivations } from '../drivers/networkmanager/activation.ts';
import { kernelDevice } from '../drivers/networkmanager/devices.ts';
import { deviceInterface, deviceState } from '../drivers/networkmanager/names.ts';
import { AgentError } from '../errors.ts';
import { nicDevice, type Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { jsonOf, textOf } from '../model/settings.ts';
import { dynamicFamilies } from '../plan/bridge/handover.ts';
import { bridges } from '../plan/names.ts';
import { asksForMadeIdentity } from '../plan/profiles/dhcp-identity.ts';
import { wasUplink } from '../plan/uplink/remembered.ts';
import { detectionOver, tentativeAddresses } from './duplicate-detection.ts';
import type { Node } from './node.ts';
import { planCloser } from './plan-closer.ts';

/** Which waits are over: for a NIC that is named, for a default route. */
export interface WaitsOver {
  readonly nic: boolean;
  readonly route: boolean;
}

type Planned = { readonly kind: 'planned'; readonly plan: Plan };

/** What a run aims at, asked again after every observation until it is not `waiting`: for a NIC, or for a default route (null). */
export type Planner = (
  observation: Observation,
  over: WaitsOver,
) => Planned | { readonly kind: 'waiting'; readonly interface: string | null };

export interface WaitOptions {
  /** How long a default route, or a NIC that is named, may take to appear. */
  readonly routeMs: number;
  /** How long the chosen NIC may take to get its addresses; it then moves without having any to hand over. */
  readonly uplinkMs: number;
  /** How long NetworkManager and Open vSwitch may take to be there. */
  readonly servicesMs: number;
}

/** NetworkManager takes a NIC and starts its profile a moment after the kernel has it; one that it leaves alone is planned as it is. */
const takenMs = 5_000;

/** A route, a lease or a NIC that comes within 40 s is waited for. */
export const patientWait: WaitOptions = { routeMs: 40_000, uplinkMs: 40_000, servicesMs: 0 };
/** A repair is asked for by what a service leaves when it ends, too; systemd has restarted it within seconds. */
export const repairWait: WaitOptions = { ...patientWait, servicesMs: 10_000 };

/**
 * Observes and plans; while the plan has to wait for a NIC, for a route, for the uplink's own activation or for a bridge that comes up by
 * itself, waits for the event and plans again.
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
    say(`waiting up to ${wait.routeMs / 1000} s for ${awaited ?? 'a default route'}`);
    await appears(awaited === null ? hasDefaultRoute : () => hasLink(awaited), deadline, wait.routeMs);
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
  const tentative = plan.outcome === 'change' && wait.uplinkMs > 0 ? tentativeAddresses(plan, observation) : [];
  if (tentative.length > 0) {
    await detectionOver(tentative, deadline);
    observation = await node.observe();
  } else if (plan.outcome === 'unchanged') return { plan, observation };
  return planCloser(observation, (seen) => ({ plan: planWithoutWaiting(planner, seen) }));
}

function planWithoutWaiting(planner: Planner, observation: Observation): Plan {
  const decision = planner(observation, { nic: true, route: true });
  if (decision.kind === 'planned') return decision.plan;
  throw new AgentError('internal', 'the choice of the uplink waits for something that is over');
}

/** NICs on their way into br-ex, where the run has chosen it, or into a bridge of `bridge add`, that NetworkManager has not configured yet. */
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

/** Waits until it is there, or the time is over. */
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

/** NMSettingIP6ConfigAddrGenMode: eui64. */
const eui64 = 0;

/**
 * A NIC that was the uplink before, and whose addresses come from the LAN, need not have them first: the bridge asks for the same ones
 * with the same MAC. That saves every boot a second exchange. Fixed addresses are there in a moment and handed over; a SLAAC address that
 * does not follow from the MAC has to be seen on the NIC to be kept, and so has what a DHCP server knows the NIC by if the MAC is not all of it.
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

/** True once NetworkManager configures a device. */
function isStarted(state: number): boolean {
  return state > deviceState.disconnected;
}

/** True once NetworkManager has configured a device, or given up. */
function isSettled(state: number): boolean {
  return state >= deviceState.activated || state <= deviceState.disconnected;
}

/** Waits until NetworkManager's device is in such a state (0: it has none), or the time is over. */
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
