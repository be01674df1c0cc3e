import type { OvsFacts } from '../model/observation.ts';
import type { StrayPort, Wanted } from '../model/plan.ts';
import { bridges, ownerKeys, profileUuid } from './names.ts';

/** Ports with an uplink profile of ours in bridges that had another uplink before, or none, or were not there. */
export function strayUplinks(previous: Wanted, facts: OvsFacts): readonly StrayPort[] {
  return bridges.flatMap((names) => {
    const row = facts.bridges.find((entry) => entry.name === names.bridge);
    const before = previous.bridges.find((entry) => entry.bridge === names.bridge)?.uplink?.interface;
    return (row?.ports ?? [])
      .filter((port) => port.externalIds[ownerKeys.networkManager] === profileUuid(names.uplinkPort))
      .filter((port) => port.name !== before)
      .map((port) => ({
        bridge: names.bridge,
        markKey: ownerKeys.borrowed,
        port: port.name,
        profile: profileUuid(names.uplinkInterface),
      }));
  });
}
