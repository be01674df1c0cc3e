import { compare } from '../compare/compare-bridges.ts';
import { AgentError } from '../errors.ts';
import type { AddedBridge } from '../model/added-bridge.ts';
import type { Config } from '../model/config.ts';
import { entriesOf, isEmpty, type KernelEntries } from '../model/kernel-entries.ts';
import { type BridgeNames, bridgesOf, externalBridge, gatewayBridge, ownNames, profileIds } from '../model/names.ts';
import type { Observation } from '../model/observation.ts';
import type { NetworkDifference, Plan, PlanNote, Step, Wanted, WantedBridge } from '../model/plan.ts';
import { uplinkInBridge } from '../model/uplink-in-bridge.ts';
import { foreignBridgeNotes, lostPortNotes, refuseForeignBridge } from './bridge/bridge-ownership.ts';
import { putBack } from './bridge/build.ts';
import { byPlace, lostEntryNotes } from './bridge/carried-entries.ts';
import { refuseWithoutKernelDatapath } from './bridge/datapath.ts';
import { startDisplaced } from './bridge/displaced-profile.ts';
import { withoutBridges } from './bridge/loopback.ts';
import { adoptionNotes, bridgeForMicroShift } from './bridge/microshift-bridge.ts';
import { takeBridgeApart } from './bridge/take-bridge-apart.ts';
import { refuseWithoutTun } from './bridge/tap.ts';
import { refuseUnmanaged } from './bridge/unmanaged.ts';
import { addressesWithoutUplink, configOnNode } from './microshift-needs.ts';
import { planFor } from './plan-for.ts';
import { bridgeWithoutUplink } from './profiles/bridge-profiles.ts';
import { type Aimed, addedTargets, type Target, targetWithUplink, withLoopback } from './target.ts';
import { type ChosenUplinks, chooseExternalUplink, chooseUplink, possibleUplinks } from './uplink/choose.ts';
import { unusedCopies } from './uplink/external-profile.ts';
import { lateNic } from './uplink/late-nic.ts';
import { uplinkSource } from './uplink/source-profile.ts';
import { refuseWithoutTeamd } from './uplink/teamd.ts';

export type PlanDecision =
  | { readonly kind: 'planned'; readonly plan: Plan }
  /**
   * Wait in place of a plan: for the NIC `interface`, which may still appear, or for a default route if `interface` is
   * null. `isExpected` is false for a default route that no configuration on the node can bring.
   */
  | {
      readonly kind: 'waiting';
      readonly interface: string | null;
      readonly isExpected: boolean;
      readonly trace: readonly string[];
    };

/** Options of `apply` at boot. */
export interface Boot {
  /** True if the wait for an explicitly set NIC is over. */
  readonly nicWaitOver: boolean;
}

/**
 * Plans all changes of the network that `apply` makes, from facts alone: no clock, no randomness, no I/O. A change that
 * is not possible is refused here, before the first one is made. Returns `waiting` if the choice of the NIC depends on
 * a default route that may still appear. At boot, also returns `waiting` if an explicitly set NIC may still appear; in
 * a run from the command line, a missing NIC counts as a wrong name and is refused. At boot, leaves out the bridges of
 * `bridge add` that do not exist: a separate run builds them, so that a NIC without a lease does not make the run for
 * br-ex fail.
 */
export function planApply(
  written: Config,
  observation: Observation,
  routeWaitOver: boolean,
  boot: Boot | null = null,
): PlanDecision {
  const config = configOnNode(written, withoutBridges(observation));
  requirePlugin(observation);
  refuseForeignBridge(gatewayBridge, observation);
  const late = boot === null ? null : lateNic(config, observation, boot.nicWaitOver);
  if (late !== null) return late;
  const first = chooseUplink(config, observation, routeWaitOver);
  // If no interface can be the uplink, the wait for a default route is in vain. A run from the command line does not
  // wait then; at boot, a missing NIC may still appear.
  const isInVain = first.kind === 'waiting' && boot === null && possibleUplinks(config, observation).length === 0;
  const decision = isInVain ? chooseUplink(config, observation, true) : first;
  // The NIC of br-ex1 is chosen even if br-ex has to wait, so that a refusal of this NIC is reported before the wait.
  const external = chooseExternalUplink(config, observation);
  if (decision.kind === 'waiting') return { ...decision, interface: null };
  if (external !== null) refuseForeignBridge(externalBridge, observation);
  const chosen = { gateway: decision.choice.interface, external };
  const { addedBridges: added = [] } = observation.hints;
  const isThere = ({ bridge }: AddedBridge) => observation.ovs.bridges.some((row) => row.name === bridge);
  const aimed = [
    gatewayTarget(decision.choice.interface, config, observation, chosen),
    ...(external === null ? [] : [targetWithUplink(externalBridge, external, config, observation, chosen)]),
    addedTargets(boot !== null ? added.filter(isThere) : added, config, observation, chosen),
  ];
  const targets = aimed.flatMap((one) => one.targets);
  const notes = [
    ...decision.notes,
    ...(external === null ? foreignBridgeNotes(externalBridge, observation) : []),
    ...aimed.flatMap((one) => one.notes),
    ...adoptionNotes(gatewayBridge, targets.find(({ names }) => names === gatewayBridge)?.wanted, observation),
  ];
  const misplaced = misplacedProfiles(targets, observation);
  const plan = planFor(targets, observation, { choice: decision.choice, notes, misplaced });
  refuseWithoutTeamd(plan, observation);
  refuseWithoutTun(plan, observation);
  refuseWithoutKernelDatapath(plan, observation);
  return { kind: 'planned', plan };
}

/** Returns the desired state of br-ex, with an uplink or without one. */
function gatewayTarget(uplink: string | null, config: Config, observation: Observation, chosen: ChosenUplinks): Aimed {
  if (uplink !== null) return targetWithUplink(gatewayBridge, uplink, config, observation, chosen);
  const addresses = addressesWithoutUplink(config.cluster, observation.host.hasMicroShiftScript === true);
  const wanted = bridgeWithoutUplink(gatewayBridge, config, addresses);
  refuseUnmanaged(wanted, observation);
  return { targets: [{ names: gatewayBridge, wanted, source: null }], notes: [] };
}

/**
 * Plans the removal of the agent's bridges and profiles, except the bridges `kept`. NICs return to their own profiles.
 * `added` is the list of the bridges of `bridge add` after the run; undefined if the run does not change this list.
 * Notes name the bridges of `bridge add` that stay, and those that are removed.
 */
export function planDisable(
  observation: Observation,
  added?: readonly AddedBridge[],
  kept: readonly WantedBridge[] = [],
): Plan {
  const targets = targetsAsBefore({ bridges: kept }, observation);
  const stays = ({ bridge }: { readonly bridge: string }): boolean => kept.some((entry) => entry.bridge === bridge);
  const bridges = bridgesOf(observation).filter((names) => !stays(names));
  const ours = bridges.filter((names) => takeBridgeApart(names, observation).length > 0);
  const microshift = ours.flatMap((names) => {
    const left = bridgeForMicroShift(names, observation);
    const uplink = uplinkInBridge(names, observation);
    if (left === null || uplink === null) return left ?? [];
    return [{ ...left, entries: byPlace(names, uplink, observation, true).staying }];
  });
  const gone = bridges.filter((names) => !microshift.some((left) => left.bridge === names.bridge));
  const notes = gone.flatMap((names) => [
    ...lostPortNotes(names, observation),
    ...(ours.includes(names) ? lostEntryNotes(goingWith(names, observation)) : []),
  ]);
  const fates = addedFates(observation, added, stays);
  const plan = planFor(targets, observation, { notes: [...fates, ...notes], microshift, added });
  refuseWithoutTeamd(plan, observation);
  return plan;
}

/**
 * Returns a note about each bridge of `bridge add` that stays, and about each that is removed both from the node and
 * from the list of these bridges.
 */
function addedFates(
  { hints: { addedBridges = [] } }: Observation,
  added: readonly AddedBridge[] | undefined,
  stays: (entry: AddedBridge) => boolean,
): readonly PlanNote[] {
  return addedBridges.flatMap((entry): PlanNote[] => {
    const { bridge, interface: nic } = entry;
    const made = `${bridge}, which \`bridge add\` made for ${nic},`;
    const staying = `${made} stays; remove it with \`microshift-net bridge remove ${bridge}\`, or all with \`microshift-net disable --all\``;
    if (stays(entry)) return [{ level: 'info', message: staying }];
    const isForgotten = added !== undefined && !added.some((other) => other.bridge === bridge);
    return isForgotten ? [{ level: 'info', message: `${made} is removed, and so is its record` }] : [];
  });
}

/** Returns the entries that other programs added to a bridge and that are lost when the bridge is removed. */
function goingWith(names: BridgeNames, observation: Observation): KernelEntries {
  const uplink = uplinkInBridge(names, observation);
  return uplink === null ? entriesOf(names.bridge, observation) : byPlace(names, uplink, observation, false).staying;
}

/**
 * Plans the return to the bridges that existed before a transaction, as its journal records them. Without a recorded
 * bridge, the plan removes the bridges and returns the NICs to their own profiles. The plan does the same for a
 * recorded bridge that has changed and cannot be built again: a bridge that lacked a profile, or that configure-ovs.sh
 * or an earlier agent made. `config` and the present state of the node decide which addresses lo needs for MicroShift,
 * and whether the signpost is needed, because a lease may have changed since. If `config` is null, lo and the signpost
 * also return to their earlier state.
 */
export function planUndo(previous: Wanted, observation: Observation, config: Config | null = null): Plan {
  const { microshift, added } = previous;
  const targets = targetsAsBefore(previous, observation);
  const present = config === null ? targets : targets.map((target) => withLoopback(target, config, observation));
  return planFor(present, observation, { microshift, added });
}

/** Returns the bridges of an earlier state that have not changed or can be built again. */
export function targetsAsBefore(previous: Wanted, observation: Observation): readonly Target[] {
  return bridgesOf(observation, previous.added).flatMap((names): Target[] => {
    const wanted = previous.bridges.find((bridge) => bridge.bridge === names.bridge);
    if (wanted === undefined || (!isWhole(names, wanted) && differs(wanted, observation))) return [];
    if (wanted.uplink === null) return [{ names, wanted, source: null }];
    const { interface: uplink } = wanted.uplink;
    // A bridge of `bridge add` is left out if its NIC is missing, so that the plan does not fail.
    if (names.isAdded && !observation.links.some((link) => link.name === uplink)) return [];
    return [{ names, wanted, source: uplinkSource(names, uplink, observation) }];
  });
}

/**
 * Returns the steps that restore the state before a failed transaction. Null if a bridge has changed that only
 * NetworkManager's checkpoint can restore, such as a bridge of configure-ovs.sh. `aimed` is the desired state of the
 * transaction.
 */
export function planRestore(previous: Wanted, observation: Observation, aimed?: Wanted): readonly Step[] | null {
  const bridges = bridgesOf(observation, previous.added);
  const canBeBuilt = previous.bridges.every((wanted) => {
    const names = bridges.find((entry) => entry.bridge === wanted.bridge);
    return names === undefined || isWhole(names, wanted) || !differs(wanted, observation);
  });
  if (!canBeBuilt) return null;
  const planned = planUndo(previous, observation).steps;
  const steps = [...planned, ...startDisplaced([...(aimed?.bridges ?? []), ...previous.bridges], planned, observation)];
  steps.push(...missingOnNics(previous, steps, observation));
  const started = steps.flatMap((step) => (step.do === 'detachUplink' ? [step.profile.uuid] : []));
  const copies = unusedCopies(observation).filter(({ uuid }) => !started.includes(uuid));
  const why = 'the NIC that it was made for never ran it';
  return copies.length === 0 ? steps : [...steps, { do: 'deleteProfiles', profiles: copies, bridges: [], why }];
}

/** Fails with `ovs-plugin-missing` if NetworkManager lacks its plug-in for Open vSwitch. */
export function requirePlugin({ networkManager }: Observation): void {
  if (networkManager.ovsPlugin) return;
  throw new AgentError('ovs-plugin-missing', 'NetworkManager runs without its Open vSwitch plugin', {
    hint: 'install it (RPM: NetworkManager-ovs, Debian: network-manager-ovs), then: systemctl restart NetworkManager',
  });
}

/**
 * Returns steps that restore the entries of other programs that NICs have lost. NetworkManager's rollback activates the
 * profile of a NIC again, which removes such entries.
 */
function missingOnNics({ given = [] }: Wanted, steps: readonly Step[], observation: Observation): readonly Step[] {
  const returned = steps.flatMap((step) => (step.do === 'changeKernel' ? [step.entries.interface] : []));
  return given.flatMap((entries) => {
    const present = JSON.stringify(entriesOf(entries.interface, observation));
    const isThere = [
      ...entries.addresses.map(({ address }) => address),
      ...entries.routes.map(({ destination }) => destination),
    ].every((text) => present.includes(`"${text}"`));
    return isThere || returned.includes(entries.interface) || isEmpty(entries) ? [] : putBack(entries);
  });
}

function isWhole(names: BridgeNames, { profiles }: WantedBridge): boolean {
  const ids = profileIds(names);
  return profiles.length === ids.length && profiles.every((profile) => ids.includes(profile.id));
}

function differs(wanted: WantedBridge, observation: Observation): boolean {
  return compare({ bridges: [wanted] }, observation, ownNames).some((entry) => entry.bridge === wanted.bridge);
}

/**
 * Returns a difference for each of the agent's profiles that is on disk, for example after `nmcli connection modify`:
 * NetworkManager would start with this profile at the next boot. A rollback ignores these differences, because they
 * existed before the transaction.
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
