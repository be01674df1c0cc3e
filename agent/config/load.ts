import type { Config, ConfigWarning } from '../model/config.ts';
import { readCluster } from './cluster.ts';
import { decodeSource } from './decode.ts';
import { defaultConfig } from './defaults.ts';
import { readOvnYaml } from './ovn-yaml.ts';
import { configWarnings } from './warnings.ts';

/** Where the configuration is on a node. */
export const configPaths = {
  ovnYaml: '/etc/microshift/ovn.yaml',
  configYaml: '/etc/microshift/config.yaml',
  configD: '/etc/microshift/config.d',
} as const;

/** What a file holds; null: there is no such file. */
export type FileContent = Uint8Array | string | null;

export interface ConfigFiles {
  readonly ovnYaml: FileContent;
  /** The path that messages and sources name, when it is not the usual one. */
  readonly ovnYamlPath?: string;
  readonly configYaml: FileContent;
  readonly configD: readonly { readonly name: string; readonly bytes: Uint8Array | string }[];
}

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
