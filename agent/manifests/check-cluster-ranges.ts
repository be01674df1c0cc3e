import { AgentError } from '../errors.ts';
import type { ClusterConfig, Sourced } from '../model/config.ts';
import { joinSubnets, masqueradeSubnets, transitSubnets } from '../model/ovn-kubernetes-addresses.ts';
import { type AddressRange, addressAt, overlaps, parseRange } from '../net/address-range.ts';

/**
 * Largest prefix length of a cluster network, by IP version. ovn-kubernetes assigns a /24 (IPv4) or a /64 (IPv6) of the
 * network to each node, and needs room for two such subnets.
 */
const longestClusterPrefix = { 4: 23, 6: 63 } as const;

/**
 * Ranges that ovn-kubernetes reserves by default, the same in 2024 and in 2026 (go-controller/pkg/config/config.go,
 * CheckForOverlaps).
 */
const reserved = [joinSubnets, transitSubnets, masqueradeSubnets].flatMap((ranges) => Object.values(ranges));

/**
 * Fails with `config-invalid` for cluster and service networks that ovn-kubernetes or the API server would reject only
 * at run time.
 */
export function checkClusterRanges({ clusterNetwork, serviceNetwork }: ClusterConfig): void {
  const cluster = parseAll('network.clusterNetwork', clusterNetwork);
  const service = parseAll('network.serviceNetwork', serviceNetwork);
  const sources = [...new Set([clusterNetwork.source, serviceNetwork.source])].join(', ');
  for (const range of cluster) {
    if (range.prefixLength > longestClusterPrefix[range.family]) throw tooSmall(range, clusterNetwork.source);
  }
  if (cluster.map(({ family }) => family).join() !== service.map(({ family }) => family).join()) {
    throw invalid(
      `network.clusterNetwork is ${families(cluster)} and network.serviceNetwork is ${families(service)}`,
      'give both one range of each family, in the same order',
      sources,
    );
  }
  const own = reserved.map(parseRange).filter((range) => range !== null);
  const all = [...cluster, ...service];
  for (const [index, range] of all.entries()) {
    const other = [...all.slice(0, index), ...own].find((one) => overlaps(one, range));
    if (other === undefined) continue;
    const owner = own.includes(other) ? `${other.text}, which ovn-kubernetes uses itself` : other.text;
    throw invalid(`${range.text} overlaps ${owner}`, 'choose ranges that have no address in common', sources);
  }
}

function parseAll(name: string, { value, source }: Sourced<readonly string[]>): AddressRange[] {
  const ranges = value.map((text) => {
    const range = parseRange(text);
    if (range === null)
      throw invalid(`${name}: ${JSON.stringify(text)} is not an address range`, 'write it as in 10.42.0.0/16', source);
    if (!range.canonical)
      throw invalid(
        `${name}: ${text} names an address inside a range`,
        `write ${addressAt(range, 0)}/${range.prefixLength}`,
        source,
      );
    return range;
  });
  const isPair = ranges.length === 2 && ranges[0]?.family !== ranges[1]?.family;
  if (ranges.length === 1 || isPair) return ranges;
  throw invalid(
    `${name} has ${ranges.length} ranges: ${value.join(', ')}`,
    'give it one, or one IPv4 and one IPv6',
    source,
  );
}

function tooSmall({ text, family, prefixLength }: AddressRange, source: string): AgentError {
  const longest = longestClusterPrefix[family];
  return invalid(
    `network.clusterNetwork: ${text} is too small for ovn-kubernetes`,
    `use /${longest} or a shorter prefix instead of /${prefixLength}`,
    source,
  );
}

function families(ranges: readonly AddressRange[]): string {
  return ranges.map(({ family }) => `IPv${family}`).join(' and ');
}

function invalid(message: string, hint: string, source: string): AgentError {
  return new AgentError('config-invalid', `${message} (${source})`, { hint });
}
