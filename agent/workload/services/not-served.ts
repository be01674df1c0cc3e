import type { OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import type { Service } from '../../model/workload.ts';
import { isIpv6, withoutLength } from '../../overlay/addresses.ts';
import { addressesOf } from './balancers.ts';
import type { Outside } from './outside.ts';
import { defaultAffinitySeconds } from './read-service.ts';
import { permittedAt } from './source-ranges.ts';

/**
 * Returns the parts of a service that these nodes do not serve, as whole sentences for an Event; empty if all of it is
 * served.
 */
export function notServed(service: Service, nodes: readonly OverlayNode[], outside: Outside): readonly string[] {
  const { clusterIPs, externalIPs, loadBalancerIPs, affinitySeconds, healthCheckNodePort = null } = service;
  if (clusterIPs.length === 0) return [];
  const reasons: string[] = [];
  const families = new Set(clusterIPs.map(isIpv6));
  const ofOtherFamilies = [...externalIPs, ...loadBalancerIPs].filter((one) => !families.has(isIpv6(one)));
  if (ofOtherFamilies.length > 0)
    reasons.push(`${ofOtherFamilies.join(', ')} is not served, because the service has no cluster IP of that family`);
  const closed = loadBalancerIPs.filter((one) => permittedAt(service, one)?.length === 0);
  if (closed.length > 0)
    reasons.push(
      `${closed.join(', ')} is served to no client, because spec.loadBalancerSourceRanges has no range of that family: add one`,
    );
  reasons.push(...outside.faults(service));
  const served = service.ports.flatMap((port) => outside.servedAt(service, port).map(({ address }) => address));
  const given = [...new Set(served)];
  if (given.length > 0 && gatewaysOf(nodes).length > 0 && gatewaysOf(nodes).every(({ isVip }) => isVip === true))
    reasons.push(
      `${given.join(', ')} is served inside of the cluster only, because all gateways share one address: make a node a gateway with an address of its own`,
    );
  if (service.ports.some(({ nodePort }) => nodePort !== null)) reasons.push(...nodePortsNotServed(nodes));
  const isOutside = given.length > 0 || service.ports.some(({ nodePort }) => nodePort !== null);
  if (service.externalTrafficPolicy === 'Local' && isOutside) reasons.push(...ledElsewhere(nodes, families));
  if (healthCheckNodePort !== null)
    reasons.push(
      `no server answers at spec.healthCheckNodePort ${healthCheckNodePort}: a load balancer has to check the service itself`,
    );
  // The API server sets the default time of session affinity if the user names no time. With a shorter time, the user
  // requests that a client may get another endpoint earlier. This request has no effect.
  if (affinitySeconds !== null && affinitySeconds < defaultAffinitySeconds)
    reasons.push(
      `spec.sessionAffinityConfig.clientIP.timeoutSeconds ${affinitySeconds} has no effect: a client keeps its endpoint for as long as the endpoints stay the same`,
    );
  // On a single node, all endpoints are equally near, so a preference for near endpoints is met.
  if (service.preference !== undefined && nodes.length > 1)
    reasons.push(
      `${service.preference} has no effect: all endpoints are used, wherever the client is; with internalTrafficPolicy Local each node uses the endpoints on it alone`,
    );
  return reasons;
}

/**
 * Returns the reasons why NodePorts do not answer at some addresses, the same for every service. Members are not named,
 * because each new member would cause another Event of every service.
 */
function nodePortsNotServed(nodes: readonly OverlayNode[]): readonly string[] {
  const reasons: string[] = [];
  const remedy = 'use the address of the central node, or of a gateway with an address of its own';
  const shared = gatewaysOf(nodes).flatMap(({ isVip, addresses }) =>
    isVip === true ? addresses.map(withoutLength) : [],
  );
  if (shared.length > 0) {
    const addresses = [...new Set(shared)].toSorted().join(', ');
    reasons.push(`NodePorts do not answer at ${addresses}, which several gateways share: ${remedy}`);
  }
  if (nodes.some((node) => node.gateway === null && addressesOf(node).length === 0))
    reasons.push(`NodePorts do not answer at members that are not gateways (microshift-net overlay nodes): ${remedy}`);
  return reasons;
}

/**
 * Returns the reasons why clients outside of the cluster get no answer. With `externalTrafficPolicy: Local`, pods see
 * the client's address. If their answers leave by another gateway than the gateway at which the request arrived, that
 * other gateway has not tracked the request.
 */
function ledElsewhere(nodes: readonly OverlayNode[], families: ReadonlySet<boolean>): readonly string[] {
  const own = nodes.filter(({ gateway }) => gateway !== null && gateway.isVip !== true);
  return own.flatMap(({ name, subnets }) => {
    const others = nodes.filter((one) => one.name !== name).flatMap(({ gateway }) => gateway?.subnets ?? []);
    const asked = subnets.filter((subnet) => others.includes(subnet) && families.has(isIpv6(subnet)));
    if (asked.length === 0) return [];
    return `clients outside of the cluster get no answers from pods of ${name}, because packets from ${asked.join(' and ')} leave by another gateway and externalTrafficPolicy is Local: let these packets leave by ${name}, or use Cluster`;
  });
}

function gatewaysOf(nodes: readonly OverlayNode[]): readonly OverlayGateway[] {
  return nodes.flatMap(({ gateway }) => gateway ?? []);
}
