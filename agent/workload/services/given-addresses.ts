import type { Listener, OverlayNode, ServiceExposure } from '../../model/overlay.ts';
import { rangesOfPeer } from '../../model/overlay-peer.ts';
import { masqueradeSubnets } from '../../model/ovn-kubernetes-addresses.ts';
import type { Protocol, ServicePort } from '../../model/workload.ts';
import { type AddressRange, contains, hostRange } from '../../net/address-range.ts';
import { rangeOf } from '../../overlay/addresses.ts';
import { isForServices, isListening, isNeeded, nodeAddresses, unservableRanges } from '../../overlay/node-ports.ts';
import type { WorkloadFacts } from '../part.ts';

/** Address ranges in which no service is served, parsed into numbers. */
const unservable = unservableRanges.map(rangeOf);

/** Address outside of the cluster at which a service is to be reached. */
export interface Given {
  readonly address: string;
  /** True for an address of spec.externalIPs, false for one of status.loadBalancer. */
  readonly isExternal: boolean;
}

/**
 * Function that returns the reason why an address is not served at any port, as the end of a sentence; null if it may
 * be served. `node` is the node with the address; null if no node has it.
 */
export type GivenFault = (given: Given, node: OverlayNode | null) => string | null;

/**
 * Returns the function that checks the requested addresses of a cluster. Any user who may write a Service may write
 * `externalIPs` (CVE-2020-8554), so these addresses are served only where the administrator has allowed it. The
 * permitted and refused ranges are parsed once for all addresses, because a user can request thousands of them.
 */
export function givenFaultsOf({
  layout,
  nodes,
  exposure,
  peers = [],
}: Pick<WorkloadFacts, 'layout' | 'nodes' | 'exposure' | 'peers'>): GivenFault {
  const ofCluster = [
    ...layout.clusterSubnets,
    ...layout.serviceSubnets,
    ...layout.joinSubnets,
    ...Object.values(masqueradeSubnets),
  ].map(rangeOf);
  const external = exposure.externalRanges.map(rangeOf);
  const routers = new Set(nodes.flatMap(({ gateway }) => gateway?.nextHops ?? []));
  const ofPeers = peers.map((peer) => ({ ...peer, ranges: rangesOfPeer(peer).map(rangeOf) }));
  return ({ address, isExternal }, node) => {
    const one = hostRange(address);
    const isIn = (range: AddressRange): boolean => one !== null && contains(range, one);
    const inside = ofCluster.find(isIn);
    if (inside !== undefined) return `it is within ${inside.text} of the cluster itself; take another address`;
    if (unservable.some(isIn)) return 'no other host can send packets to this address; take another address';
    if (routers.has(address)) return 'it is the address of the router of the LAN; take another address';
    for (const { name, nextHops, vtep, ranges } of ofPeers) {
      if (nextHops.includes(address))
        return `it is the address of the router of the peer ${name}; take another address`;
      if (vtep?.address === address) return `it is the address of the VTEP of the peer ${name}; take another address`;
      const range = ranges.find(isIn);
      if (range !== undefined) return `it is within ${range.text} of the peer ${name}; take another address`;
    }
    if (!isExternal) return null;
    if (node !== null)
      return `it is an address of node ${node.name}, which externalIPs cannot have; use type NodePort or LoadBalancer`;
    if (external.some(isIn)) return null;
    return 'externalIPs are served only in ranges that overlay.externalIPRanges of ovn.yaml names on the central node; ask its administrator';
  };
}

/**
 * Returns the reason why no service may be served at a port of a node's own address, as the end of a sentence; null if
 * a service may be served.
 */
export function portFaultAt(
  node: OverlayNode,
  address: string,
  protocol: Protocol,
  port: number,
  { nodePorts }: Pick<ServiceExposure, 'nodePorts'>,
): string | null {
  const socket = protocol.toLowerCase() as Listener['protocol'];
  if (isNeeded(socket, port)) return `node ${node.name} needs port ${port} itself; take another port`;
  if (!isForServices(nodePorts, socket, port))
    return `it is an address of node ${node.name}, where services have the NodePort range and the ports in overlay.servicePorts of ovn.yaml; take one of those`;
  return isListening(node.listeners ?? [], { protocol: socket, address, port })
    ? `a program of node ${node.name} listens at port ${port}; take another port, or end that program`
    : null;
}

/**
 * Returns a whole sentence that names an address of a node at which a NodePort is not served, with the reason; null if
 * every address of the nodes serves it, or if the port of the service has no NodePort.
 */
export function nodePortFault(
  { protocol, nodePort }: ServicePort,
  nodes: readonly OverlayNode[],
  exposure: Pick<ServiceExposure, 'nodePorts'>,
): string | null {
  if (nodePort === null) return null;
  for (const node of nodes)
    for (const address of nodeAddresses(node)) {
      const fault = portFaultAt(node, address, protocol, nodePort, exposure);
      if (fault !== null) return `NodePort ${nodePort} is not served at ${address}: ${fault}`;
    }
  return null;
}
