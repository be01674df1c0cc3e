import {
  entriesOf,
  isEmpty,
  type KernelAddress,
  type KernelEntries,
  type KernelRoute,
  onInterface,
} from '../../model/kernel-entries.ts';
import type { BridgeNames } from '../../model/names.ts';
import type { Observation } from '../../model/observation.ts';
import { masqueradeSubnets } from '../../model/ovn-kubernetes-addresses.ts';
import type { PlanNote, Step } from '../../model/plan.ts';
import { fixedAddresses } from '../../model/profile-settings.ts';
import { uplinkInBridge } from '../../model/uplink-in-bridge.ts';
import { contains, parseRange } from '../../net/address-range.ts';
import { carriedIn } from '../profiles/carried-addresses.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/*
 * Addresses, routes, rules and neighbours that other programs added to an uplink with ip(8). They follow the uplink's
 * own addresses: to the bridge before the NIC loses its own addresses, and to the NIC again when the NIC leaves the
 * bridge. Entries that programs added to the bridge itself (MicroShift, ovn-kubernetes) stay with the bridge as long as
 * it exists.
 */

/**
 * Returns the entries that other programs added to the NIC, converted to entries of the bridge; empty if they added
 * none.
 */
export function fromNic({ bridge }: BridgeNames, uplink: string, observation: Observation): KernelEntries {
  return onInterface(entriesOf(uplink, observation), bridge);
}

/**
 * Returns the step that moves entries to the bridge while the NIC still has its own addresses; an empty list if
 * `entries` is empty.
 */
export function carryToBridge(uplink: string, entries: KernelEntries): readonly Step[] {
  if (isEmpty(entries)) return [];
  const why = `the entries of other programs on ${uplink} follow its addresses, and would be lost with them`;
  return [{ do: 'changeKernel', entries, from: uplink, required: false, why }];
}

/** Returns the step that moves foreign entries to the NIC that has left the bridge, while the bridge still has them. */
export function carryToNic({ bridge }: BridgeNames, entries: KernelEntries): readonly Step[] {
  if (isEmpty(entries)) return [];
  const why = `the entries of other programs on the node would be lost with ${bridge} before ${entries.interface} has them`;
  return [{ do: 'changeKernel', entries, from: bridge, required: false, why }];
}

/** Entries that other programs added to a bridge: those that leave with its NIC, and those that stay. */
export interface ByPlace {
  /** Entries that leave with the NIC, converted to entries of the NIC. */
  readonly toNic: KernelEntries;
  /** Entries that belong to the bridge itself. */
  readonly staying: KernelEntries;
}

/**
 * Separates the entries of a bridge that leave with its NIC from those that stay. `bridgeStays` is true for
 * MicroShift's bridge, and for a bridge that is built again. If it is true, an address leaves only if it came from the
 * NIC or is in the NIC's LAN. If it is false, all addresses leave, except those of ovn-kubernetes. Routes and
 * neighbours stay if they belong to the network of an address that stays. Routing rules always leave.
 */
export function byPlace(
  { bridge, bridgeInterface }: BridgeNames,
  uplink: string,
  observation: Observation,
  bridgeStays: boolean,
): ByPlace {
  const entries = entriesOf(bridge, observation);
  const { profiles } = observation.networkManager;
  const settings = profiles.find(({ id }) => id === bridgeInterface)?.settings;
  const carried = carriedIn(settings);
  const link = observation.links.find(({ name }) => name === bridge);
  const own = (link?.addresses ?? []).filter((entry) => entry.foreign !== true && entry.scope === 'global');
  const lan = [...own.map((entry) => `${entry.address}/${entry.prefixLength}`), ...fixedAddresses(settings)];
  const isIn = (ranges: readonly string[], address: string): boolean => {
    const range = parseRange(withLength(address));
    return range !== null && ranges.some((text) => isWithin(text, range));
  };
  const stays = ({ address }: Pick<KernelAddress, 'address'>): boolean =>
    !carried.includes(address) && (isIn(ofOvnKubernetes, address) || (bridgeStays && !isIn(lan, hostOf(address))));
  const staying = entries.addresses.map(({ address }) => address).filter((address) => stays({ address }));
  const hasOvnKubernetes = staying.some((address) => isIn(ofOvnKubernetes, address));
  const reach = [...(hasOvnKubernetes ? ofOvnKubernetes : []), ...staying];
  const routeStays = ({ destination, gateway, source }: KernelRoute): boolean =>
    [gateway, source, gateway === null ? destination : null].some((one) => one !== null && isIn(reach, one));
  const part = (keep: boolean): KernelEntries => ({
    interface: bridge,
    addresses: entries.addresses.filter((entry) => stays(entry) === keep),
    routes: entries.routes.filter((entry) => routeStays(entry) === keep),
    neighbours: entries.neighbours.filter(({ address }) => isIn(reach, address) === keep),
    ...(keep || entries.rules === undefined ? {} : { rules: entries.rules }),
    ...(keep || entries.unmovable === undefined ? {} : { unmovable: entries.unmovable }),
  });
  return { toNic: onInterface(part(false), uplink), staying: part(true) };
}

const ofOvnKubernetes = [masqueradeSubnets[4], masqueradeSubnets[6]];

/** Returns notes about the foreign entries that move with an uplink, and about those that cannot move. */
export function carriedNotes(
  names: BridgeNames,
  { link }: UplinkSource,
  observation: Observation,
): readonly PlanNote[] {
  const entries = entriesOf(link.name, observation);
  const { unmovable = [] } = entries;
  const isMoved = uplinkInBridge(names, observation) === link.name;
  const lost = unmovable.map((destination): PlanNote => {
    const message = `the route to ${destination} on ${link.name} is by a nexthop object, which is bound to ${link.name}, so it does not stay: let ${names.bridge} be its device`;
    return { level: 'warning', message };
  });
  if (isEmpty(entries)) return lost;
  const what = inWords(entries);
  const message = isMoved
    ? `${link.name} has entries of other programs: ${what}; they move to ${names.bridge}, which these programs have to use`
    : `${link.name} has entries that are not in a profile: ${what}; they move to ${names.bridge} and return with the NIC; a program that manages them by the name ${link.name} (keepalived, a script) has to use ${names.bridge} meanwhile`;
  return [{ level: isMoved ? 'warning' : 'info', message }, ...lost];
}

/** Returns notes about the foreign entries of a bridge that are lost with it. */
export function lostEntryNotes(entries: KernelEntries): readonly PlanNote[] {
  if (isEmpty(entries)) return [];
  return [
    { level: 'info', message: `the entries of other programs on ${entries.interface} go with it: ${inWords(entries)}` },
  ];
}

function inWords({ addresses, routes, neighbours, rules = [] }: KernelEntries): string {
  const via = ({ destination, gateway, table }: KernelRoute): string =>
    [
      `a route to ${destination}`,
      gateway === null ? '' : ` via ${gateway}`,
      table === null ? '' : ` (table ${table})`,
    ].join('');
  return [
    ...addresses.map(({ address }) => address),
    ...routes.map(via),
    ...neighbours.map(({ address }) => `a neighbour ${address}`),
    ...rules.map(({ words }) => `the rule "${words.join(' ')}"`),
  ].join(', ');
}

function hostOf(prefixed: string): string {
  return prefixed.split('/')[0] ?? '';
}

function withLength(address: string): string {
  return address.includes('/') ? address : `${address}/${address.includes(':') ? 128 : 32}`;
}

function isWithin(outer: string, inner: NonNullable<ReturnType<typeof parseRange>>): boolean {
  const range = parseRange(outer);
  return range !== null && contains(range, inner);
}
