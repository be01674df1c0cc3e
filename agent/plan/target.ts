import { AgentError, isAgentError } from '../errors.ts';
import type { AddedBridge } from '../model/added-bridge.ts';
import { addedNames } from '../model/added-names.ts';
import type { Config } from '../model/config.ts';
import { type BridgeNames, gatewayBridge } from '../model/names.ts';
import type { Observation } from '../model/observation.ts';
import type { PlanNote, WantedBridge } from '../model/plan.ts';
import { refuseForeignBridge, refuseTakenAddress } from './bridge/bridge-ownership.ts';
import { carriedNotes } from './bridge/carried-entries.ts';
import { loopbackNotes, wantedOnLoopback } from './bridge/loopback.ts';
import { unprofiledAddressNotes } from './bridge/moved-addresses.ts';
import { refuseUnmanaged } from './bridge/unmanaged.ts';
import { refuseLostDefault, unprofiledRouteNotes } from './bridge/unprofiled-routes.ts';
import { ingressFault } from './microshift-needs.ts';
import { bridgeWithUplink } from './profiles/bridge-profiles.ts';
import { defaultsNotes } from './uplink/carried-defaults.ts';
import type { ChosenUplinks } from './uplink/choose.ts';
import { externalNotes } from './uplink/external-profile.ts';
import { filterNotes } from './uplink/filter-notes.ts';
import { refuseKernelIpv6 } from './uplink/kernel-ipv6.ts';
import { monitorNotes, refuseLostMonitor } from './uplink/link-monitor.ts';
import { wasUplink } from './uplink/remembered.ts';
import { activeProfile, type UplinkSource, uplinkSource } from './uplink/source-profile.ts';
import { refuseStacked, stackedNotes } from './uplink/stacked.ts';
import { mustBeUsable } from './uplink/suitability.ts';

/** Desired state of a bridge, and the source of its settings, which is null for a bridge without a NIC. */
export interface Target {
  readonly names: BridgeNames;
  readonly wanted: WantedBridge;
  readonly source: UplinkSource | null;
}

/** Desired states of the bridges of a plan, and notes about them. */
export interface Aimed {
  readonly targets: readonly Target[];
  readonly notes: readonly PlanNote[];
}

/**
 * Returns the desired state of a bridge with this NIC. Fails if the NIC cannot be the bridge's uplink, with an error
 * such as `interface-unsuitable` or `bridge-unmanaged`.
 */
export function targetWithUplink(
  names: BridgeNames,
  uplink: string,
  config: Config,
  observation: Observation,
  chosen: ChosenUplinks,
): Aimed {
  const source = uplinkSource(names, uplink, observation);
  // Obstacles to the move of the NIC are checked only before the move; afterwards, the bridge already has the
  // addresses.
  if (source.given === null) {
    refuseStacked(source.link, observation);
    if (!wasUplink(uplink, observation)) refuseLostMonitor(source, observation);
    if (!wasUplink(uplink, observation)) refuseKernelIpv6(source, observation);
  }
  refuseLostDefault(source, observation);
  const { wanted, notes } = bridgeWithUplink(names, source, observation, config, chosen);
  refuseTakenAddress(wanted, source, observation);
  refuseUnmanaged(wanted, observation);
  const target = withLoopback({ names, wanted, source }, config, observation);
  const fault = ingressFault(config.cluster, uplink, names.bridge);
  return {
    targets: [target],
    notes: [
      ...loopbackNotes(target.wanted.loopback ?? [], observation),
      ...notes,
      ...defaultsNotes(source.defaults, uplink, names.bridge),
      ...carriedNotes(names, source, observation),
      ...stackedNotes(source.link, names.bridge, observation),
      ...monitorNotes(source, names.bridge, observation),
      ...filterNotes(source, names.bridge, observation),
      ...unprofiledAddressNotes(source),
      ...unprofiledRouteNotes(source, observation),
      ...externalNotes(activeProfile(uplink, observation), observation),
      ...(fault === null ? [] : [{ level: 'warning', message: fault } as const]),
    ],
  };
}

/**
 * Returns the target with what MicroShift needs once the bridge is in the target state: addresses on lo, and possibly
 * the signpost (model/signpost.ts). Adds neither for a bridge other than br-ex, or for a br-ex without a NIC.
 */
export function withLoopback(target: Target, written: Config, observation: Observation): Target {
  const { names, source } = target;
  const { loopback: _, signpost: __, ...wanted } = target.wanted;
  if (source === null || names !== gatewayBridge) return { ...target, wanted };
  const { addresses, signpost } = wantedOnLoopback(written, wanted, source, observation);
  const loopback = addresses.length === 0 ? {} : { loopback: addresses };
  return { ...target, wanted: { ...wanted, ...loopback, ...(signpost ? { signpost } : {}) } };
}

/**
 * Fails with `interface-unsuitable` for a NIC without a carrier, which has nothing to hand over and would wait for a
 * lease in vain. Does not fail if the bridge exists already.
 */
function mustCarry({ bridge, interface: name }: AddedBridge, { links, ovs }: Observation): void {
  if (links.some((link) => link.name === name && link.carrier) || ovs.bridges.some((row) => row.name === bridge))
    return;
  throw new AgentError('interface-unsuitable', `${name} has no carrier`, {
    hint: 'it gets its bridge when it has one',
  });
}

/**
 * Returns the bridges of `bridge add`. A bridge that cannot be built now, for example because its NIC does not exist,
 * is left out with a note, so that the plan for the others does not fail. If it is the bridge of the current command
 * (`asked`), the plan fails.
 */
export function addedTargets(
  added: readonly AddedBridge[],
  config: Config,
  observation: Observation,
  chosen: ChosenUplinks,
  asked: string | null = null,
): Aimed {
  const each = added.map((entry): Aimed => {
    const names = addedNames(entry.bridge, entry.routeMetric);
    try {
      mustBeUsable(entry.interface, entry.bridge, observation);
      if (entry.bridge !== asked) mustCarry(entry, observation);
      refuseForeignBridge(names, observation);
      return targetWithUplink(names, entry.interface, config, observation, chosen);
    } catch (error) {
      if (!isAgentError(error) || entry.bridge === asked) throw error;
      return { targets: [], notes: [{ level: 'warning', message: `${entry.bridge} is left out: ${error.message}` }] };
    }
  });
  return { targets: each.flatMap(({ targets }) => targets), notes: each.flatMap(({ notes }) => notes) };
}
