import type { ClusterConfig, Sourced } from '../model/config.ts';
import { type ClusterFile, type Found, lookUp, resolve } from './cluster-lookup.ts';
import { readAddress, readCidrs, readPortRange, type ValueReader } from './cluster-values.ts';
import { defaultConfig } from './defaults.ts';
import { problemsError } from './problem.ts';
import { clusterSpellings } from './settings.ts';
import { type SourceText, sourceLine } from './source-text.ts';
import { parseYaml } from './yaml.ts';
import { shownNode } from './yaml-tree.ts';

/** What MicroShift's files, in the order in which they are merged, say of the cluster; all other keys are not ours to judge. */
export function readCluster(sources: readonly SourceText[]): ClusterConfig {
  const files = sources.map((source): ClusterFile => ({ source, root: rootOf(source) }));
  const defaults = defaultConfig.cluster;
  return {
    clusterNetwork: take(files, clusterSpellings['cluster.clusterNetwork'], readCidrs, defaults.clusterNetwork),
    serviceNetwork: take(files, clusterSpellings['cluster.serviceNetwork'], readCidrs, defaults.serviceNetwork),
    serviceNodePortRange: take(
      files,
      clusterSpellings['cluster.serviceNodePortRange'],
      readPortRange,
      defaults.serviceNodePortRange,
    ),
    nodeIp: take<string | null>(files, clusterSpellings['cluster.nodeIp'], readAddress, defaults.nodeIp),
  };
}

function rootOf(source: SourceText): ClusterFile['root'] {
  const { root } = parseYaml(source);
  if (root === null || root.kind === 'mapping' || resolve(root) === null) return resolve(root);
  const said = { message: 'the file must hold settings', hint: 'write "key: value" lines' };
  throw problemsError([{ kind: 'config-invalid', source, offset: root.at, ...said }]);
}

function take<T>(
  files: readonly ClusterFile[],
  names: readonly string[],
  read: ValueReader<T>,
  fallback: Sourced<T>,
): Sourced<T> {
  for (const name of names) {
    for (const { source, root } of files.toReversed()) {
      const found = lookUp(root, name.split('.'));
      if (found === null) continue;
      const value = readFound(source, name, found, read);
      // An empty value takes back what the files before it set (JSON merge patch, RFC 7396, as MicroShift merges them).
      if (value === null) break;
      return { value, source: sourceLine(source, found.keyAt) };
    }
  }
  return fallback;
}

function readFound<T>(source: SourceText, name: string, { value }: Found, read: ValueReader<T>): T | null {
  if (value === null) return null;
  return read(value, (node, wanted, example) => {
    const message = `${name} must be ${wanted}, not ${shownNode(node)}`;
    const hint = `write for example ${example}`;
    return problemsError([{ kind: 'config-invalid', source, offset: node.at, message, hint }]);
  });
}
