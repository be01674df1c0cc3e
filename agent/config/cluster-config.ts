import { type AgentError, isAgentError } from '../errors.ts';
import type { ClusterConfig, Sourced } from '../model/config.ts';
import { type ClusterFile, type Found, lookUp, resolve } from './cluster-lookup.ts';
import {
  readAddress,
  readCidrs,
  readCniPlugin,
  readListenAddresses,
  readPortRange,
  readRemoteNetworks,
  type ValueReader,
} from './cluster-values.ts';
import { parseYaml } from './config-yaml.ts';
import { decodeSource } from './decode.ts';
import { defaultConfig } from './defaults.ts';
import { problemsError } from './problem.ts';
import { clusterSpellings } from './settings.ts';
import { type SourceText, sourceLine } from './source-text.ts';
import { shownNode } from './yaml-tree.ts';

const readers: { readonly [K in keyof ClusterConfig]: ValueReader<ClusterConfig[K]['value']> } = {
  clusterNetwork: readCidrs,
  serviceNetwork: readCidrs,
  serviceNodePortRange: readPortRange,
  nodeIp: readAddress,
  nodeIpv6: readAddress,
  cniPlugin: readCniPlugin,
  advertiseAddress: readAddress,
  listenAddresses: readListenAddresses,
  remoteNetworks: readRemoteNetworks,
};

/** File of MicroShift's configuration as bytes. */
export interface ClusterBytes {
  readonly path: string;
  readonly bytes: Uint8Array | string;
}

/**
 * Reads the cluster settings from MicroShift's files in the order in which they are merged; other keys are not checked.
 * An invalid setting has an entry in `problems` and counts as not set. If a file is not valid YAML, all of its settings
 * count as not set.
 */
export function readCluster(sources: readonly ClusterBytes[]): { cluster: ClusterConfig; problems: AgentError[] } {
  const problems: AgentError[] = [];
  const attempt = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      if (!isAgentError(error)) throw error;
      problems.push(error);
      return null;
    }
  };
  const files = sources.flatMap(({ path, bytes }) => attempt(() => clusterFile(path, bytes)) ?? []);
  const entries = Object.entries(readers).map(([key, read]) => {
    const name = key as keyof ClusterConfig;
    const found = attempt(() => take<unknown>(files, clusterSpellings[`cluster.${name}`], read));
    return [name, found ?? defaultConfig.cluster[name]];
  });
  // The object that is made from `entries` has the type ClusterConfig, because each reader in `readers` returns values
  // of the type of its own setting.
  return { cluster: Object.fromEntries(entries) as ClusterConfig, problems };
}

function clusterFile(path: string, bytes: Uint8Array | string): ClusterFile {
  const source = decodeSource(path, bytes);
  return { source, root: rootOf(source) };
}

function rootOf(source: SourceText): ClusterFile['root'] {
  const { root } = parseYaml(source);
  if (root === null || root.kind === 'mapping' || resolve(root) === null) return resolve(root);
  const said = { message: 'the file must hold settings', hint: 'write "key: value" lines' };
  throw problemsError([{ kind: 'config-invalid', source, offset: root.at, ...said }]);
}

/** Returns the value of a setting; null if no file sets it. */
function take<T>(files: readonly ClusterFile[], names: readonly string[], read: ValueReader<T>): Sourced<T> | null {
  for (const name of names) {
    for (const { source, root } of files.toReversed()) {
      const found = lookUp(root, name.split('.'));
      if (found === null) continue;
      const value = readFound(source, name, found, read);
      // An empty value in a drop-in removes the value of earlier files, because MicroShift merges its files by JSON
      // merge patch (RFC 7396).
      if (value === null) break;
      return { value, source: sourceLine(source, found.keyAt) };
    }
  }
  return null;
}

function readFound<T>(source: SourceText, name: string, { value }: Found, read: ValueReader<T>): T | null {
  if (value === null) return null;
  return read(value, (node, wanted, example) => {
    const message = `${name} must be ${wanted}, not ${shownNode(node)}`;
    const hint = `write for example ${example}`;
    return problemsError([{ kind: 'config-invalid', source, offset: node.at, message, hint }]);
  });
}
