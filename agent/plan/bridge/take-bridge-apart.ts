import { dynamicFamilies } from '../../model/dynamic-families.ts';
import type { LeftBridge } from '../../model/left-bridge.ts';
import { activationLimitMs } from '../../model/limits.ts';
import { type BridgeNames, bridgeOfProfile, ownerOf } from '../../model/names.ts';
import { type Link, type NmProfile, nicDevice, type Observation, type Route } from '../../model/observation.ts';
import type { ProfileName, Step, WantedBridge } from '../../model/plan.ts';
import { jsonOf, listOf, numberOf, type ProfileSettings, textOf } from '../../model/profile-settings.ts';
import { presentOrFormerUplink, uplinkInBridge } from '../../model/uplink-in-bridge.ts';
import { isLinkLocal6 } from '../../net/address.ts';
import { isDefault } from '../../net/destination.ts';
import { activeProfile, adminProfile } from '../uplink/source-profile.ts';
import { putBack } from './build.ts';
import { byPlace, carryToNic } from './carried-entries.ts';
import { profileAddresses } from './handover.ts';
import { differsFromLeft } from './microshift-bridge.ts';
import { ownRoutes } from './own-routes.ts';

/**
 * Returns the steps that remove a bridge of the agent and return its NIC to the administrator's own profile, from any
 * state: a complete bridge, the remains of a run that crashed, or a bridge of configure-ovs.sh. Returns no steps if
 * nothing belongs to the agent. `left` is the bridge that stays for other programs; null if none stays. `next` is the
 * bridge that the same run builds afterwards, or null if it builds none.
 */
export function takeBridgeApart(
  names: BridgeNames,
  observation: Observation,
  left: LeftBridge | null = null,
  next: Pick<WantedBridge, 'loopback'> | null = null,
): readonly Step[] {
  const { profiles } = observation.networkManager;
  const ours = profiles.filter((profile) => bridgeOfProfile(profile, observation)?.bridge === names.bridge);
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  const owner = row === undefined ? undefined : ownerOf(row);
  // A bridge whose row names no profile was made by hand or by MicroShift, and a bridge whose row names a profile of
  // another tool belongs to that tool. The agent removes neither.
  const isOurs =
    owner !== undefined && (ours.some(({ uuid }) => uuid === owner) || !profiles.some(({ uuid }) => uuid === owner));
  const uplink = presentOrFormerUplink(names, observation);
  const admin = uplink === null ? undefined : adminProfile(names, uplink, observation);
  const bridgeLink = observation.links.find((link) => link.name === names.bridge);
  const addresses = bridgeLink === undefined ? [] : profileAddresses(bridgeLink, admin?.settings ?? null);
  const [detachUplink, ...settle] =
    uplink === null || admin === undefined || !(isOurs || ours.length > 0)
      ? []
      : detach(names, uplink, { admin, ours }, bridgeLink, observation);
  const steps: Step[] = detachUplink === undefined ? [] : [detachUplink];
  const returning =
    uplink === null || admin === undefined || !(isOurs || ours.length > 0)
      ? null
      : byPlace(names, uplink, observation, left !== null || next !== null).toNic;
  if (returning !== null) steps.push(...carryToNic(names, returning));
  // If the bridge's profile is not active, the agent has to remove the bridge: NetworkManager removes only a bridge
  // whose profile is active, together with that profile.
  const removed = isOurs && !isRun(owner, observation) ? [names.bridge] : [];
  const profileNames = ours.map(nameOf);
  if (left !== null && (ours.length > 0 || differsFromLeft(left, observation))) {
    const why = `${names.bridge} stays with the ports of other programs, without settings of microshift-net`;
    steps.push({ do: 'deleteProfiles', profiles: profileNames, bridges: [], left: [left], why });
  } else if (ours.length > 0 || removed.length > 0) {
    const why = `${names.bridge} is removed completely`;
    steps.push({ do: 'deleteProfiles', profiles: profileNames, bridges: removed, why });
  }
  steps.push(...settle);
  if (uplink !== null && addresses.length > 0 && steps.length > 0) {
    const why = `the node is reachable on ${uplink} again`;
    steps.push({ do: 'waitAddresses', interface: uplink, addresses, limitMs: activationLimitMs, why });
  }
  if (returning !== null) steps.push(...putBack(returning));
  return steps;
}

function nameOf({ id, uuid }: NmProfile): ProfileName {
  return { id, uuid };
}

/** Value of NMDeviceState for an activated device. */
const activated = 100;

/**
 * Returns true for a NIC that was removed from a bridge by hand, or whose bridge was deleted by hand: its profile is
 * active and sets addresses, but the NIC has no address, not even a link-local one.
 */
function isLeftBare(uplink: string, { settings }: NmProfile, observation: Observation): boolean {
  const gives = ['ipv4', 'ipv6'].some(
    (name) => !['disabled', 'ignore', undefined].includes(textOf(settings, name, 'method')),
  );
  const isEmpty = observation.links.find((link) => link.name === uplink)?.addresses.length === 0;
  return gives && isEmpty && nicDevice(uplink, observation)?.state === activated;
}

/**
 * Returns true for a profile that is active. NetworkManager removes the Open vSwitch bridge of such a profile when the
 * profile is deleted.
 */
function isRun(uuid: string, { networkManager }: Observation): boolean {
  return networkManager.activeConnections.some((active) => active.uuid === uuid);
}

/**
 * Returns the step that removes the NIC from the bridge, and the steps that wait for the NIC's own lease and routes and
 * then remove the held routes. The waits and the removal of the held routes come after the removal of the bridge. The
 * NIC answers at the held addresses even if a lease does not arrive. Returns no steps if the NIC is outside of the
 * bridge, its own profile is active, and the NIC has not lost the addresses of this profile. `held` is the link that
 * has the node's addresses: the bridge, or the NIC if the bridge no longer exists.
 */
function detach(
  names: BridgeNames,
  uplink: string,
  { admin, ours }: { readonly admin: NmProfile; readonly ours: readonly NmProfile[] },
  held: Link | undefined,
  observation: Observation,
): readonly Step[] {
  const runsOwn = activeProfile(uplink, observation)?.uuid === admin.uuid;
  const isPort = uplinkInBridge(names, observation) === uplink;
  if (runsOwn && !isPort && !isLeftBare(uplink, admin, observation)) return [];
  const addresses = held === undefined ? [] : profileAddresses(held, admin.settings);
  const observed = ownRoutes(observation).filter(
    (route) => route.device === held?.name && hasFamily(addresses, route.family) && !isLinkLocal6(route.destination),
  );
  const routes = observed.map(({ destination, gateway }) => ({ destination, gateway }));
  const metric = preferredMetric(names, admin, observed, observation);
  const connecting = ours.filter(({ settings }) => jsonOf(settings, 'connection', 'autoconnect') !== false);
  const detachUplink: Step = {
    do: 'detachUplink',
    bridge: names.bridge,
    interface: uplink,
    profile: nameOf(admin),
    activate: !runsOwn,
    ...(runsOwn || connecting.length === 0 ? {} : { blocked: connecting.map(nameOf) }),
    mac: isPort ? (held?.mac ?? null) : null,
    addresses,
    routes,
    metric,
    why: `${uplink} gets the addresses and routes of the node before it leaves ${names.bridge}, so nothing is lost in between`,
  };
  if (addresses.length === 0) return [detachUplink];
  const defaults = [...new Set(routes.map((route) => route.destination).filter(isDefault))];
  const why = `held routes are removed once ${uplink} has routes of its own`;
  const lease = dynamicFamilies(admin.settings).includes(4) && hasFamily(addresses, 4);
  return [
    detachUplink,
    ...(lease ? [waitForLease(admin, uplink)] : []),
    ...(sharesTraffic(admin.settings) ? [addAgain(admin, uplink)] : []),
    { do: 'releaseRoutes', interface: uplink, destinations: defaults, routes, metric, why },
  ];
}

/**
 * Returns the steps that activate the administrator's profile on a NIC that has left its bridge. The NIC's held
 * addresses stay during the activation.
 */
export function returnToNic(
  names: BridgeNames,
  uplink: string,
  admin: NmProfile,
  observation: Observation,
): readonly Step[] {
  const link = observation.links.find((entry) => entry.name === uplink);
  return detach(names, uplink, { admin, ours: [] }, link, observation);
}

/**
 * Returns true for a profile with weighted IPv4 routes (`weight`). NetworkManager combines weighted routes with one
 * metric into one multipath route, even if they lead through several interfaces. The kernel removes the whole multipath
 * route when one of these interfaces loses its part of the route.
 */
function sharesTraffic(settings: ProfileSettings): boolean {
  return listOf(settings, 'ipv4', 'route-data').some((route) => Number(route.weight ?? 0) > 0);
}

function addAgain({ id, uuid }: NmProfile, uplink: string): Step {
  const why = `a multipath route that ${uplink} had in common with the bridge went with the bridge`;
  return { do: 'reapply', id, uuid, settings: null, why };
}

function waitForLease({ id, uuid }: NmProfile, uplink: string): Step {
  const why = 'the same MAC gets the same lease';
  const wait = { lease: true, ipv6DefaultMetric: null, heldMetric: null };
  return { do: 'waitDynamic', id, uuid, interface: uplink, ...wait, why };
}

/** Metric just below that of br-ex, which is 48 (gatewayBridge in model/names.ts). */
const defaultMetric = 47;

/**
 * Returns a metric below the metrics of all routes of the bridge, so that the NIC's routes are preferred while both
 * have them. For a bridge of `bridge add`, other NICs may have lower metrics. Routes of these NICs are never replaced,
 * and stay preferred if a number between their metrics and those of the bridge is free. For other bridges, the result
 * is not a metric that the NIC's own profile sets, unless that metric is 1.
 */
function preferredMetric(
  { isAdded, bridge }: BridgeNames,
  { settings }: NmProfile,
  own: readonly Route[],
  { routes }: Observation,
): number {
  const lowest = own.reduce((metric, route) => Math.min(metric, route.metric - 1), Number.POSITIVE_INFINITY);
  if (!isAdded || own.length === 0) {
    const asked = ['ipv4', 'ipv6'].map((family) => numberOf(settings, family, 'route-metric'));
    let preferred = Math.min(lowest, defaultMetric);
    while (asked.includes(preferred)) preferred -= 1;
    return Math.max(1, preferred);
  }
  const destinations = own.map((route) => route.destination);
  const others = routes.filter((route) => route.device !== bridge && destinations.includes(route.destination));
  let metric = lowest;
  while (others.some((route) => route.metric === metric)) metric -= 1;
  return Math.max(1, metric);
}

function hasFamily(addresses: readonly string[], family: 4 | 6): boolean {
  return addresses.some((address) => address.includes(':') === (family === 6));
}
