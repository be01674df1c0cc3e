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
}

/** The effective configuration of these files; throws an AgentError (config-syntax, config-invalid) for what is wrong in them. */
export function loadConfig(files: ConfigFiles): LoadedConfig {
  const ovnYaml =
    files.ovnYaml === null
      ? defaultConfig
      : readOvnYaml(decodeSource(files.ovnYamlPath ?? configPaths.ovnYaml, files.ovnYaml));
  const config: Config = { ...ovnYaml, cluster: readCluster(clusterSources(files)) };
  return { config, warnings: configWarnings(config) };
}

/** MicroShift merges config.yaml and then its drop-ins in the order of their names. */
function clusterSources(files: ConfigFiles) {
  const dropIns = files.configD.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return [
    ...(files.configYaml === null ? [] : [decodeSource(configPaths.configYaml, files.configYaml)]),
    ...dropIns.map(({ name, bytes }) => decodeSource(`${configPaths.configD}/${name}`, bytes)),
  ];
}
