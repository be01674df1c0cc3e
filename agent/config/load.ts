import type { AgentError } from '../errors.ts';
import { rangesForAddress } from '../model/cluster-ranges.ts';
import type { Config, ConfigWarning } from '../model/config.ts';
import { readCluster } from './cluster.ts';
import { decodeSource } from './decode.ts';
import { defaultConfig } from './defaults.ts';
import { readOvnYaml } from './ovn-yaml.ts';
import { type ConfigFiles, configPaths } from './read-files.ts';
import { configWarnings } from './warnings.ts';

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
  /** What is wrong with MicroShift's own files; what stands there counts as not set. */
  readonly clusterProblems: readonly AgentError[];
}

/** The effective configuration of these files; throws an AgentError (config-syntax, config-invalid) for what is wrong in ovn.yaml. */
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

/** MicroShift merges config.yaml and then its drop-ins in the order of their names (pkg/config/files.go:76-116). */
function clusterSources(files: ConfigFiles) {
  const dropIns = files.configD.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return [
    ...(files.configYaml === null ? [] : [{ path: configPaths.configYaml, bytes: files.configYaml }]),
    ...dropIns.map(({ name, bytes }) => ({ path: `${configPaths.configD}/${name}`, bytes })),
  ];
}
