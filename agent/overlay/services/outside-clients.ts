import type { OverlayGateway, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import { masqueradeSubnets } from '../../model/ovn-kubernetes-addresses.ts';
import type { DesiredFlow, SharedPorts } from '../../model/shared-bridge.ts';
import { addressIn, isIpv6 } from '../addresses.ts';
import { managementPlace } from '../cluster/node-rows.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { type FlowFamily, findSide, flowFamilies, sharedFrames, wantedFlow } from './flow-parts.ts';

type Layout = Pick<OverlayLayout, 'naming' | 'clusterSubnets' | 'serviceSubnets' | 'joinSubnets'>;

/** Pods of a node, and the clients outside of the cluster that reach them by a route, in one address family. */
interface Ways {
  readonly family: FlowFamily;
  /** Ranges of the clients' addresses. */
  readonly clients: readonly string[];
  /** Subnets of the node's pods. */
  readonly subnets: readonly string[];
  /** Addresses in these subnets that belong to the node itself. */
  readonly nodeItself: readonly string[];
  /** Ranges of addresses that no host outside of the cluster has. */
  readonly inside: readonly string[];
}

/**
 * Returns the flows by which outside clients reach the pods of a node whose gateway shares the node's bridge, in
 * addition to the shared-bridge flows; no flows if no client is permitted. Packets between these clients and pods are
 * not tracked on the bridge, because OVN tracks these connections in the gateway's router and leaves the source of the
 * answers unchanged. All other packets to the pods' addresses are delivered to the node itself.
 */
export function sharedClientFlows(
  layout: Layout,
  node: Pick<OverlayNode, 'subnets'>,
  gateway: OverlayGateway,
  ports: SharedPorts,
  clients: readonly string[],
): readonly DesiredFlow[] {
  if (!traitsOf(layout).servesOutsideClients || gateway.isVip === true) return [];
  const { inbound, ofCluster } = sharedFrames(gateway, ports);
  return waysOf(layout, node, clients).flatMap(({ family, clients: ranges, subnets, nodeItself, inside }) => {
    const { ip, source, destination } = family;
    if (ranges.length === 0) return [];
    return [
      ...nodeItself.map((address) =>
        wantedFlow(
          57,
          `${inbound},${ip},${destination}=${address}`,
          findSide,
          'the address belongs to the node itself',
        ),
      ),
      ...subnets.flatMap((subnet) => [
        ...inside.map((range) => {
          const match = `${inbound},${ip},${source}=${range},${destination}=${subnet}`;
          return wantedFlow(
            57,
            match,
            findSide,
            'a packet from outside with a source address of the cluster is forged',
          );
        }),
        ...ranges.flatMap((range) => {
          const there = `${inbound},${ip},${source}=${range},${destination}=${subnet}`;
          const back = `${ofCluster},${ip},${source}=${subnet},${destination}=${range}`;
          return [
            wantedFlow(56, there, `output:${ports.cluster}`, 'an outside client sends a packet to a pod'),
            wantedFlow(110, back, `output:${ports.nic}`, 'a pod answers an outside client'),
          ];
        }),
      ]),
    ];
  });
}

/**
 * Returns the flows of a bridge on which a gateway has an address and a MAC of its own. The flows drop packets from
 * outside to addresses of pods and to cluster IPs of services, except those of permitted clients to the pods of the
 * gateway's own node. Without these flows, the gateway's router would forward such packets, because it has routes to
 * all pods and the load balancers of all services.
 */
export function dedicatedClientFlows(
  layout: Layout,
  node: Pick<OverlayNode, 'subnets'>,
  gateway: OverlayGateway,
  clients: readonly string[],
): readonly DesiredFlow[] {
  if (!traitsOf(layout).servesOutsideClients) return [];
  const frames = `dl_dst=${gateway.mac}`;
  const permitted = gateway.isVip === true ? [] : clients;
  return waysOf(layout, node, permitted).flatMap(({ family, clients: ranges, subnets, nodeItself, inside }) => {
    const { ip, source, destination } = family;
    const ofFamily = (ranges: readonly string[]): readonly string[] =>
      ranges.filter((range) => isIpv6(range) === family.isSix);
    const open = ranges.length === 0 ? [] : subnets;
    return [
      ...ofFamily(layout.clusterSubnets).map((subnet) =>
        wantedFlow(
          55,
          `${frames},${ip},${destination}=${subnet}`,
          'drop',
          'outside clients without permission may not reach pods',
        ),
      ),
      ...ofFamily(layout.serviceSubnets).map((subnet) =>
        wantedFlow(
          55,
          `${frames},${ip},${destination}=${subnet}`,
          'drop',
          'outside clients may not reach the cluster IPs of services',
        ),
      ),
      ...(open.length === 0 ? [] : nodeItself).map((address) =>
        wantedFlow(
          57,
          `${frames},${ip},${destination}=${address}`,
          'drop',
          'outside clients may not reach the node by its address in the cluster',
        ),
      ),
      ...open.flatMap((subnet) => [
        ...inside.map((range) => {
          const match = `${frames},${ip},${source}=${range},${destination}=${subnet}`;
          return wantedFlow(57, match, 'drop', 'a packet from outside with a source address of the cluster is forged');
        }),
        ...ranges.map((range) => {
          const match = `${frames},${ip},${source}=${range},${destination}=${subnet}`;
          return wantedFlow(56, match, 'NORMAL', 'an outside client sends a packet to a pod');
        }),
      ]),
    ];
  });
}

function waysOf(layout: Layout, node: Pick<OverlayNode, 'subnets'>, clients: readonly string[]): readonly Ways[] {
  const { clusterSubnets, serviceSubnets, joinSubnets } = layout;
  return flowFamilies.map((family): Ways => {
    const own = (ranges: readonly string[]): readonly string[] => [
      ...new Set(ranges.filter((range) => isIpv6(range) === family.isSix)),
    ];
    const subnets = own(node.subnets);
    return {
      family,
      clients: own(clients),
      subnets,
      nodeItself: subnets.map((subnet) => addressIn(subnet, managementPlace)),
      inside: own([...clusterSubnets, ...serviceSubnets, ...joinSubnets, ...Object.values(masqueradeSubnets)]),
    };
  });
}
