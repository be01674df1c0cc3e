import { compare } from '../compare/bridges.ts';
import { AgentError } from '../errors.ts';
import type { Config } from '../model/config.ts';
import type { LeftBridge } from '../model/left-bridge.ts';
import type { Observation } from '../model/observation.ts';
import type { NetworkDifference, Plan, PlanNote, Step, UplinkChoice, Wanted, WantedBridge } from '../model/plan.ts';
import { adjustInPlace, claimStep } from './bridge/adjust.ts';
import { buildWithoutUplink, buildWithUplink, putBack } from './bridge/build.ts';
import {
  clearLoopback,
  giveLoopback,
  loopbackDifferences,
  loopbackNotes,
  wantedOnLoopback,
} from './bridge/loopback.ts';
import {
  adoptionNotes,
  bareBridge,
  bridgeForMicroShift,
  entriesOf,
  microshiftBridge,
} from './bridge/microshift-bridge.ts';
import { movedToBridge, movedToNic, touchedLinks, unprofiledAddressNotes } from './bridge/moved-addresses.ts';
import { foreignBridgeNotes, lostPortNotes, refuseForeignBridge, refuseTakenAddress } from './bridge/ownership.ts';
import { takeBridgeApart } from './bridge/take-bridge-apart.ts';
import { refuseWithoutTun } from './bridge/tap.ts';
import { refuseLostDefault, unprofiledRouteNotes } from './bridge/unprofiled-routes.ts';
import { addressesWithoutUplink, ingressFault } from './microshift-address.ts';
import { type BridgeNames, bridges, externalBridge, gatewayBridge, ownNames, profileIds } from './names.ts';
import { bridgeWithoutUplink, bridgeWithUplink } from './profiles/profiles.ts';
import { chooseExternalUplink, chooseUplink } from './uplink/choose.ts';
import { externalNotes, unusedCopies } from './uplink/external-profile.ts';
import { activeProfile, type UplinkSource, uplinkSource } from './uplink/source-profile.ts';
import { refuseWithoutTeamd } from './uplink/teamd.ts';

/** A bridge as it shall be, and what it is made from. */
interface Target {
  readonly names: BridgeNames;
  readonly wanted: WantedBridge;
  readonly source: UplinkSource | null;
}

export type PlanDecision =
  | { readonly kind: 'planned'; readonly plan: Plan }
  | { readonly kind: 'waiting'; readonly trace: readonly string[] };

/**
 * Plans everything `apply` does, from facts alone: no clock, no randomness, no I/O. Every refusal happens here, before anything is
 * touched. Answers `waiting` when the choice depends on a default route that may still come.
 */
export function planApply(config: Config, observation: Observation, routeWaitOver: boolean): PlanDecision {
  if (!observation.networkManager.ovsPlugin) throw pluginMissing();
  refuseForeignBridge(gatewayBridge, observation);
  const decision = chooseUplink(config, observation, routeWaitOver);
  if (decision.kind === 'waiting') return decision;
  const external = chooseExternalUplink(config, observation);
  if (external !== null) refuseForeignBridge(externalBridge, observation);
  const chosen = { gateway: decision.choice.interface, external };
  const notes: PlanNote[] = [
    ...decision.notes,
    ...(external === null ? foreignBridgeNotes(externalBridge, observation) : []),
  ];
  const targets: Target[] = [];
  const add = (names: BridgeNames, uplink: string): void => {
    const source = uplinkSource(names, uplink, observation);
    refuseLostDefault(source, observation);
    const { wanted, notes: own } = bridgeWithUplink(names, source, observation, config, chosen);
    refuseTakenAddress(wanted, source, observation);
    const loopback = names === gatewayBridge ? wantedOnLoopback(config, source, observation) : [];
    notes.push(...loopbackNotes(loopback, observation));
    targets.push({ names, wanted: loopback.length === 0 ? wanted : { ...wanted, loopback }, source });
    notes.push(...own, ...unprofiledAddressNotes(source), ...unprofiledRouteNotes(source, observation));
    notes.push(...externalNotes(activeProfile(uplink, observation), observation));
    const fault = ingressFault(config.cluster, uplink, names.bridge);
    if (fault !== null) notes.push({ level: 'warning', message: fault });
  };
  if (decision.choice.interface === null) {
    const addresses = addressesWithoutUplink(config.cluster, observation.host.hasMicroShiftScript === true);
    targets.push({ names: gatewayBridge, wanted: bridgeWithoutUplink(gatewayBridge, config, addresses), source: null });
  } else add(gatewayBridge, decision.choice.interface);
  if (external !== null) add(externalBridge, external);
  notes.push(...adoptionNotes(gatewayBridge, decision.choice.interface, observation));
  const plan = planFor(targets, observation, decision.choice, notes, misplacedProfiles(targets, observation));
  refuseWithoutTeamd(plan, observation);
  refuseWithoutTun(plan, observation);
  return { kind: 'planned', plan };
}

/** Plans the removal of every trace of ours: NICs back to their own profiles, bridges and profiles gone. */
export function planDisable(observation: Observation): Plan {
  const ours = bridges.filter((names) => takeBridgeApart(names, observation).length > 0);
  const microshift = ours.flatMap((names) => bridgeForMicroShift(names, observation) ?? []);
  const gone = bridges.filter((names) => !microshift.some((left) => left.bridge === names.bridge));
  const notes = gone.flatMap((names) => lostPortNotes(names, observation));
  const plan = planFor([], observation, null, notes, [], microshift);
  refuseWithoutTeamd(plan, observation);
  return plan;
}

/**
 * Plans the way back to bridges as they were before a transaction, kept in its journal; none of them means giving the NICs back. So
 * does one that lacked a profile already, or that an earlier agent or the script made, and is not there as it was: it cannot be built again.
 */
export function planUndo(previous: Wanted, observation: Observation): Plan {
  const targets = bridges.flatMap((names): Target[] => {
    const wanted = previous.bridges.find((bridge) => bridge.bridge === names.bridge);
    if (wanted === undefined || (!isWhole(names, wanted) && differs(wanted, observation))) return [];
    const source = wanted.uplink === null ? null : uplinkSource(names, wanted.uplink.interface, observation);
    return [{ names, wanted, source }];
  });
  return planFor(targets, observation, null, [], [], previous.microshift);
}

/**
 * Steps that bring back what was before a transaction that failed; null where there was a bridge of an earlier agent or of the script, which
 * is not as it was: only NetworkManager's checkpoint can build that again.
 */
export function planRestore(previous: Wanted, observation: Observation): readonly Step[] | null {
  const canBeBuilt = previous.bridges.every((wanted) => {
    const names = bridges.find((entry) => entry.bridge === wanted.bridge);
    return names === undefined || isWhole(names, wanted) || !differs(wanted, observation);
  });
  if (!canBeBuilt) return null;
  const { steps } = planUndo(previous, observation);
  const copies = unusedCopies(observation);
  const why = 'the NIC that it was made for never ran it';
  return copies.length === 0 ? steps : [...steps, { do: 'deleteProfiles', profiles: copies, bridges: [], why }];
}

function planFor(
  targets: readonly Target[],
  observation: Observation,
  choice: UplinkChoice | null,
  notes: readonly PlanNote[],
  misplaced: readonly NetworkDifference[] = [],
  microshift: readonly LeftBridge[] = [],
): Plan {
  const wanted: Wanted = {
    bridges: targets.map((target) => target.wanted),
    ...(microshift.length === 0 ? {} : { microshift }),
  };
  const differences = [...compare(wanted, observation, ownNames), ...misplaced];
  const steps: Step[] = [];
  const lost: BridgeNames[] = [];
  for (const names of bridges) {
    const target = targets.find((entry) => entry.names === names);
    const own = differences.filter((difference) => difference.bridge === names.bridge);
    if (target === undefined) {
      const left = microshift.find((entry) => entry.bridge === names.bridge) ?? null;
      steps.push(...takeBridgeApart(names, observation, left));
    } else if (own.length > 0) {
      steps.push(...giveLoopback(own));
      const adjusted = adjustInPlace(target.wanted, names, own, target.source, observation);
      const mended = adjusted ?? rebuild(target, observation);
      // What is claimed stays, with the ports of others.
      if (adjusted === null && !mended.some((step) => step.do === 'claimBridge')) lost.push(names);
      steps.push(...mended, ...clearLoopback(loopbackDifferences(own, 'absent')));
    }
  }
  const uplinks = targets.flatMap(({ names, source }) => (source === null ? [] : [{ names, source }]));
  const left = bridges.filter((names) => !uplinks.some((target) => target.names === names));
  const moved = [
    ...uplinks.map(({ names, source }) => movedToBridge(names, source, observation)),
    ...left.flatMap((names) => movedToNic(names, observation) ?? []),
  ];
  return {
    outcome: steps.length === 0 ? 'unchanged' : 'change',
    choice,
    wanted,
    carried: startsUplink(steps) ? moved.map((entry) => ({ ...entry, settlesMs: startedUplinkMs })) : moved,
    before: touchedLinks(
      uplinks.map(({ source }) => source.link.name),
      observation,
    ),
    differences,
    steps,
    notes: [...notes, ...lost.flatMap((names) => lostPortNotes(names, observation))],
    outage: predictOutage(steps),
  };
}

/**
 * Profiles of ours that an earlier agent wrote to disk: at the next boot NetworkManager would begin with them. On the way back they are no
 * difference: they are where they were.
 */
function misplacedProfiles(targets: readonly Target[], observation: Observation): readonly NetworkDifference[] {
  const onDisk = observation.networkManager.profiles.filter(({ filename }) => filename.startsWith('/etc/'));
  const fields = { kind: 'leftover', onDisk: true, wanted: 'absent' } as const;
  return targets.flatMap(({ wanted: { bridge, profiles } }) =>
    onDisk
      .filter(({ uuid }) => profiles.some((own) => own.uuid === uuid))
      .map(({ id, uuid, filename }) => ({ ...fields, bridge, profile: id, uuid, observed: filename })),
  );
}

/**
 * Builds a bridge anew; around the one that is there, where MicroShift has made it or others have put ports into it. What others gave its
 * interface is there again afterwards.
 */
function rebuild(target: Target, observation: Observation): readonly Step[] {
  const { names, wanted, source } = target;
  const isMicroShifts = microshiftBridge(names, observation) !== null;
  const bare = bareBridge(names, wanted, observation);
  const taken = isMicroShifts ? [] : takeBridgeApart(names, observation, bare);
  const claim = isMicroShifts || bare !== null ? [claimStep(names, wanted)] : [];
  const after = putBack(wanted.foreign ?? entriesOf(names.bridge, observation));
  if (source === null) return [...taken, ...buildWithoutUplink(names, wanted, claim), ...after];
  const isActive = source.isActive || taken.some((step) => step.do === 'detachUplink');
  return [...taken, ...buildWithUplink(names, wanted, source, isActive, observation, claim), ...after];
}

/** LACP agrees within seconds where the switch does not wait out its slow timer; listening and learning take 30 s (IEEE 802.1D). */
const startedUplinkMs = 45_000;

/** True where a NIC's profile is started anew: it may carry nothing for a while (LACP, spanning tree). */
function startsUplink(steps: readonly Step[]): boolean {
  return steps.some(
    (step) => (step.do === 'detachUplink' && step.activate) || (step.do === 'clearUplink' && step.profile !== null),
  );
}

function isWhole(names: BridgeNames, { profiles }: WantedBridge): boolean {
  const ids = profileIds(names);
  return profiles.length === ids.length && profiles.every((profile) => ids.includes(profile.id));
}

function differs(wanted: WantedBridge, observation: Observation): boolean {
  return compare({ bridges: [wanted] }, observation, ownNames).some((entry) => entry.bridge === wanted.bridge);
}

/** Measured in the booted node, see docs/decisions; a real NIC's driver may add its own. */
function predictOutage(steps: readonly Step[]): Plan['outage'] {
  const has = (kind: Step['do']): boolean => steps.some((step) => step.do === kind);
  if (steps.some((step) => step.do === 'detachUplink' && step.activate))
    return { expectedMs: 500, why: 'the NIC leaves the profile that the script or an earlier version gave it' };
  if (has('attachUplink'))
    return { expectedMs: 100, why: 'the bridge has the addresses before the NIC moves; measured: under 100 ms' };
  if (has('detachUplink'))
    return { expectedMs: 100, why: 'the NIC has the addresses before it leaves the bridge; measured: under 100 ms' };
  if (has('clearUplink')) return { expectedMs: 0, why: 'the NIC is changed in place while the bridge answers' };
  return { expectedMs: 0, why: 'no NIC is touched' };
}

function pluginMissing(): AgentError {
  return new AgentError('ovs-plugin-missing', 'NetworkManager runs without its Open vSwitch plugin', {
    hint: 'install it (RPM: NetworkManager-ovs, Debian: network-manager-ovs), then: systemctl restart NetworkManager',
  });
}
