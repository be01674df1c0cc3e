import { familyOf } from '../net/address.ts';
import { parseRange } from '../net/address-range.ts';
import { entryOf, resolve } from './cluster-lookup.ts';
import { scalarValue } from './scalar.ts';
import type { YamlNode } from './yaml-tree.ts';

/**
 * Reads a value from a YAML node; null if the node counts as not set. For an invalid node, throws the error that
 * `refuse` returns.
 */
export type ValueReader<T> = (
  node: YamlNode,
  refuse: (node: YamlNode, wanted: string, example: string) => Error,
) => T | null;

/** Reads address ranges: a list of them, a list of {cidr: …} (MicroShift until 2023), or a single one. */
export const readCidrs: ValueReader<readonly string[]> = (node, refuse) => {
  const items = node.kind === 'sequence' ? node.items : [node];
  const cidrs = items.flatMap((item) => {
    const cidr = cidrNode(item);
    if (cidr?.kind === 'scalar' && cidr.text === '') return [];
    if (cidr?.kind === 'scalar' && parseRange(cidr.text) !== null) return [cidr.text];
    throw refuse(cidr ?? item, 'address ranges', '[10.42.0.0/16]');
  });
  return cidrs.length === 0 ? null : cidrs;
};

function cidrNode(item: YamlNode): YamlNode | null {
  const node = resolve(item);
  return node?.kind === 'mapping' ? (entryOf(node, 'cidr')?.value ?? null) : node;
}

/** Reads an IP address from a YAML node; an empty text counts as not set. */
export const readAddress: ValueReader<string> = (node, refuse) => {
  if (node.kind === 'scalar' && node.text === '') return null;
  if (node.kind === 'scalar' && familyOf(node.text) !== null) return node.text;
  throw refuse(node, 'an IP address', '192.0.2.10');
};

const maxPort = 65_535;

/**
 * Reads a port range in the notation of Kubernetes: 30000-32767, 30000+2767 (first port and number of further ports) or
 * 30000 alone.
 */
export const readPortRange: ValueReader<string> = (node, refuse) => {
  if (node.kind !== 'scalar') throw refuse(node, 'a port range', '30000-32767');
  if (node.text === '') return null;
  const match = /^([0-9]{1,5})(?:([-+])([0-9]{1,5}))?$/.exec(node.text);
  const first = Number(match?.[1]);
  const last = match?.[2] === '+' ? first + Number(match[3]) : Number(match?.[3] ?? first);
  // MicroShift parses a port range that is one number without quotes as an integer, and then refuses the whole file.
  const isText = typeof scalarValue(node) === 'string';
  if (match === null || !isText || first < 1 || last < first || last > maxPort)
    throw refuse(node, 'a port range', '"30000-32767"');
  return `${first}-${last}`;
};

/** Reads network.cniPlugin, which says whether MicroShift deploys ovn-kubernetes (pkg/config/network.go:116). */
export const readCniPlugin: ValueReader<'ovnk' | 'none'> = (node, refuse) => {
  if (node.kind === 'scalar' && node.text === '') return null;
  if (node.kind === 'scalar' && (node.text === 'ovnk' || node.text === 'none')) return node.text;
  throw refuse(node, 'ovnk or none', 'none');
};

/**
 * Reads addresses and names of interfaces. MicroShift accepts only a list (pkg/config/ingress.go), and ignores empty
 * entries.
 */
export const readListenAddresses: ValueReader<readonly string[]> = (node, refuse) => {
  if (node.kind !== 'sequence') throw refuse(node, 'a list of addresses and interfaces', '[192.0.2.10]');
  const entries = node.items.flatMap((item) => {
    const entry = resolve(item);
    if (entry === null) return [];
    if (entry.kind !== 'scalar') throw refuse(item, 'a list of addresses and interfaces', '[192.0.2.10]');
    return entry.text === '' ? [] : [entry.text];
  });
  return entries.length === 0 ? null : entries;
};

function isEmpty(value: YamlNode | null): boolean {
  const node = value === null ? null : resolve(value);
  if (node === null) return true;
  return node.kind === 'scalar'
    ? scalarValue(node) === null || node.text === ''
    : node.kind === 'sequence' && node.items.length === 0;
}

/**
 * Largest number of networks of remote clusters, more than a node can be connected to. Aliases of YAML could list the
 * same networks without end.
 */
const maxRemoteNetworks = 1000;

/**
 * Fields of an entry of remoteClusters. MicroShift ignores an entry in which all of them are empty (pkg/config/c2cc.go,
 * isEmpty).
 */
const ofRemoteCluster = ['nextHop', 'clusterNetwork', 'serviceNetwork', 'domain'];

/**
 * Reads the networks of the clusters in clusterToCluster.remoteClusters. An entry with only empty values, as in the
 * config.yaml that MicroShift ships, is ignored. An entry without clusterNetwork or without serviceNetwork is refused,
 * because MicroShift does not start with it (pkg/config/c2cc.go, parseRemoteClusters).
 */
export const readRemoteNetworks: ValueReader<readonly string[]> = (node, refuse) => {
  const wanted = 'a list of clusters, each with its clusterNetwork and serviceNetwork';
  const example = '[{nextHop: [192.0.2.20], clusterNetwork: [10.45.0.0/16], serviceNetwork: [10.46.0.0/16]}]';
  if (node.kind !== 'sequence') throw refuse(node, wanted, example);
  const networks: string[] = [];
  for (const item of node.items) {
    const cluster = resolve(item);
    if (cluster === null) continue;
    if (cluster.kind !== 'mapping') throw refuse(item, wanted, example);
    if (ofRemoteCluster.every((key) => isEmpty(entryOf(cluster, key)?.value ?? null))) continue;
    for (const key of ['clusterNetwork', 'serviceNetwork']) {
      const value = entryOf(cluster, key)?.value ?? null;
      const cidrs = value === null ? null : readCidrs(value, refuse);
      if (cidrs === null) throw refuse(item, wanted, example);
      networks.push(...cidrs);
    }
    if (networks.length > maxRemoteNetworks) throw refuse(node, `at most ${maxRemoteNetworks} networks`, example);
  }
  return networks.length === 0 ? null : [...new Set(networks)];
};
