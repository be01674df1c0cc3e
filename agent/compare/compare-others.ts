import { isDeepStrictEqual } from 'node:util';
import { type KernelEntries, noEntries } from '../model/kernel-entries.ts';
import type { Observation } from '../model/observation.ts';
import type { OthersPort, OthersRecord } from '../model/others.ts';
import type { NetworkDifference, WantedBridge } from '../model/plan.ts';

type Known = Pick<Observation, 'links' | 'ovs' | 'foreign' | 'others'>;

const missing = { wanted: 'present', observed: 'absent' } as const;

/**
 * Returns the foreign addresses, routes and neighbours that a bridge lost when another program recreated the bridge's
 * interface. The result also has the routing rules that are recorded for the bridge.
 */
export function lostEntries(
  bridge: string,
  { links, foreign = [], others = [] }: Pick<Known, 'links' | 'foreign' | 'others'>,
): KernelEntries {
  const record = others.find((entry) => entry.bridge === bridge);
  const link = links.find(({ name }) => name === bridge);
  if (record === undefined || record.index === link?.index) return noEntries(bridge);
  const present = foreign.find((entries) => entries.interface === bridge) ?? noEntries(bridge);
  const { addresses, routes, neighbours } = record.entries;
  const own = (link?.addresses ?? []).map(({ address, prefixLength }) => `${address}/${prefixLength}`);
  return {
    ...record.entries,
    addresses: addresses.filter(({ address }) => !own.includes(address)),
    routes: routes.filter((route) => !present.routes.some((one) => isDeepStrictEqual(one, route))),
    neighbours: neighbours.filter((entry) => !present.neighbours.some((one) => isDeepStrictEqual(one, entry))),
  };
}

/**
 * Returns the foreign ports that were lost when another program recreated the bridge. The tap of a virtual machine or
 * the veth of a container that no longer exists is not lost, because its owner has removed it.
 */
export function lostPorts(bridge: string, { links, ovs, others = [] }: Known): readonly OthersPort[] {
  const record = others.find((entry) => entry.bridge === bridge);
  const link = links.find(({ name }) => name === bridge);
  if (record === undefined || link === undefined) return [];
  const gone = record.index === link.index ? record.lostPorts : [...record.lostPorts, ...record.ports];
  const present = ovs.bridges.find(({ name }) => name === bridge)?.ports ?? [];
  return gone.filter(
    ({ name, isDevice }, index) =>
      !present.some((port) => port.name === name) &&
      index === gone.findIndex((port) => port.name === name) &&
      (!isDevice || links.some((entry) => entry.name === name)),
  );
}

function portsOfOthers({ bridge, uplink }: WantedBridge, { ovs }: Known): readonly OthersPort[] {
  const row = ovs.bridges.find(({ name }) => name === bridge);
  const others = (row?.ports ?? []).filter(({ name }) => name !== bridge && name !== uplink?.interface);
  return others.map(({ name, interfaces }) => ({
    name,
    isDevice: interfaces.every(({ type }) => type === '' || type === 'system'),
  }));
}

/** Returns the foreign addresses, routes, neighbours and ports that a bridge lost, as differences. */
export function compareOthers({ bridge }: WantedBridge, known: Known): readonly NetworkDifference[] {
  const { addresses, routes, neighbours } = lostEntries(bridge, known);
  const names = [
    ...addresses.map(({ address }) => address),
    ...routes.map(({ destination, gateway }) => (gateway === null ? destination : `${destination} via ${gateway}`)),
    ...neighbours.map(({ address, mac }) => `${address} at ${mac}`),
  ];
  return [
    ...names.map((entry) => ({ bridge, kind: 'given', entry, ...missing }) as const),
    ...lostPorts(bridge, known).map(({ name }) => ({ bridge, kind: 'others-port', device: name, ...missing }) as const),
  ];
}

/**
 * Returns true for a difference about a lost address, route, neighbour or port of another program. Such a difference
 * never makes a run fail: the kernel may refuse to restore an address, route or neighbour, and only the program that
 * added a port can add it again.
 */
export function isOfOthers({ kind }: NetworkDifference): boolean {
  return kind === 'given' || kind === 'others-port';
}

/**
 * Returns what a run records at its end about other programs: for each bridge, the addresses, routes, routing rules,
 * neighbours and ports that other programs added to the bridge, and which of these ports the bridge lost.
 */
export function othersNow(bridges: readonly WantedBridge[], observation: Known): readonly OthersRecord[] {
  return bridges.flatMap((wanted) => {
    const { bridge } = wanted;
    const link = observation.links.find(({ name }) => name === bridge);
    if (link === undefined) return [];
    const entries = observation.foreign?.find((one) => one.interface === bridge) ?? noEntries(bridge);
    const ports = portsOfOthers(wanted, observation);
    return [{ bridge, index: link.index, entries, ports, lostPorts: lostPorts(bridge, observation) }];
  });
}
