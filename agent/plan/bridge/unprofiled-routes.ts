import { AgentError } from '../../errors.ts';
import { dynamicFamilies } from '../../model/dynamic-families.ts';
import { entriesOf } from '../../model/kernel-entries.ts';
import type { Observation, Route } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { listOf, type ProfileSettings, textOf } from '../../model/profile-settings.ts';
import { isDefault } from '../../net/destination.ts';
import { shellWord } from '../../printable.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/*
 * Default routes of an uplink that are in no profile and that do not move as foreign entries (carried-entries.ts). An
 * example is a route that was added with the protocol `static`, which NetworkManager also uses. NetworkManager
 * configures the bridge from the profile, so these routes do not move. A plan is refused if a family would lose its
 * last default route.
 */

/** Returns a note about each default route of an uplink that does not move. */
export function unprofiledRouteNotes(source: UplinkSource, observation: Observation): readonly PlanNote[] {
  return unprofiledDefaults(source, observation).map((route) => ({
    level: 'warning',
    message: `the default route ${hopOf(route)} on ${route.device} is not in the profile ${source.id}, so it does not stay`,
  }));
}

/**
 * Fails with `interface-unsuitable` if the uplink would lose the last default route of a family. Nothing is checked
 * once the bridge has the addresses.
 */
export function refuseLostDefault(source: UplinkSource, observation: Observation): void {
  if (source.addressLink !== source.link) return;
  const unprofiled = unprofiledDefaults(source, observation);
  const inProfile = defaultsOn(source, observation).filter((route) => !unprofiled.includes(route));
  const lost = unprofiled.find((entry) => !inProfile.some((route) => route.family === entry.family));
  if (lost === undefined) return;
  const { id, link } = source;
  const facts = { interface: link.name, profile: id };
  const route = `the default route of ${link.name}`;
  if (lost.viaIpv6 === true) {
    const hint = `give the profile ${id} an IPv4 gateway, name another interface, or set \`uplink: none\``;
    const why = `${route} goes through an IPv6 next hop, which NetworkManager cannot give to the bridge`;
    throw new AgentError('interface-unsuitable', why, { hint, facts });
  }
  const flag = lost.family === 6 ? 'ip -6' : 'ip';
  const hint = `add it: nmcli connection modify ${shellWord(id)} ${settingOf(lost, source)}; or remove it: ${flag} route delete default dev ${link.name}`;
  const why = `${route} is not in the profile ${id}, so the bridge would be without one`;
  throw new AgentError('interface-unsuitable', why, { hint, facts });
}

function unprofiledDefaults(source: UplinkSource, observation: Observation): readonly Route[] {
  const dynamic = dynamicFamilies(source.settings);
  return defaultsOn(source, observation).filter(
    (route) =>
      !isCarried(route, observation) &&
      (route.viaIpv6 === true ||
        (!dynamic.includes(route.family) &&
          !gatewaysIn(source.settings, `ipv${route.family}`).includes(route.gateway))),
  );
}

/** Returns true for a foreign route, which moves unchanged. */
function isCarried({ device, destination, gateway }: Route, observation: Observation): boolean {
  return entriesOf(device, observation).routes.some(
    (route) => route.destination === destination && route.gateway === gateway && route.table === null,
  );
}

function defaultsOn({ addressLink }: UplinkSource, observation: Observation): readonly Route[] {
  return observation.routes.filter((route) => route.device === addressLink.name && isDefault(route.destination));
}

/** Returns the gateways of the default routes that a profile sets; null for a route without a gateway. */
function gatewaysIn(settings: ProfileSettings, name: string): readonly (string | null)[] {
  const own = listOf(settings, name, 'route-data')
    .filter((route) => route.prefix === 0)
    .map((route) => (route['next-hop'] ?? null) as string | null);
  const gateway = textOf(settings, name, 'gateway');
  return gateway === undefined ? own : [...own, gateway];
}

function hopOf({ gateway, viaIpv6 }: Route): string {
  if (viaIpv6 === true) return 'through an IPv6 next hop';
  return gateway === null ? 'without a gateway' : `through ${gateway}`;
}

/**
 * Returns the setting that would add the route to the profile, as words for nmcli. A profile that leaves IPv6 to the
 * kernel accepts no gateway; the setting then makes NetworkManager process router advertisements instead.
 */
function settingOf({ family, gateway, destination }: Route, { settings }: UplinkSource): string {
  if (family === 6 && textOf(settings, 'ipv6', 'method') === 'ignore') return 'ipv6.method auto';
  return gateway === null ? `+ipv${family}.routes ${destination}` : `ipv${family}.gateway ${gateway}`;
}
