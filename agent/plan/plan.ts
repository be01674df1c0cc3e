import { AgentError } from '../errors.ts';
import type { Config } from '../model/config.ts';
import type { Observation } from '../model/observation.ts';
import type {
  Difference,
  Plan,
  PlanNote,
  PredictedOutage,
  Step,
  UplinkChoice,
  Wanted,
  WantedBridge,
} from '../model/plan.ts';
import { compare } from '../verify/compare.ts';
import { adjustInPlace } from './adjust.ts';
import { adoptInPlace, cloneSteps } from './adopt.ts';
import { buildWithoutUplink, buildWithUplink, commitProfiles } from './build.ts';
import { carriedBack, carriedOver, strayAddressNotes, touchedLinks } from './carried.ts';
import { giveBack } from './give-back.ts';
import { withIdlePorts } from './idle-ports.ts';
import { keptNotes } from './kept.ts';
import { type BridgeNames, bridges, externalBridge, gatewayBridge, ownNames } from './names.ts';
import { foreignBridgeNotes, refuseForeignBridge, strangersNotes } from './ownership.ts';
import { bridgeWithoutUplink, bridgeWithUplink, type UplinkSource } from './profiles.ts';
import { activeProfile, uplinkSource } from './source-profile.ts';
import { refuseLostDefault, strayRouteNotes } from './stray-routes.ts';
import { refuseWithoutTeamd } from './teamd.ts';
import { chooseExternalUplink, chooseUplink } from './uplink.ts';

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
  const options = { datapathType: config.ovs.datapathType.value, chosen };
  const notes: PlanNote[] = [
    ...decision.notes,
    ...(external === null ? foreignBridgeNotes(externalBridge, observation) : []),
  ];
  const targets: Target[] = [];
  const add = (names: BridgeNames, uplink: string): void => {
    const source = uplinkSource(names, uplink, observation);
    refuseLostDefault(source, observation);
    const { wanted, notes: own } = bridgeWithUplink(names, source, observation, options);
    targets.push({ names, wanted, source });
    notes.push(...own, ...strayAddressNotes(source), ...strayRouteNotes(source, observation));
    const active = activeProfile(uplink, observation);
    if (active !== undefined) notes.push(...keptNotes(active, observation));
  };
  if (decision.choice.interface === null) {
    targets.push({ names: gatewayBridge, wanted: bridgeWithoutUplink(gatewayBridge, options), source: null });
  } else add(gatewayBridge, decision.choice.interface);
  if (external !== null) add(externalBridge, external);
  const plan = planFor(targets, observation, decision.choice, notes, config.persist.value);
  refuseWithoutTeamd(plan, observation);
  return { kind: 'planned', plan };
}

/** True for a profile that is on disk and should be in memory, or the other way round; null: it may stay where it is. */
function isMisplaced(uuid: string, persist: boolean | null, observation: Observation): boolean {
  const profile = observation.networkManager.profiles.find((entry) => entry.uuid === uuid);
  return persist !== null && profile !== undefined && profile.filename.startsWith('/etc/') !== persist;
}

/** Plans the removal of every trace of ours: NICs back to their own profiles, bridges and profiles gone. */
export function planDisable(observation: Observation): Plan {
  const notes = bridges.flatMap((names) => strangersNotes(names, observation));
  const plan = planFor([], observation, null, notes, false);
  refuseWithoutTeamd(plan, observation);
  return plan;
}

/**
 * Plans the way back to bridges as they were before a transaction, kept in its journal; none of them means giving the NICs back. So
 * does one that lacked a profile already and is not there as it was: it cannot be built again.
 */
export function planReturn(previous: Wanted, observation: Observation): Plan {
  const targets = bridges.flatMap((names): Target[] => {
    const wanted = previous.bridges.find((bridge) => bridge.bridge === names.bridge);
    if (wanted === undefined || (!isWhole(names, wanted) && differs(names, wanted, observation))) return [];
    const source = wanted.uplink === null ? null : uplinkSource(names, wanted.uplink.interface, observation);
    return [{ names, wanted, source }];
  });
  return planFor(targets, observation, null, [], null);
}

/** Steps that bring back what was before a transaction, after NetworkManager has done what it could. */
export function planRestore(previous: Wanted, observation: Observation): readonly Step[] {
  return withIdlePorts(planReturn(previous, observation).steps, observation);
}

function planFor(
  targets: readonly Target[],
  observation: Observation,
  choice: UplinkChoice | null,
  notes: readonly PlanNote[],
  persist: boolean | null,
): Plan {
  const wanted: Wanted = { bridges: targets.map((target) => target.wanted) };
  const differences = compare(wanted, observation, ownNames);
  const steps: Step[] = [];
  const rebuilt: Target[] = [];
  const taken: Target[] = [];
  for (const names of bridges) {
    const target = targets.find((entry) => entry.names === names);
    const own = differences.filter((difference) => concerns(difference, names));
    if (target === undefined) steps.push(...giveBack(names, observation));
    else if (own.length > 0) {
      const adjusted = adjustInPlace(target.wanted, names, own, observation);
      const adopted =
        adjusted === null && target.source !== null
          ? adoptInPlace(target.wanted, names, own, target.source, observation)
          : null;
      if (adjusted !== null) steps.push(...adjusted);
      else if (adopted !== null) {
        rebuilt.push(target);
        steps.push(...adopted);
      } else {
        rebuilt.push(target);
        taken.push(target);
        steps.push(...giveBack(names, observation), ...build(target, observation));
      }
    }
  }
  const clones = cloneSteps(
    targets.filter((target) => !taken.includes(target)).map((target) => target.names),
    persist,
    observation,
  );
  steps.unshift(...clones.before);
  steps.push(...clones.after);
  const keepsUplink = (names: BridgeNames): boolean =>
    targets.some((target) => target.names === names && target.source !== null);
  const proven = rebuilt.flatMap((target) => target.wanted.profiles);
  const moved = targets
    .filter((target) => !rebuilt.includes(target))
    .flatMap((target) => target.wanted.profiles.filter((profile) => isMisplaced(profile.uuid, persist, observation)));
  if (proven.length + moved.length > 0) steps.push(commitProfiles([...proven, ...moved], persist ?? false));
  return {
    outcome: steps.length === 0 ? 'unchanged' : 'change',
    choice,
    wanted,
    carried: [
      ...targets.flatMap((target) =>
        target.source === null ? [] : [carriedOver(target.names, target.source, observation)],
      ),
      ...bridges.flatMap((names) => carriedBack(names, keepsUplink(names), observation) ?? []),
    ],
    before: touchedLinks(
      targets.flatMap((target) => target.source?.link.name ?? []),
      observation,
    ),
    differences: [...differences, ...clones.differences],
    steps,
    notes: [...notes, ...taken.flatMap((target) => strangersNotes(target.names, observation))],
    outage: predictOutage(steps),
  };
}

function build(target: Target, observation: Observation): readonly Step[] {
  if (target.source === null) return buildWithoutUplink(target.names, target.wanted);
  return buildWithUplink(target.names, target.wanted, target.source, observation);
}

function isWhole(names: BridgeNames, { uplink, profiles }: WantedBridge): boolean {
  const needed = [names.bridge, names.bridgePort, names.bridgeInterface];
  const forUplink = uplink === null ? [] : [names.uplinkPort, names.uplinkInterface];
  return [...needed, ...forUplink].every((id) => profiles.some((profile) => profile.id === id));
}

function differs(names: BridgeNames, wanted: WantedBridge, observation: Observation): boolean {
  return compare({ bridges: [wanted] }, observation, ownNames).some((difference) => concerns(difference, names));
}

function concerns(difference: Difference, names: BridgeNames): boolean {
  const words = difference.subject.split(' ');
  return [names.bridge, names.bridgePort, names.bridgeInterface, names.uplinkPort, names.uplinkInterface].some((name) =>
    words.includes(name),
  );
}

/** Measured in the booted node, see docs/decisions; a real NIC's driver may add its own. */
function predictOutage(steps: readonly Step[]): PredictedOutage {
  if (steps.some((step) => step.do === 'attachUplink')) {
    return { expectedMs: 100, why: 'the bridge has the addresses before the NIC moves; measured: under 100 ms' };
  }
  if (steps.some((step) => step.do === 'returnUplink')) {
    return { expectedMs: 100, why: 'the NIC has the addresses before it leaves the bridge; measured: under 100 ms' };
  }
  const moves = steps.some(
    (step) => step.do === 'activate' && step.profiles.some((profile) => profile.interface !== null),
  );
  if (moves) return { expectedMs: 1000, why: 'a NIC changes its profile without addresses to hand over' };
  return { expectedMs: 0, why: 'no NIC is touched' };
}

function pluginMissing(): AgentError {
  return new AgentError('ovs-plugin-missing', 'NetworkManager runs without its Open vSwitch plugin', {
    hint: 'install it (RPM: NetworkManager-ovs, Debian: network-manager-ovs), then: systemctl restart NetworkManager',
  });
}
