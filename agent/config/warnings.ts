import { type Config, type ConfigWarning, isDualStack, microshiftRenders } from '../model/config.ts';
import { flavorTraits } from '../model/manifest-flavors.ts';
import { canonicalAddress } from '../net/address.ts';
import { parseRange } from '../net/address-range.ts';
import { overlayRanges, rangeConflicts, reservedRanges } from './overlay-ranges.ts';

/** Size of a datagram that every IPv4 host has to accept (RFC 791, section 3.1, Total Length). */
export const minIpv4MtuBytes = 576;
/** Smallest MTU of a link that carries IPv6 (RFC 8200, section 5). */
export const minIpv6MtuBytes = 1280;

/**
 * Bytes that Geneve adds to a packet of the pod network: 14 for the inner Ethernet header, 8 for the Geneve header (RFC
 * 8926, section 3.4), 8 for OVN's option (4 header, 4 data), 8 for UDP, and 20 or 40 for the outer IP header.
 */
export const geneveOverheadBytes = { ipv4: 58, ipv6: 78 } as const;

/** Returns the warnings that follow from the configuration files alone, without facts about the node. */
export function configWarnings(config: Config): ConfigWarning[] {
  const { mtu, uplink, externalUplink, disableOvsInit } = config;
  const warnings: ConfigWarning[] = [];
  if (typeof mtu.value === 'number' && mtu.value < minIpv4MtuBytes) {
    const message = `mtu ${mtu.value} is below ${minIpv4MtuBytes}, the size of a packet that every IPv4 host can send and receive (RFC 791): pods lose such packets; write for example mtu: 1400`;
    warnings.push({ source: mtu.source, message });
  } else if (typeof mtu.value === 'number' && mtu.value < minIpv6MtuBytes && carriesIpv6(config)) {
    warnings.push({ source: mtu.source, message: belowIpv6(`mtu ${mtu.value}`) });
  }
  warnings.push(...microshiftWarnings(config), ...overlayWarnings(config));
  for (const { value, source } of disableOvsInit.value ? [uplink, externalUplink] : []) {
    // `uplink: none` causes no warning, because it has an effect even if the administrator builds br-ex: checks of
    // `doctor` and the manifests use it.
    if (source === 'default' || value === 'none') continue;
    const message = `${value} is not used: disableOVSInit is true (${disableOvsInit.source}), so br-ex is left alone`;
    warnings.push({ source, message });
  }
  return warnings;
}

/**
 * Returns warnings about overlapping ranges if a setting of the overlay is set. The commands of the overlay refuse such
 * ranges.
 */
function overlayWarnings(config: Config): ConfigWarning[] {
  const set = Object.values(config.overlay).find(({ source }) => source !== 'default');
  if (set === undefined) return [];
  const { pods, services, join } = overlayRanges(config);
  const conflicts = rangeConflicts([...pods, ...services, ...join], reservedRanges());
  return conflicts.map((conflict) => ({ source: set.source, message: `the overlay cannot be built: ${conflict}` }));
}

/** Returns warnings about settings that keep MicroShift itself from running. */
function microshiftWarnings(config: Config): ConfigWarning[] {
  const { mtu, uplink, cluster } = config;
  const { nodeIp, nodeIpv6, clusterNetwork, remoteNetworks, cniPlugin } = cluster;
  const warnings: ConfigWarning[] = [];
  // MicroShift also reads ovn.yaml, and parses its MTU as an integer (openshift/microshift, pkg/config/ovn/ovn.go:36,
  // 117). It does not read ovn.yaml if network.cniPlugin is `none` (pkg/components/networking.go:26).
  if (mtu.value === 'auto' && mtu.source !== 'default' && microshiftRenders(config)) {
    const message =
      'mtu: auto keeps MicroShift from starting: it reads this file, too, and takes only a number unless network.cniPlugin is none; write a number, or remove the line';
    warnings.push({ source: mtu.source, message });
  }
  // MicroShift compares node.nodeIP and node.nodeIPv6 with the node's addresses as text (openshift/microshift,
  // pkg/util/net.go:235), and node.nodeIPv6 only if the cluster has both families (GetHostIPv6 in the same file).
  for (const { value, source } of isDualStack(cluster) ? [nodeIp, nodeIpv6] : [nodeIp]) {
    const canonical = value === null ? null : canonicalAddress(value);
    if (value === canonical) continue;
    const message = `MicroShift does not find ${value} on the node, which it compares as text: write ${canonical}`;
    warnings.push({ source, message });
  }
  // MicroShift 4.18 and older uses the first IPv6 address of br-ex if node.nodeIPv6 is not set (openshift/microshift,
  // pkg/config/config.go:531), and restarts when that address changes (pkg/sysconfwatch/sysconfwatch_linux.go:136).
  if (isDualStack(cluster) && nodeIpv6.value === null && uplink.value !== 'none') {
    const message =
      "the cluster network has both families, and node.nodeIPv6 is not set: MicroShift 4.18 and older takes the first IPv6 address of br-ex, and restarts for ever once that is its own; set node.nodeIPv6 to the node's";
    warnings.push({ source: clusterNetwork.source, message });
  }
  // MicroShift refuses remote clusters if it does not deploy ovn-kubernetes (openshift/microshift,
  // pkg/config/c2cc.go:311).
  if (remoteNetworks.value.length > 0 && !microshiftRenders(config)) {
    const message = `MicroShift does not start with clusterToCluster.remoteClusters and network.cniPlugin: none (${cniPlugin.source}): remove one of the two`;
    warnings.push({ source: remoteNetworks.source, message });
  }
  return warnings;
}

/**
 * Returns warnings about the MTU of pods compared with the MTU of the uplink. `uplinkMtuBytes` is null if no uplink
 * exists; the result is empty then. Packets between the nodes of a cluster travel in a tunnel, whose headers have to
 * fit. A single node has no tunnel, so only the uplink's MTU counts. If MicroShift renders the manifests, the agent's
 * default for the MTU has no effect and causes no warning.
 */
export function mtuWarnings(config: Config, uplinkMtuBytes: number | null): ConfigWarning[] {
  const { mtu } = config;
  if (uplinkMtuBytes === null || (mtu.source === 'default' && microshiftRenders(config))) return [];
  if (mtu.value === 'auto') {
    if (uplinkMtuBytes >= minIpv6MtuBytes || !carriesIpv6(config)) return [];
    return [{ source: mtu.source, message: belowIpv6(`the uplink's MTU ${uplinkMtuBytes}`) }];
  }
  const flavor = config.manifests.flavor.value;
  const hasTunnels = flavor !== 'auto' && flavorTraits[flavor].hasTunnels;
  const overhead = hasTunnels ? geneveOverheadBytes[tunnelFamily(config)] : 0;
  const largest = uplinkMtuBytes - overhead;
  if (mtu.value <= largest) return [];
  const why = overhead === 0 ? '' : ` minus ${overhead} bytes of tunnel headers`;
  return [
    {
      source: mtu.source,
      message: `mtu ${mtu.value} is above the uplink's MTU ${uplinkMtuBytes}${why}: write mtu: ${largest}`,
    },
  ];
}

function carriesIpv6(config: Config): boolean {
  return config.cluster.clusterNetwork.value.some((cidr) => parseRange(cidr)?.family === 6);
}

/** Returns the family of the nodes' own addresses, which are the ends of the tunnels. */
function tunnelFamily(config: Config): 'ipv4' | 'ipv6' {
  const { nodeIp, clusterNetwork } = config.cluster;
  if (nodeIp.value !== null) return nodeIp.value.includes(':') ? 'ipv6' : 'ipv4';
  return clusterNetwork.value.every((cidr) => parseRange(cidr)?.family === 6) ? 'ipv6' : 'ipv4';
}

function belowIpv6(what: string): string {
  return `${what} is below ${minIpv6MtuBytes}, the smallest that IPv6 allows, and the cluster network is IPv6: use ${minIpv6MtuBytes} or more`;
}
