import { type BridgeNames, bridgesOf } from '../../model/names.ts';
import type { Link, Observation } from '../../model/observation.ts';
import type { LinkAddresses, MovedAddresses, PlanNote } from '../../model/plan.ts';
import type { ProfileSettings } from '../../model/profile-settings.ts';
import { uplinkInBridge } from '../../model/uplink-in-bridge.ts';
import { activeProfile, adminProfile, type UplinkSource } from '../uplink/source-profile.ts';
import { defaultGateways, profileAddresses, stableAddresses } from './handover.ts';
import { takeBridgeApart } from './take-bridge-apart.ts';

/*
 * Addresses that must be present after a run: the addresses that a profile lists, and every address of a family that
 * DHCP or router advertisements configure. An address that was added by hand is in no profile, so no activation adds it
 * again, neither on the NIC nor on the bridge.
 */

/** Returns the addresses that move from an uplink to its bridge. */
export function movedToBridge(names: BridgeNames, source: UplinkSource, observation: Observation): MovedAddresses {
  return moved(source.addressLink, names.bridge, source.settings, observation);
}

/**
 * Returns the addresses that move back to the NIC of a bridge that is removed; null if the bridge has no NIC or is not
 * the agent's.
 */
export function movedToNic(names: BridgeNames, observation: Observation): MovedAddresses | null {
  const uplink = uplinkInBridge(names, observation);
  const link = observation.links.find((entry) => entry.name === names.bridge);
  if (uplink === null || link === undefined || takeBridgeApart(names, observation).length === 0) return null;
  return moved(link, uplink, adminProfile(names, uplink, observation)?.settings ?? null, observation);
}

/**
 * Returns the links that a plan may change, each with the addresses that a rollback must restore. These links are the
 * uplinks that are in no bridge yet, and the agent's bridges. Links without such addresses are left out.
 */
export function touchedLinks(uplinks: readonly string[], observation: Observation): readonly LinkAddresses[] {
  const bridges = bridgesOf(observation);
  const inBridges = bridges.flatMap((names) => uplinkInBridge(names, observation) ?? []);
  const outside = uplinks.filter((name) => !inBridges.includes(name));
  const touched = new Set([...outside, ...bridges.map((names) => names.bridge)]);
  return observation.links
    .filter((link) => touched.has(link.name))
    .map((link) => ({ interface: link.name, addresses: profileAddresses(link, settingsOf(link.name, observation)) }))
    .filter((entry) => entry.addresses.length > 0);
}

/** Returns a note about each address of an uplink that does not move, because it is not in the profile. */
export function unprofiledAddressNotes(source: UplinkSource): readonly PlanNote[] {
  const inProfile = profileAddresses(source.addressLink, source.settings);
  const unprofiled = stableAddresses(source.addressLink).filter((address) => !inProfile.includes(address));
  return unprofiled.map((address) => ({
    level: 'warning',
    message: `${address} on ${source.addressLink.name} is not in the profile ${source.id}, so it does not stay`,
  }));
}

function moved(from: Link, to: string, settings: ProfileSettings | null, observation: Observation): MovedAddresses {
  const addresses = profileAddresses(from, settings);
  return { interface: to, from: from.name, addresses, defaultGateways: defaultGateways(from, observation) };
}

function settingsOf(name: string, observation: Observation): ProfileSettings | null {
  const names = bridgesOf(observation).find((entry) => entry.bridge === name);
  const { profiles } = observation.networkManager;
  const profile =
    names === undefined
      ? activeProfile(name, observation)
      : profiles.find((entry) => entry.id === names.bridgeInterface);
  return profile?.settings ?? null;
}
