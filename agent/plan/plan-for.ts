import { compare } from '../compare/compare-bridges.ts';
import { lostEntries } from '../compare/compare-others.ts';
import type { AddedBridge } from '../model/added-bridge.ts';
import { entriesOf, joined, noEntries, onInterface } from '../model/kernel-entries.ts';
import type { LeftBridge } from '../model/left-bridge.ts';
import { type BridgeNames, bridgesOf, gatewayBridge, ownNames } from '../model/names.ts';
import type { Observation } from '../model/observation.ts';
import type { NetworkDifference, Outage, Plan, PlanNote, Step, UplinkChoice, Wanted } from '../model/plan.ts';
import { startsNic, touchOf } from '../model/step-traits.ts';
import { adjustInPlace, claimStep } from './bridge/adjust.ts';
import { lostPortNotes } from './bridge/bridge-ownership.ts';
import { buildWithoutUplink, buildWithUplink, putBack } from './bridge/build.ts';
import { fromNic } from './bridge/carried-entries.ts';
import {
  clearLoopback,
  foundWithoutIt,
  giveLoopback,
  leaveLoopback,
  loopbackDifferences,
  signpostStep,
} from './bridge/loopback.ts';
import { bareBridge, microshiftBridge } from './bridge/microshift-bridge.ts';
import { movedToBridge, movedToNic, touchedLinks } from './bridge/moved-addresses.ts';
import { takeBridgeApart } from './bridge/take-bridge-apart.ts';
import type { Target } from './target.ts';

/** Properties of a plan that do not follow from its bridges. */
interface Aims {
  readonly choice?: UplinkChoice;
  readonly notes?: readonly PlanNote[];
  readonly misplaced?: readonly NetworkDifference[];
  readonly microshift?: readonly LeftBridge[] | undefined;
  readonly added?: readonly AddedBridge[] | undefined;
}

/** Returns the plan after which exactly these bridges of the agent exist on the node. */
export function planFor(
  targets: readonly Target[],
  observation: Observation,
  { choice, notes = [], misplaced = [], microshift = [], added }: Aims = {},
): Plan {
  const bridges = bridgesOf(observation, added);
  const wanted: Wanted = {
    bridges: targets.map((target) => target.wanted),
    ...(microshift.length === 0 ? {} : { microshift }),
    ...(added === undefined ? {} : { added }),
  };
  const differences = [...compare(wanted, observation, ownNames), ...misplaced];
  const steps: Step[] = [];
  const lost: BridgeNames[] = [];
  for (const names of bridges) {
    const target = targets.find((entry) => entry.names.bridge === names.bridge);
    const own = differences.filter((difference) => difference.bridge === names.bridge);
    if (target === undefined) {
      const left = microshift.find((entry) => entry.bridge === names.bridge) ?? null;
      steps.push(...takeBridgeApart(names, observation, left));
      if (names === gatewayBridge) steps.push(...leaveLoopback(observation));
    } else if (own.length > 0) {
      steps.push(...giveLoopback(own));
      const adjusted = adjustInPlace(target.wanted, names, own, target.source, observation);
      const mended = adjusted ?? rebuild(target, observation);
      // An existing bridge that NetworkManager only takes over keeps its foreign ports.
      if (adjusted === null && !mended.some((step) => step.do === 'claimBridge')) lost.push(names);
      steps.push(
        ...mended,
        ...signpostStep(own, 'absent', foundWithoutIt),
        ...clearLoopback(loopbackDifferences(own, 'absent')),
      );
    }
  }
  const uplinks = targets.flatMap(({ names, source }) => (source === null ? [] : [{ names, source }]));
  const left = bridges.filter((names) => !uplinks.some((target) => target.names.bridge === names.bridge));
  const moved = [
    ...uplinks.map(({ names, source }) => movedToBridge(names, source, observation)),
    ...left.flatMap((names) => movedToNic(names, observation) ?? []),
  ];
  return {
    outcome: steps.length === 0 ? 'unchanged' : 'change',
    choice: choice ?? null,
    wanted,
    carried: steps.some(startsNic) ? moved.map((entry) => ({ ...entry, settlesMs: startedUplinkMs })) : moved,
    before: touchedLinks(
      uplinks.map(({ source }) => source.link.name),
      observation,
    ),
    differences,
    steps,
    notes: [
      ...notes,
      ...lost.flatMap((names) => lostPortNotes(names, observation)),
      ...differences.flatMap(othersPortNotes),
    ],
    outage: predictOutage(steps),
  };
}

/** Returns a note about a missing foreign port, which the program that added it has to add again. */
function othersPortNotes(difference: NetworkDifference): readonly PlanNote[] {
  if (difference.kind !== 'others-port') return [];
  const { bridge, device } = difference;
  const message = `port ${device} was in ${bridge} until another program made the bridge again: the program that added it has to add it once more`;
  return [{ level: 'warning', message }];
}

/**
 * Returns the steps that build a bridge again. They keep the existing bridge if MicroShift made it, or if other
 * programs added ports to it and the bridge can stay. Foreign entries of its interface are restored afterwards.
 */
function rebuild(target: Target, observation: Observation): readonly Step[] {
  const { names, wanted, source } = target;
  const isMicroShifts = microshiftBridge(names, observation) !== null;
  const bare = bareBridge(names, wanted, observation);
  const taken = isMicroShifts ? [] : takeBridgeApart(names, observation, bare, wanted);
  const claim = isMicroShifts || bare !== null ? [claimStep(names, wanted, observation)] : [];
  const had = wanted.foreign ?? entriesOf(names.bridge, observation);
  const ofBridge = joined(had, lostEntries(names.bridge, observation));
  if (source === null) return [...taken, ...buildWithoutUplink(names, wanted, claim), ...putBack(ofBridge)];
  const isActive = source.isActive || taken.some((step) => step.do === 'detachUplink');
  // Entries that the NIC gets from the bridge when the bridge is removed, before it is built again.
  const given = taken.flatMap((step) =>
    step.do === 'changeKernel' && step.from === names.bridge ? [step.entries] : [],
  );
  const carried = given.reduce(
    (all, entries) => joined(all, onInterface(entries, names.bridge)),
    fromNic(names, source.link.name, observation),
  );
  const built = buildWithUplink(names, wanted, source, isActive, observation, {
    claim,
    present: isMicroShifts ? ofBridge : noEntries(names.bridge),
    carried,
  });
  return [...taken, ...built, ...putBack(joined(ofBridge, carried))];
}

/**
 * Time in ms in which a NIC that was activated again may carry no traffic. LACP negotiates within seconds unless the
 * switch uses its slow timer; the spanning tree states listening and learning take 30 s (IEEE 802.1D).
 */
const startedUplinkMs = 45_000;

/** Returns the longest outage that one of the steps causes; of several outages of this length, the last. */
function predictOutage(steps: readonly Step[]): Outage {
  const outages = steps.flatMap((step) => touchOf(step)?.outage ?? []);
  const none = { expectedMs: 0, why: 'no NIC is touched' };
  return outages.reduce((longest, one) => (one.expectedMs < longest.expectedMs ? longest : one), none);
}
