import { givenToLoopback } from '../../compare/on-loopback.ts';
import { AgentError } from '../../errors.ts';
import { nicsIn } from '../../model/bridge-devices.ts';
import { type BridgeNames, everyProfileId, ownerOf } from '../../model/names.ts';
import {
  addressesOf,
  type Link,
  type LinkAddress,
  type Observation,
  prefixedAddress,
} from '../../model/observation.ts';
import type { PlanNote, WantedBridge } from '../../model/plan.ts';
import { fixedAddresses } from '../../model/profile-settings.ts';
import { shellWord } from '../../printable.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';
import { isMarkedByMicroShift, isOfMicroShift, othersPorts } from './microshift-bridge.ts';

/**
 * Refuses to change a foreign bridge: a bridge that was made by hand or through profiles of another tool, or
 * MicroShift's own bridge if another program has added a NIC to it. Fails with `bridge-foreign`.
 */
export function refuseForeignBridge(names: BridgeNames, observation: Observation): void {
  const found = foreignBridge(names, observation);
  if (found === null) return;
  throw new AgentError('bridge-foreign', `there is a bridge ${names.bridge} already and ${found.why}`, {
    hint: names.isAdded
      ? `${found.removal}, or give the new one another name: --name BRIDGE`
      : `${found.removal}, or keep it and set \`disableOVSInit: true\` in /etc/microshift/ovn.yaml`,
    facts: { bridge: names.bridge },
  });
}

/** Returns a note about a foreign bridge that is not requested and is left alone. */
export function foreignBridgeNotes(names: BridgeNames, observation: Observation): readonly PlanNote[] {
  const found = foreignBridge(names, observation);
  if (found === null) return [];
  return [{ level: 'warning', message: `there is a bridge ${names.bridge} and ${found.why}; it is left alone` }];
}

/** Returns a note about the foreign ports that are lost with a bridge. */
export function lostPortNotes(names: BridgeNames, observation: Observation): readonly PlanNote[] {
  if (foreignBridge(names, observation) !== null) return [];
  const foreign = othersPorts(names, observation);
  if (foreign.length === 0) return [];
  const ports = foreign.map((port) => port.name).join(', ');
  const pods = foreign.some((port) => port.interfaces.some((entry) => entry.type === 'patch'))
    ? `; pods of ovn-kubernetes cannot reach the LAN until ${names.bridge} exists again`
    : '';
  return [
    { level: 'warning', message: `ports of other programs in ${names.bridge} are removed with it: ${ports}${pods}` },
  ];
}

/**
 * Refuses a bridge if its profile adds an address that another program has already added to the node, unless the NIC
 * has this address. Duplicate address detection would find the node itself. Fails with `interface-unsuitable`.
 */
export function refuseTakenAddress({ profiles }: WantedBridge, source: UplinkSource, observation: Observation): void {
  const { links } = observation;
  // Addresses that the agent added to lo for MicroShift are the node's own, even while br-ex has lost them.
  const given = givenToLoopback(observation);
  const isOurs = (link: Link, entry: LinkAddress): boolean =>
    link.name === 'lo' && given.includes(prefixedAddress(entry));
  const present = addressesOf(source.addressLink);
  for (const wanted of profiles.flatMap(({ settings }) => fixedAddresses(settings))) {
    const [address] = wanted.split('/');
    const taken = links.flatMap((link) =>
      link.addresses.flatMap((entry) =>
        entry.foreign && entry.address === address && !isOurs(link, entry) ? [{ link, entry }] : [],
      ),
    )[0];
    if (taken === undefined || present.includes(wanted)) continue;
    const there = prefixedAddress(taken.entry);
    const { name } = taken.link;
    throw new AgentError(
      'interface-unsuitable',
      `${wanted} of the profile ${source.id} is on ${name} already as ${there}: a program other than NetworkManager added it there`,
      { hint: `take it out of the profile, or: ip address delete ${there} dev ${shellWord(name)}` },
    );
  }
}

/** Returns the reason why a bridge is foreign, and how to remove it; null if it is not foreign. */
function foreignBridge(names: BridgeNames, observation: Observation): { why: string; removal: string } | null {
  const row = observation.ovs.bridges.find((bridge) => bridge.name === names.bridge);
  if (row === undefined) return null;
  const owner = ownerOf(row);
  const profile = observation.networkManager.profiles.find((entry) => entry.uuid === owner);
  if (profile !== undefined) {
    if (everyProfileId(names).includes(profile.id)) return null;
    // A bridge of nmstate is recognized by the name of its profile, because nmstate leaves no other mark in
    // NetworkManager.
    if (profile.id === `${names.bridge}-br`) {
      const why = `nmstate made it (NetworkManager profile ${profile.id})`;
      return { why, removal: 'take it out of the nmstate configuration (state: absent)' };
    }
    const why = `it belongs to the NetworkManager profile ${profile.id}`;
    return { why, removal: `remove it (nmcli connection delete ${shellWord(profile.id)})` };
  }
  // A row whose profile no longer exists is not foreign. Such a row remains after a crash of a run or after the
  // deletion of the profile, and the plan removes it.
  if (owner !== undefined) return null;
  if (isOfMicroShift(row, observation)) return null;
  const nics = nicsIn(row, observation).map((entry) => entry.name);
  if (isMarkedByMicroShift(row) && nics.length > 0) {
    const why = `it is MicroShift's, and another program has added ${nics.join(', ')} to it`;
    return { why, removal: `remove that port (ovs-vsctl del-port ${row.name} ${shellWord(nics[0] ?? '')})` };
  }
  const why = 'NetworkManager did not make it';
  return { why, removal: `remove it (ovs-vsctl del-br ${names.bridge})` };
}
