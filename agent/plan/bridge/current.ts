import { surplusOnLoopback } from '../../compare/on-loopback.ts';
import { entriesOf } from '../../model/kernel-entries.ts';
import { type BridgeNames, bridgesOf, everyProfileId, gatewayBridge } from '../../model/names.ts';
import { isLoopback, isOvsDevice, type Observation } from '../../model/observation.ts';
import type { Wanted, WantedBridge } from '../../model/plan.ts';
import { uplinkInBridge } from '../../model/uplink-in-bridge.ts';
import { adminProfile } from '../uplink/source-profile.ts';
import { microshiftBridge } from './microshift-bridge.ts';

/** Returns the agent's current bridges in the form of a desired state, to which a later `undo` returns. */
export function currentBridges(observation: Observation): Wanted {
  const bridges = bridgesOf(observation);
  const { addedBridges: added = [] } = observation.hints;
  const microshift = bridges.flatMap((names) => microshiftBridge(names, observation) ?? []);
  return {
    bridges: bridges.flatMap((names) => currentBridge(names, observation) ?? []),
    ...(microshift.length === 0 ? {} : { microshift }),
    ...(added.length === 0 ? {} : { added }),
    ...givenOf(observation),
  };
}

/** Returns the entries that other programs have added to NICs, for a rollback that has to restore them. */
function givenOf({ foreign = [], links, networkManager }: Observation): Pick<Wanted, 'given'> {
  const nics = networkManager.devices.filter((device) => !isOvsDevice(device)).map((device) => device.interface);
  const bridges = [...links.filter(isLoopback).map(({ name }) => name)];
  const given = foreign.filter((entries) => nics.includes(entries.interface) && !bridges.includes(entries.interface));
  return given.length === 0 ? {} : { given };
}

function currentBridge(names: BridgeNames, observation: Observation): WantedBridge | null {
  const ids = everyProfileId(names);
  const profiles = observation.networkManager.profiles.filter((profile) => ids.includes(profile.id));
  const link = observation.links.find((entry) => entry.name === names.bridge);
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  if (profiles.length === 0 || link === undefined || row === undefined) return null;
  const uplink = uplinkInBridge(names, observation);
  const admin = uplink === null ? undefined : adminProfile(names, uplink, observation);
  return {
    bridge: names.bridge,
    uplink:
      uplink === null
        ? null
        : { interface: uplink, sourceProfile: admin?.uuid ?? '', sourceProfileId: admin?.id ?? '' },
    mac: link.mac.toUpperCase(),
    profiles: profiles.map(({ id, uuid, settings }) => ({ id, uuid, settings })),
    ...foreignOf(names, observation),
    ...loopbackOf(names, observation),
    ...(names === gatewayBridge && observation.signpost === true ? { signpost: true } : {}),
  };
}

/** Returns the foreign entries of the bridge's interface, which a rebuild has to restore. */
function foreignOf(names: BridgeNames, observation: Observation): Pick<WantedBridge, 'foreign'> {
  const foreign = entriesOf(names.bridge, observation);
  return foreign.addresses.length === 0 ? {} : { foreign };
}

/** Returns the addresses on lo that the agent added, or that MicroShift added and the bridge has as well. */
function loopbackOf({ bridge }: BridgeNames, observation: Observation): Pick<WantedBridge, 'loopback'> {
  const loopback = surplusOnLoopback(bridge, observation);
  return loopback.length === 0 ? {} : { loopback };
}
