import { type Change, changeOf, changesOf } from '../compare/plan-changes.ts';
import { unappliedSettings } from '../compare/unapplied.ts';
import { bridgesOf, gatewayBridge, ownerOf, profileUuid } from '../model/names.ts';
import type { Observation } from '../model/observation.ts';
import type { Difference, Plan } from '../model/plan.ts';
import { uplinkInBridge } from '../model/uplink-in-bridge.ts';
import type { Style } from './style.ts';

/**
 * Returns the changes that a plan for the bridges and a plan for the Open vSwitch daemons (`tuning`) make to the
 * observed node.
 */
export function plannedChanges(plan: Plan, tuning: readonly Difference[], observation: Observation): readonly Change[] {
  const names = bridgesOf(observation, plan.wanted.added);
  return changesOf(plan, tuning, observation, (bridge) => {
    const found = names.find((entry) => entry.bridge === bridge);
    return found === undefined ? null : uplinkInBridge(found, observation);
  });
}

/**
 * Returns changes as the lines of a diff, below a title with the number of changes; an empty list if there are no
 * changes.
 */
export function changeLines(changes: readonly Change[], style: Style): readonly string[] {
  if (changes.length === 0) return [];
  return [style('bold', `Changes (${changes.length})`), ...changes.flatMap((change) => diffLines(change, style)), ''];
}

function diffLines({ subject, before, after }: Change, style: Style): readonly string[] {
  const line = (sign: string, value: string): string => `${sign} ${subject}${value === 'present' ? '' : `: ${value}`}`;
  return [
    ...(before === null ? [] : [style('red', line('-', before))]),
    ...(after === null ? [] : [style('green', line('+', after))]),
  ];
}

/**
 * Returns the settings that were changed in a profile and that `apply` does not put into effect, as the lines of a diff
 * with their remedy; an empty list if there are no such settings.
 */
export function unappliedLines(plan: Plan, observation: Observation, style: Style): readonly string[] {
  const edits = unappliedSettings(plan.wanted.bridges, observation);
  if (edits.length === 0) return [];
  const changes = edits.map(
    ({ subject, wanted, observed }): Change => ({
      subject: subject.replace(/^profile /, ''),
      before: observed,
      after: wanted,
    }),
  );
  return [
    style('bold', 'Changed in a profile, and not in effect on the NIC: `apply` leaves the NIC active'),
    ...changes.flatMap((change) => diffLines(change, style)),
    'It takes effect at the next boot, or with `microshift-net disable`, an activation of the profile and `microshift-net apply`.',
    '',
  ];
}

/**
 * Returns the lines about a br-ex that the administrator builds, and the changes of Open vSwitch's daemons. `source` is
 * the line of ovn.yaml that has disableOVSInit. A bridge of the agent stays until the next boot, because its profiles
 * are only in memory.
 */
export function leftBridgeLines(
  source: string,
  { ovs }: Pick<Observation, 'ovs'>,
  tuning: readonly Difference[],
  style: Style,
): readonly string[] {
  const row = ovs.bridges.find(({ name }) => name === gatewayBridge.bridge);
  const isOwn = row !== undefined && ownerOf(row) === profileUuid(gatewayBridge.bridge);
  const fate = isOwn
    ? 'stays as the agent made it, and is not made again at the next boot; `microshift-net disable` removes it now'
    : 'is left to you';
  return [
    ...changeLines(tuning.map(changeOf), style),
    `${source} says disableOVSInit: br-ex ${fate}.`,
    ...(tuning.length === 0
      ? ['Nothing to do: `apply` only tunes Open vSwitch, which runs in the desired state.']
      : []),
  ];
}
