import type { OverlayNode } from '../model/overlay.ts';
import type { Labels } from '../model/workload.ts';
import { isIpv6 } from '../overlay/addresses.ts';

/**
 * Annotations of a Node by which ovn-kubernetes publishes the addresses of a node, and which programs outside of the
 * cluster read (ovn-kubernetes, go-controller/pkg/util: subnet_annotations.go, node_annotations.go).
 */
export const publishedNames = [
  'k8s.ovn.org/node-subnets',
  'k8s.ovn.org/node-primary-ifaddr',
  'k8s.ovn.org/host-cidrs',
] as const;

/**
 * Returns the annotations of a member's Node in the form of ovn-kubernetes; a fact that is absent has no annotation.
 * `node-primary-ifaddr` has the addresses of the node's gateway, which are the next hops to the node's pods. This
 * annotation is absent if the node has no gateway, or if several gateways share the address.
 */
export function publishedAnnotations({ subnets, gateway, hostCidrs = [] }: OverlayNode): Labels {
  const primary = gateway === null || gateway.isVip === true ? [] : gateway.addresses;
  const [ipv4, ipv6] = [primary.find((address) => !isIpv6(address)), primary.find(isIpv6)];
  const cidrs = [...new Set([...hostCidrs, ...primary])].toSorted();
  const [ofSubnets, ofPrimary, ofHost] = publishedNames;
  return {
    ...(subnets.length > 0 && { [ofSubnets]: JSON.stringify({ default: subnets }) }),
    ...(primary.length > 0 && {
      [ofPrimary]: JSON.stringify({ ...(ipv4 !== undefined && { ipv4 }), ...(ipv6 !== undefined && { ipv6 }) }),
    }),
    ...(cidrs.length > 0 && { [ofHost]: JSON.stringify(cidrs) }),
  };
}
