import type { Listener, OverlayNode, ServiceExposure } from '../../model/overlay.ts';
import { masqueradeSubnets } from '../../model/ovn-kubernetes-addresses.ts';
import type { Protocol, ServicePort } from '../../model/workload.ts';
import { isWithin } from '../../overlay/addresses.ts';
import { isForServices, isListening, isNeeded, nodeAddresses, unservableRanges } from '../../overlay/node-ports.ts';
import type { WorkloadFacts } from '../part.ts';

/** Address outside of the cluster at which a service is to be reached. */
export interface Given {
  readonly address: string;
  /** True for an address of spec.externalIPs, false for one of status.loadBalancer. */
  readonly isExternal: boolean;
}

/**
 * Returns the reason why an address is not served at any port, as the end of a sentence; null if it may be served. Any
 * user who may write a Service may write `externalIPs` (CVE-2020-8554), so these addresses are served only where the
 * administrator has allowed it. `node` is the node with the address; null if no node has it.
 */
export function givenFault(
  { address, isExternal }: Given,
  node: OverlayNode | null,
  { layout, nodes, exposure }: Pick<WorkloadFacts, 'layout' | 'nodes' | 'exposure'>,
): string | null {
  const ranges = [
    ...layout.clusterSubnets,
    ...layout.serviceSubnets,
    ...layout.joinSubnets,
    ...Object.values(masqueradeSubnets),
  ];
  const inside = ranges.find((range) => isWithin(address, range));
  if (inside !== undefined) return `it is within ${inside} of the cluster itself; take another address`;
  if (unservableRanges.some((range) => isWithin(address, range)))
    return 'no other host can send packets to this address; take another address';
  if (nodes.some(({ gateway }) => gateway?.nextHops.includes(address)))
    return 'it is the address of the router of the LAN; take another address';
  if (!isExternal) return null;
  if (node !== null)
    return `it is an address of node ${node.name}, which externalIPs cannot have; use type NodePort or LoadBalancer`;
  if (exposure.externalRanges.some((range) => isWithin(address, range))) return null;
  return 'externalIPs are served only in ranges that overlay.externalIPRanges of ovn.yaml names on the central node; ask its administrator';
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

/** Returns the reason why a NodePort is not served at all nodes, as a whole sentence; null if all nodes serve it. */
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
