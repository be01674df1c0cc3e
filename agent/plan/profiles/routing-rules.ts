import type { PlanNote } from '../../model/plan.ts';
import type { Json, ProfileSettings } from '../../model/profile-settings.ts';

type Setting = ProfileSettings[string];

/** Keys of a routing rule that name an interface (NetworkManager, nm-core-internal.h, NM_IP_ROUTING_RULE_ATTR_*). */
const interfaceKeys = ['iifname', 'oifname'];

/**
 * Returns the routing rules of a profile whose address moves from one interface to another. In the returned rules, the
 * name of the second interface replaces that of the first, because packets pass through the second interface after the
 * move (ip-rule(8), iif and oif). A family in which no rule changes has no settings in the result.
 */
export function moveRoutingRules(
  id: string,
  source: ProfileSettings,
  from: string,
  to: string,
): { readonly ipv4: Setting; readonly ipv6: Setting; readonly notes: readonly PlanNote[] } {
  const ipv4 = movedIn(source.ipv4, from, to);
  const ipv6 = movedIn(source.ipv6, from, to);
  const message = `routing rules of ${id} that name ${from} name ${to}: that is where its packets pass`;
  const isMoved = ipv4 !== null || ipv6 !== null;
  return { ipv4: ipv4 ?? {}, ipv6: ipv6 ?? {}, notes: isMoved ? [{ level: 'info', message }] : [] };
}

function movedIn(setting: Setting | undefined, from: string, to: string): Setting | null {
  const [signature, rules] = setting?.['routing-rules'] ?? [];
  if (signature === undefined || !Array.isArray(rules)) return null;
  const moved = rules.map((rule: Json) => movedRule(rule as Readonly<Record<string, Json>>, from, to));
  const isSame = JSON.stringify(moved) === JSON.stringify(rules);
  return isSame ? null : { 'routing-rules': [signature, moved] };
}

function movedRule(rule: Readonly<Record<string, Json>>, from: string, to: string): Json {
  const isOf = (key: string, value: Json): boolean =>
    interfaceKeys.includes(key) && Array.isArray(value) && value[1] === from;
  return Object.fromEntries(Object.entries(rule).map(([key, value]) => [key, isOf(key, value) ? ['s', to] : value]));
}
