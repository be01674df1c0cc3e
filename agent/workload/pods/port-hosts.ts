import { AgentError } from '../../errors.ts';
import type { OverlayNode } from '../../model/overlay.ts';
import { isPortKey, type OverlayPort, type PortHost, type PortRequest, portKey } from '../../model/overlay-port.ts';
import type { NamespacedName, Pod } from '../../model/workload.ts';
import { isIpv6, macOf } from '../../overlay/addresses.ts';
import type { PortAddresses } from './address-book.ts';
import { addressOf, firstPlace, lastWithOwnMac, type PodSubnets, podSubnets, rangeWith } from './subnets.ts';

/**
 * Returns the hosts of a requested overlay port with their addresses. Hosts without a requested address get the highest
 * free addresses, because pods get addresses in ascending order. `taken` has the addresses in use, each with the name
 * of its port. Fails with `overlay-conflict` if an address is not available, or if the requested addresses of a family
 * are fewer or more than the hosts.
 */
export function hostsOf(
  { macs, addresses, node: name }: PortRequest,
  node: Pick<OverlayNode, 'subnets'>,
  taken: ReadonlyMap<string, string>,
): readonly PortHost[] {
  const subnets = podSubnets(node);
  const count = Math.max(1, macs.length);
  const foreign = addresses.find((address) => rangeWith(subnets, address)?.isUsable !== true);
  if (foreign !== undefined) throw notUsable(foreign, name, subnets);
  const columns = subnets.ranges.map((range) => {
    const asked = addresses.filter((address) => isIpv6(address) === (range.family === 6));
    if (asked.length > 0 && asked.length !== count)
      throw conflict(
        `${asked.length} addresses of IPv${range.family} are requested for ${count} hosts`,
        'write one --address for each --mac, in the same order, or none',
      );
    const twice = asked.find((address, index) => asked.indexOf(address) !== index);
    if (twice !== undefined) throw conflict(`${twice} is requested twice`, 'write each address once');
    const held = asked.find((address) => taken.has(address));
    if (held !== undefined) throw conflict(`${held} is the address of ${taken.get(held)}`, 'choose another --address');
    return asked.length > 0 ? asked : highestFree(subnets, range, count, taken, name);
  });
  return Array.from({ length: count }, (_, index) => {
    const own = columns.flatMap((column) => column[index] ?? []);
    return { mac: macs[index] ?? macOf(own[0] ?? ''), addresses: own };
  });
}

function highestFree(
  subnets: PodSubnets,
  range: PodSubnets['ranges'][number],
  count: number,
  taken: ReadonlyMap<string, string>,
  node: string,
): readonly string[] {
  const found: string[] = [];
  for (let place = subnets.lastPlace; place >= firstPlace && found.length < count; place--) {
    const address = addressOf(range, place);
    if (!taken.has(address)) found.push(address);
  }
  if (found.length === count) return found;
  throw conflict(`${node} has no ${count} free addresses in ${range.text}`, 'remove pods or ports of this node');
}

function notUsable(address: string, node: string, subnets: PodSubnets): AgentError {
  const ranges = subnets.ranges.map(({ text }) => text).join(' and ');
  const last = lastWithOwnMac(subnets);
  return conflict(
    `${address} is not an address for a host of ${node}`,
    `choose one of ${ranges}, but none of its first three and not the last one${last === null ? '' : `, and none after ${last}`}`,
  );
}

function conflict(message: string, hint: string): AgentError {
  return new AgentError('overlay-conflict', message, { hint });
}

/**
 * Returns the overlay ports of the nodes as pods, so that network policies select their hosts by namespace and labels.
 * Such a pod has no object in the API, and its key is never that of a pod.
 */
export function podsOfPorts(nodes: readonly OverlayNode[]): ReadonlyMap<NamespacedName, Pod> {
  return new Map(portsOf(nodes).map((port) => [portKey(port), podOfPort(port)]));
}

function podOfPort({ name, node, namespace, labels }: OverlayPort): Pod {
  const nodeName = node;
  return {
    namespace,
    name: `${name}@${node}`,
    uid: '',
    labels,
    annotations: {},
    nodeName,
    isHostNetwork: false,
    isOver: false,
    podIPs: [],
    ports: [],
  };
}

/** Returns the addresses of the overlay ports of the nodes, which no pod can get. */
export function addressesOfPorts(nodes: readonly OverlayNode[]): PortAddresses {
  return new Map(
    portsOf(nodes).map((port) => [
      portKey(port),
      { node: port.node, addresses: port.hosts.flatMap(({ addresses }) => addresses) },
    ]),
  );
}

function portsOf(nodes: readonly OverlayNode[]): readonly OverlayPort[] {
  return nodes.flatMap(({ ports = [] }) => ports);
}

/** Returns the pods in a collection that are not overlay ports. */
export function withoutPorts(pods: ReadonlyMap<NamespacedName, Pod>): readonly Pod[] {
  return Array.from(pods).flatMap(([key, pod]) => (isPortKey(key) ? [] : [pod]));
}
