// Profiles of NetworkManager in the simulated node, and their effect on addresses and routes.
import type { LinkAddress, NmProfile, Route } from '../../../agent/model/observation.ts';
import type { WantedProfile } from '../../../agent/model/plan.ts';
import type { ProfileSettings, SettingValue } from '../../../agent/model/profile-settings.ts';
import { linkAddress } from '../link-address.ts';

export type Family = 4 | 6;

/** Metric of the routes of an Ethernet NIC whose profile sets none (NetworkManager, ipv4.route-metric). */
export const ethernetMetric = 100;

/** Returns a profile in memory, as NetworkManager shows it. */
export function profileOf({ id, uuid, settings }: WantedProfile): NmProfile {
  const empty: SettingValue = ['aa{sv}', []];
  const ip = (name: 'ipv4' | 'ipv6') => ({
    [name]: { 'address-data': empty, 'route-data': empty, method: ['s', 'auto'] as const, ...settings[name] },
  });
  const connection = {
    permissions: ['as', []] as const,
    ...settings.connection,
    timestamp: ['t', 1_800_000_000] as const,
  };
  const shown = { ...settings, connection, ...ip('ipv4'), ...ip('ipv6') };
  return { path: `/profile/${id}`, uuid, id, filename: `/run/NetworkManager/${id}`, settings: shown };
}

export function typeOf(settings: ProfileSettings): string {
  return String(settings.connection?.type?.[1]);
}

/** Returns true for a profile with which earlier releases of the agent and configure-ovs.sh made a NIC a port. */
export function isPortOfOvs({ settings }: NmProfile): boolean {
  return settings.connection?.['slave-type']?.[1] === 'ovs-port' && typeOf(settings) !== 'ovs-interface';
}

export function isDynamic(settings: ProfileSettings | null, family: Family): boolean {
  return ['auto', 'dhcp'].includes(String(settings?.[`ipv${family}`]?.method?.[1]));
}

function isOff(settings: ProfileSettings, family: Family): boolean {
  return ['disabled', 'ignore', 'undefined'].includes(String(settings[`ipv${family}`]?.method?.[1]));
}

export function fixedAddresses(setting: Readonly<Record<string, SettingValue>> | undefined): LinkAddress[] {
  if (setting === undefined || setting.method?.[1] === 'disabled') return [];
  const list = (setting['address-data']?.[1] ?? []) as readonly Record<string, SettingValue>[];
  return list.map((entry) => linkAddress(`${entry.address?.[1]}/${entry.prefix?.[1]}`));
}

/** Returns the routes of a profile, each with its own metric, the profile's, or its previous one. */
export function fixedRoutes(
  setting: Readonly<Record<string, SettingValue>> | undefined,
  family: Family,
  given: readonly Route[],
  ofProfile: (route: Route) => Route,
): Route[] {
  if (setting === undefined || setting.method?.[1] === 'disabled') return [];
  const list = (setting['route-data']?.[1] ?? []) as readonly Record<string, SettingValue>[];
  const own = list.map((entry) => ({
    destination: `${entry.dest?.[1]}/${entry.prefix?.[1]}`,
    gateway: (entry['next-hop']?.[1] ?? null) as string | null,
    own: entry.metric === undefined ? undefined : Number(entry.metric[1]),
  }));
  const gateway = setting.gateway?.[1];
  const any = family === 4 ? '0.0.0.0/0' : '::/0';
  const all = gateway === undefined ? own : [...own, { destination: any, gateway: String(gateway), own: undefined }];
  return all.map(({ destination, gateway: hop, own: metric }): Route => {
    const before = given.find((route) => route.destination === destination && route.gateway === hop);
    const route = { family, destination, gateway: hop, device: '', metric: before?.metric ?? ethernetMetric };
    return metric === undefined ? ofProfile(route) : { ...route, metric };
  });
}

/** Returns true if the LAN still has to provide every family that the settings enable. */
export function waitsForLan(settings: ProfileSettings, answered: ReadonlySet<4 | 6>): boolean {
  const enabled = ([4, 6] as const).filter((family) => !isOff(settings, family));
  const waits = enabled.filter((family) => isDynamic(settings, family) && !answered.has(family));
  return waits.length > 0 && waits.length === enabled.length;
}
