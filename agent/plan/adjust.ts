import type { Observation } from '../model/observation.ts';
import type { Difference, Step, WantedBridge } from '../model/plan.ts';
import { fixedAddresses } from '../verify/compare.ts';
import type { BridgeNames } from './names.ts';
import { isBorrowed, reclaim } from './ownership.ts';

/**
 * Steps that mend a complete bridge without taking it apart: settings of the bridge's own interface, addresses somebody removed,
 * `autoconnect`, the name of the profile it was made from. Null when the differences need more than that.
 */
export function adjustInPlace(
  wanted: WantedBridge,
  names: BridgeNames,
  differences: readonly Difference[],
  observation: Observation,
): readonly Step[] | null {
  const soft = new RegExp(
    `^(profile ${names.bridgeInterface} (ipv4|ipv6|connection|proxy|hostname|user)\\.|profile \\S+ (connection\\.autoconnect|user\\.data)$|address \\S+ on ${names.bridge}$|owner of bridge ${names.bridge}$)`,
  );
  if (!differences.every((difference) => soft.test(difference.subject))) return null;
  const changed = wanted.profiles.filter((profile) =>
    differences.some((difference) => difference.subject.startsWith(`profile ${profile.id} `)),
  );
  const final = wanted.profiles.find((profile) => profile.id === names.bridgeInterface);
  if (final === undefined) return null;
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  const isHidden = row !== undefined && isBorrowed(row);
  if (!isHidden && differences.some((difference) => difference.subject.startsWith('owner '))) return null;
  const steps: Step[] = isHidden ? [reclaim(names)] : [];
  const onDisk = observation.networkManager.profiles.some(
    (profile) => profile.uuid === final.uuid && profile.filename.startsWith('/etc/'),
  );
  if (changed.length > 0) {
    steps.push({
      do: 'updateProfiles',
      profiles: changed,
      storage: onDisk ? 'disk' : 'memory',
      why: 'the profiles follow what they were made from',
    });
  }
  if (differences.some((difference) => !/ (connection\.autoconnect|user\.data)$|^owner /.test(difference.subject))) {
    steps.push({
      do: 'reapply',
      id: final.id,
      uuid: final.uuid,
      settings: null,
      why: `${names.bridge} is changed in place; its link stays up`,
    });
    const addresses = fixedAddresses(final.settings);
    if (addresses.length > 0) {
      steps.push({
        do: 'waitBindable',
        interface: names.bridge,
        addresses,
        why: 'a new address is checked for duplicates before it answers',
      });
    }
  }
  return steps;
}
