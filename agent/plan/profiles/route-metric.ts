import { addedNames } from '../../model/added-names.ts';
import { type BridgeNames, externalBridge, gatewayBridge } from '../../model/names.ts';
import type { Observation } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { numberOf } from '../../model/profile-settings.ts';
import { presentOrFormerUplink } from '../../model/uplink-in-bridge.ts';
import { isDefault } from '../../net/destination.ts';
import type { ChosenUplinks } from '../uplink/choose.ts';
import { adminProfile, type UplinkSource } from '../uplink/source-profile.ts';

/**
 * Returns the route metric of the bridge per family: 48 (br-ex) or 49 (br-ex1), unless the administrator set a metric
 * below that of every other default route. Any other metric of the administrator is replaced, with a note. A bridge of
 * `bridge add` has the administrator's metric, or one that keeps the NIC's precedence.
 */
export function bridgeRouteMetric(
  names: BridgeNames,
  source: UplinkSource,
  observation: Observation,
  chosen: ChosenUplinks,
): { ipv4: number; ipv6: number; notes: readonly PlanNote[] } {
  const notes: PlanNote[] = [];
  const forFamily = (family: 4 | 6): number => {
    const asked = numberOf(source.settings, `ipv${family}`, 'route-metric') ?? -1;
    const best = bestOtherDefault(family, names, source, observation, chosen);
    if (best <= names.routeMetric && names === gatewayBridge) {
      const message = `another interface has an IPv${family} default route with metric ${best}, which wins against ${names.bridge}`;
      notes.push({ level: 'warning', message });
    }
    if (asked < 0) return names.routeMetric;
    if (asked < best || names.isAdded) return asked;
    const message = `${names.bridge} has the route metric ${names.routeMetric} instead of ipv${family}.route-metric ${asked} of ${source.id}: another interface has a default route with metric ${best}`;
    notes.push({ level: 'info', message });
    return names.routeMetric;
  };
  return { ipv4: forFamily(4), ipv6: forFamily(6), notes };
}

function bestOtherDefault(
  family: 4 | 6,
  names: BridgeNames,
  source: UplinkSource,
  observation: Observation,
  chosen: ChosenUplinks,
): number {
  const others = [
    { names: gatewayBridge, uplink: chosen.gateway },
    { names: externalBridge, uplink: chosen.external },
  ].filter((one) => one.names.bridge !== names.bridge);
  const replaced = others.filter(({ names, uplink }) => leavingUplink(names, uplink, observation) !== null);
  const ignored = new Set([names.bridge, source.link.name, ...replaced.map((one) => one.names.bridge)]);
  // The default route of another bridge of the agent is compared by the metric that it will have after the run.
  const metricOf = (device: string, metric: number): number => {
    if (device === chosen.gateway) return Math.min(metric, gatewayBridge.routeMetric);
    if (device === chosen.external) return Math.min(metric, externalBridge.routeMetric);
    const added = observation.hints.addedBridges?.find((entry) => [entry.bridge, entry.interface].includes(device));
    if (added === undefined) return metric;
    const { settings } = adminProfile(addedNames(added.bridge), added.interface, observation) ?? {};
    const asked = numberOf(settings, `ipv${family}`, 'route-metric') ?? -1;
    return asked < 0 ? added.routeMetric : asked;
  };
  const returning = [{ names, uplink: source.link.name }, ...others].map((one) =>
    returningMetric(family, one.names, one.uplink, observation),
  );
  return observation.routes
    .filter((route) => route.family === family && isDefault(route.destination) && !ignored.has(route.device))
    .reduce((best, route) => Math.min(best, metricOf(route.device, route.metric)), Math.min(...returning));
}

/**
 * NetworkManager's default metric for an Ethernet NIC (nm-device.c, nm_device_get_route_metric_default). Other kinds of
 * NICs have higher ones.
 */
const defaultMetric = 100;

/** Returns the present uplink of a bridge if the run replaces or removes it; null if it stays or does not exist. */
function leavingUplink(names: BridgeNames, uplink: string | null, observation: Observation): string | null {
  const present = presentOrFormerUplink(names, observation);
  return present === uplink ? null : present;
}

/**
 * Returns the metric of the default route that a bridge's leaving uplink gets from its own profile. Infinity if no
 * uplink leaves, or if the bridge has no default route.
 */
function returningMetric(family: 4 | 6, names: BridgeNames, uplink: string | null, observation: Observation): number {
  const leaving = leavingUplink(names, uplink, observation);
  const hasDefault = observation.routes.some(
    (route) => route.family === family && isDefault(route.destination) && route.device === names.bridge,
  );
  if (leaving === null || !hasDefault) return Number.POSITIVE_INFINITY;
  const own = numberOf(adminProfile(names, leaving, observation)?.settings, `ipv${family}`, 'route-metric') ?? -1;
  return own >= 0 ? own : defaultMetric;
}
