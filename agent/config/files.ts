import type { Config, ConfigWarning } from '../model/config.ts';

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

/** The largest configuration file that is read; a real one has less than a hundredth of that. */
export const maxConfigBytes = 1024 * 1024;
