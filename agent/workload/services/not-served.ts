import type { Service } from '../../model/workload.ts';
import { isIpv6 } from '../../overlay/addresses.ts';
import { servedLoadBalancerIPs } from './balancers.ts';
import { longestAffinitySeconds } from './rows.ts';

/** What of a service is not served, as whole sentences for an Event; empty: nothing. */
export function notServed(service: Service): readonly string[] {
  const { clusterIPs, externalIPs, loadBalancerIPs, affinitySeconds, healthCheckNodePort = null } = service;
  if (clusterIPs.length === 0) return [];
  const reasons: string[] = [];
  if (servedLoadBalancerIPs(service).length < loadBalancerIPs.length)
    reasons.push(
      `${loadBalancerIPs.join(', ')} is not served, because spec.loadBalancerSourceRanges cannot be enforced here: leave it out, and let a NetworkPolicy say who may come in`,
    );
  const families = new Set(clusterIPs.map(isIpv6));
  const strangers = [...externalIPs, ...servedLoadBalancerIPs(service)].filter((one) => !families.has(isIpv6(one)));
  if (strangers.length > 0)
    reasons.push(`${strangers.join(', ')} is not served, because the service has no cluster IP of that family`);
  if (healthCheckNodePort !== null)
    reasons.push(
      `nobody answers at spec.healthCheckNodePort ${healthCheckNodePort}: a load balancer has to ask the service itself`,
    );
  if (affinitySeconds !== null && affinitySeconds > longestAffinitySeconds)
    reasons.push(
      `a client stays with its endpoint for ${longestAffinitySeconds} s and not for ${affinitySeconds} s, which is the longest that OVN remembers`,
    );
  return reasons;
}
