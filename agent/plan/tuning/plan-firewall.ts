import type { Config } from '../../model/config.ts';
import type { FirewallPlan, TrustedSource, ZoneSources } from '../../model/firewall.ts';
import { masqueradeOfHost } from '../../model/ovn-kubernetes-addresses.ts';
import { parseRange } from '../../net/address-range.ts';

/**
 * Returns the sources of pod traffic: the pod networks; the address that the host has for pods, in each family of the
 * cluster; and the networks of connected clusters, but not their hosts (MicroShift's docs/user/howto_c2cc.md,
 * "Configure the firewall").
 */
export function trustedSources(config: Config): readonly TrustedSource[] {
  const pods = config.cluster.clusterNetwork.value.map(
    (source): TrustedSource => ({ source, why: 'pods', family: parseRange(source)?.family ?? 4 }),
  );
  const families = ([4, 6] as const).filter((family) => pods.some((entry) => entry.family === family));
  const why = 'the host, as pods see it';
  const remote = config.cluster.remoteNetworks.value.map(
    (source): TrustedSource => ({
      source,
      why: 'a cluster connected by clusterToCluster',
      family: parseRange(source)?.family ?? 4,
    }),
  );
  return [...pods, ...families.map((family) => ({ source: masqueradeOfHost[family], why, family })), ...remote];
}

/**
 * Returns the sources of pod traffic that have to be added to a zone of firewalld, in its runtime configuration and in
 * its permanent one. Foreign sources stay.
 */
export function planFirewall(config: Config, zone: ZoneSources): FirewallPlan {
  const wanted = trustedSources(config);
  const missing = (present: readonly string[]): readonly string[] =>
    wanted.map((entry) => entry.source).filter((source) => !present.includes(source));
  return { zone: zone.zone, wanted, addRunning: missing(zone.running), addPermanent: missing(zone.permanent) };
}
