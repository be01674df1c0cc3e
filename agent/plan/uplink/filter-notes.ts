import type { Observation } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { textOf } from '../../model/profile-settings.ts';
import type { InterfaceRules } from '../../model/surroundings.ts';
import { shellWord } from '../../printable.ts';
import type { UplinkSource } from './source-profile.ts';

/**
 * Returns the rules of the packet filter that name a NIC but not its bridge. After the move, packets arrive at the
 * bridge, so these rules no longer match.
 */
export function rulesLeftBehind(
  nic: string,
  bridge: string,
  { interfaceRules = [] }: Pick<Observation, 'interfaceRules'>,
): readonly InterfaceRules[] {
  return interfaceRules.filter(({ names }) => isNamed(nic, names) && !isNamed(bridge, names));
}

/** Returns a sentence about rules of a chain that name the NIC but not its bridge. */
export function leftBehindText(nic: string, bridge: string, { table, chain, rules }: InterfaceRules): string {
  const what = rules === 1 ? '1 rule names' : `${rules} rules name`;
  return `${what} ${nic} and not ${bridge} in chain ${chain} of table ${table}: packets come and go by ${bridge}, which they do not match`;
}

/**
 * Returns notes about a NIC that moves into a bridge: about the rules that name the NIC, and about its firewalld zone
 * if the bridge would be in another zone.
 */
export function filterNotes(
  { link, id, settings }: UplinkSource,
  bridge: string,
  observation: Observation,
): readonly PlanNote[] {
  const nic = link.name;
  const rules = rulesLeftBehind(nic, bridge, observation).map(
    (entry) => `${leftBehindText(nic, bridge, entry)}; add ${bridge} there`,
  );
  const zone = zoneLeftBehind(nic, bridge, textOf(settings, 'connection', 'zone'), observation);
  const zones =
    zone === null
      ? []
      : [
          `${zone}; nmcli connection modify ${shellWord(id)} connection.zone ${shellWord(observation.interfaceZones?.assigned[nic] ?? '')} names it for both`,
        ];
  return [...rules, ...zones].map((message) => ({ level: 'warning', message }));
}

/**
 * Returns a sentence about firewalld if the NIC is in another zone than its bridge is or will be; null otherwise.
 * NetworkManager assigns the bridge to the zone of its profile, or to the default zone (nm-settings(5),
 * connection.zone). A zone to which firewalld itself assigns the NIC does not become the zone of the bridge.
 */
export function zoneLeftBehind(
  nic: string,
  bridge: string,
  zoneOfProfile: string | undefined,
  { interfaceZones: zones }: Pick<Observation, 'interfaceZones'>,
): string | null {
  if (zones === undefined || !Object.hasOwn(zones.assigned, nic)) return null;
  const own = zones.assigned[nic];
  const next = zones.assigned[bridge] ?? (zoneOfProfile || zones.defaultZone);
  return next === own ? null : `firewalld has ${nic} in the zone ${own} and ${bridge} in ${next}`;
}

function isNamed(name: string, names: readonly string[]): boolean {
  return names.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry));
}
