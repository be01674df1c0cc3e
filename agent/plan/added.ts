import { AgentError } from '../errors.ts';
import type { AddedBridge } from '../model/added-bridge.ts';
import { addedNameFault, addedNames, leastPreferredMetric, withAdded } from '../model/added-names.ts';
import type { Config } from '../model/config.ts';
import { bridgesOf } from '../model/names.ts';
import { nicDevice, type Observation } from '../model/observation.ts';
import type { Plan, PlanNote, Wanted } from '../model/plan.ts';
import { uplinkInBridge } from '../model/uplink-in-bridge.ts';
import { isDefault } from '../net/destination.ts';
import { wayTo } from '../net/way-to.ts';
import { refuseForeignBridge } from './bridge/bridge-ownership.ts';
import { refuseWithoutTun } from './bridge/tap.ts';
import { requirePlugin, targetsAsBefore } from './make-plan.ts';
import { planFor } from './plan-for.ts';
import { addedTargets } from './target.ts';
import { mustBeUsable } from './uplink/suitability.ts';
import { refuseWithoutTeamd } from './uplink/teamd.ts';

/**
 * Largest route metric of a bridge whose NIC has the preferred default route. It is higher than the metrics of br-ex
 * and br-ex1. It is lower than the default metrics that NetworkManager gives to NICs, of which 100, for Ethernet, is
 * the lowest (nm-device.c, nm_device_get_route_metric_default; WireGuard and VPNs have 50).
 */
const preferredMetric = 50;

/** Arguments of `bridge add`. */
export interface AskedBridge {
  readonly interface: string;
  /** Name of the bridge; null for the default name, which is `br` followed by the name of the NIC. */
  readonly bridge: string | null;
}

/**
 * Returns the list of the bridges of `bridge add` with one more bridge, or the same list if it already contains the
 * bridge. Fails with `interface-not-found` for a NIC that does not exist; with `config-invalid` if ovn.yaml or a hint
 * file assigns the NIC to br-ex or br-ex1, or if ovn.yaml requests the userspace data path; with `bad-usage` for an
 * invalid name; with `interface-unsuitable` for a NIC that is in use elsewhere or cannot be in a bridge; or with
 * `bridge-foreign` for a name that is in use.
 */
export function listWith(asked: AskedBridge, config: Config, observation: Observation): readonly AddedBridge[] {
  const list = observation.hints.addedBridges ?? [];
  const nic = asked.interface;
  const present = list.find((entry) => entry.interface === nic);
  if (present !== undefined && [null, present.bridge].includes(asked.bridge)) return list;
  const bridge = asked.bridge ?? `br${nic}`;
  refuseName(bridge, list, observation);
  if (present !== undefined) throw unsuitable(nic, `it is the uplink of ${present.bridge}`, present.bridge);
  mustBeUsable(nic, bridge, observation);
  refuseConfigured(nic, config, observation);
  refuseForeignBridge(addedNames(bridge), observation);
  return withAdded(list, { bridge, interface: nic, routeMetric: metricOf(nic, observation) });
}

/**
 * Returns the list of the bridges of `bridge add` without the bridge of this name, or else without the bridge whose NIC
 * has this name. Fails with `interface-not-found` if the list contains neither.
 */
export function listWithout(name: string, { hints }: Observation): readonly AddedBridge[] {
  const list = hints.addedBridges ?? [];
  const found = list.find((entry) => entry.bridge === name) ?? list.find((entry) => entry.interface === name);
  if (found !== undefined) return list.filter((entry) => entry !== found);
  const known = list.map((entry) => `${entry.bridge} (${entry.interface})`).join(', ');
  throw new AgentError(
    'interface-not-found',
    `\`bridge add\` has made no bridge ${JSON.stringify(name)}, and none for a NIC of this name`,
    {
      hint: known === '' ? 'it has made none at all: there is nothing to remove' : `use one of: ${known}`,
    },
  );
}

/**
 * Plans the bridges of `bridge add`. The agent's other bridges stay as `kept` describes them. `asked` is the bridge of
 * the current command, or null if the command names none; if this bridge cannot be built, the plan fails. `isNew` is
 * true if the list of the bridges of `bridge add` has to be written.
 */
export function planAdded(
  list: readonly AddedBridge[],
  kept: Wanted,
  config: Config,
  observation: Observation,
  { asked = null, isNew = false }: { readonly asked?: string | null; readonly isNew?: boolean } = {},
): Plan {
  if (list.length > 0) requirePlugin(observation);
  const others = kept.bridges.filter(({ bridge }) => !isAdded(bridge, observation));
  const before = targetsAsBefore({ bridges: others }, observation);
  const uplinkOf = (bridge: string): string | null =>
    others.find((entry) => entry.bridge === bridge)?.uplink?.interface ?? null;
  const chosen = { gateway: uplinkOf('br-ex'), external: uplinkOf('br-ex1') };
  const { targets, notes } = addedTargets(list, config, observation, chosen, asked);
  const plan = planFor([...before, ...targets], observation, {
    notes: [
      ...notes,
      ...wayInNotes(
        list.filter(({ bridge }) => bridge === asked),
        observation,
      ),
    ],
    ...(isNew ? { added: list } : {}),
  });
  refuseWithoutTeamd(plan, observation);
  refuseWithoutTun(plan, observation);
  return plan;
}

/** Value of NMDeviceState for an activated device. */
const activated = 100;

/**
 * Returns true if NetworkManager has activated a NIC of `bridge add` for which the plan has no bridge. Such a NIC
 * appeared, or got its lease, after the run that should have made its bridge.
 */
export function hasLateNic({ wanted }: Plan, observation: Observation): boolean {
  const list = observation.hints.addedBridges ?? [];
  return list.some(
    (entry) =>
      !wanted.bridges.some(({ bridge }) => bridge === entry.bridge) &&
      nicDevice(entry.interface, observation)?.state === activated,
  );
}

/** Returns true for a bridge that `bridge add` made, even if only a row or a profile of the bridge remains. */
export function isAdded(bridge: string, observation: Observation): boolean {
  return bridgesOf(observation).some((names) => names.isAdded && names.bridge === bridge);
}

function refuseName(bridge: string, list: readonly AddedBridge[], observation: Observation): void {
  const hint = 'give the bridge another name: --name BRIDGE';
  const fault = addedNameFault(bridge);
  if (fault !== null)
    throw new AgentError('bad-usage', `a bridge cannot be called ${JSON.stringify(bridge)}: ${fault}`, { hint });
  const holder = list.find((entry) => entry.bridge === bridge);
  if (holder !== undefined)
    throw new AgentError('bridge-foreign', `${bridge} is the bridge of ${holder.interface} already`, { hint });
  if (isAdded(bridge, observation)) return;
  if (
    observation.links.some((link) => link.name === bridge) &&
    !observation.ovs.bridges.some((row) => row.name === bridge)
  )
    throw new AgentError('bridge-foreign', `there is an interface ${bridge} already`, { hint });
}

/**
 * Fails with `config-invalid` if ovn.yaml or a hint file names the NIC as an uplink of br-ex or br-ex1, even if the NIC
 * is not a port yet. Also fails with `config-invalid` if ovn.yaml requests the userspace data path.
 */
function refuseConfigured(nic: string, { uplink, externalUplink, ovs }: Config, observation: Observation): void {
  const { hints } = observation;
  const names = [
    { value: uplink.value, source: uplink.source, bridge: 'br-ex' },
    { value: hints.defaultBridge, source: '/etc/ovnk/default_bridge', bridge: 'br-ex' },
    { value: externalUplink.value, source: externalUplink.source, bridge: 'br-ex1' },
    { value: hints.extraBridge, source: '/etc/ovnk/extra_bridge', bridge: 'br-ex1' },
  ];
  const named = names.find(({ value }) => value === nic);
  if (named !== undefined)
    throw new AgentError('config-invalid', `${named.source} names ${nic} as the uplink of ${named.bridge}`, {
      hint: 'name another interface, here or there',
    });
  if (ovs.datapathType.value === 'netdev')
    throw new AgentError(
      'config-invalid',
      `${ovs.datapathType.source} requests the userspace data path, which only br-ex and br-ex1 support`,
      {
        hint: 'remove ovs.datapathType from /etc/microshift/ovn.yaml',
      },
    );
}

function unsuitable(nic: string, reason: string, bridge: string): AgentError {
  return new AgentError('interface-unsuitable', `${nic} cannot be added to a bridge: ${reason}`, {
    hint: `microshift-net bridge remove ${bridge} first, or omit --name`,
  });
}

/**
 * Minimum by which the metric of a bridge is above that of its NIC if the NIC does not have the preferred default
 * route. NetworkManager assigns consecutive metrics to the NICs of one kind, such as 100, 101 and 102. The distance
 * keeps two metrics out of this sequence: that of the bridge, and the one just below, which the NIC has while it
 * returns to its own profile.
 */
const standbyDistance = 49;

/**
 * Returns the route metric of the bridge. The default route of the bridge is preferred to those of other NICs only if
 * the default route of the bridge's own NIC is preferred now. The metric just below that of the bridge stays free,
 * because the NIC has this metric while it returns to its own profile.
 */
function metricOf(nic: string, { routes }: Observation): number {
  const own = routes.filter((route) => route.device === nic);
  const leading = own.find((route) => isDefault(route.destination)) ?? own[0];
  if (leading === undefined) return leastPreferredMetric;
  const others = routes
    .filter((route) => route.device !== nic && route.family === leading.family && isDefault(route.destination))
    .map((route) => route.metric);
  const wins = isDefault(leading.destination) && others.every((metric) => metric > leading.metric);
  if (wins) return Math.min(preferredMetric, leading.metric);
  let metric = leading.metric + standbyDistance;
  while (others.includes(metric) || others.includes(metric - 1)) metric += 1;
  return metric;
}

/**
 * Returns a warning for each NIC that is not in its bridge yet and has the node's only default route or the route of
 * the SSH session.
 */
function wayInNotes(list: readonly AddedBridge[], observation: Observation): readonly PlanNote[] {
  const { routes, host } = observation;
  const ways = new Set(routes.filter((route) => isDefault(route.destination)).map((route) => route.device));
  const tried = 'with --confirm-timeout the change is rolled back unless it is confirmed';
  return list.flatMap(({ bridge, interface: nic }): PlanNote[] => {
    if (uplinkInBridge(addedNames(bridge), observation) === nic) return [];
    const isSession = host.sshPeer !== null && wayTo(host.sshPeer, routes) === nic;
    const isOnly = ways.size === 1 && ways.has(nic);
    if (!isSession && !isOnly) return [];
    const what = isSession ? `this SSH session comes in by ${nic}` : `${nic} is this node's only way out`;
    return [{ level: 'warning', message: `${what}; ${tried}` }];
  });
}
