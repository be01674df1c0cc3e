import type { AgentError } from '../errors.ts';
import { rangesForAddress } from '../model/cluster-ranges.ts';
import type { Config, ConfigWarning } from '../model/config.ts';
import { readCluster } from './cluster-config.ts';
import { decodeSource } from './decode.ts';
import { defaultConfig } from './defaults.ts';
import { readOvnYaml } from './ovn-yaml.ts';
import { type ConfigFiles, configPaths } from './read-files.ts';
import { configWarnings } from './warnings.ts';

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
  /** Problems of MicroShift's own files; the settings concerned count as not set. */
  readonly clusterProblems: readonly AgentError[];
}

/**
 * Returns the effective configuration that follows from the configuration files of a node. Throws an AgentError
 * (config-syntax, config-invalid) for a problem in ovn.yaml.
 */
export function loadConfig(files: ConfigFiles): LoadedConfig {
  const ovnYaml =
    files.ovnYaml === null
      ? defaultConfig
      : readOvnYaml(decodeSource(files.ovnYamlPath ?? configPaths.ovnYaml, files.ovnYaml));
  const { cluster, problems } = readCluster(clusterSources(files));
  const config: Config = { ...ovnYaml, cluster: rangesForAddress(cluster, cluster.nodeIp.value) };
  return {
    config,
    warnings: configWarnings(config),
    clusterProblems: [...(files.unreadable ?? []), ...problems],
  };
}

/**
 * Returns MicroShift's files in the order in which it merges them: config.yaml, then its drop-ins by name
 * (pkg/config/files.go:76-116).
 */
function clusterSources(files: ConfigFiles) {
  const dropIns = files.configD.toSorted((a, b) => (placeOf(a.name) < placeOf(b.name) ? -1 : 1));
  return [
    ...(files.configYaml === null ? [] : [{ path: configPaths.configYaml, bytes: files.configYaml }]),
    ...dropIns.map(({ name, bytes }) => ({ path: `${configPaths.configD}/${name}`, bytes })),
  ];
}

/**
 * Returns a text for a path. If paths are sorted by these texts, they have the order of Go's filepath.WalkDir, which
 * compares paths name by name.
 */
function placeOf(path: string): string {
  return path.replaceAll('/', '\0');
}
