import type { AgentError } from '../errors.ts';
import type { Config, ConfigWarning } from '../model/config.ts';
import { defaultConfig } from './defaults.ts';
import type { LoadedConfig } from './load.ts';
import { type ConfigFiles, readConfigFiles } from './read-files.ts';

/** A configuration with its warnings. */
export interface UsableConfig {
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
}

/**
 * Loads the configuration of this node. The parser and the validator are loaded only if a configuration file exists,
 * because most nodes have none.
 */
export async function loadedConfig(files: ConfigFiles = readConfigFiles()): Promise<LoadedConfig> {
  const { ovnYaml, configYaml, configD, unreadable = [] } = files;
  const saysNothing = ovnYaml === null && configYaml === null && configD.length + unreadable.length === 0;
  if (saysNothing) return { config: defaultConfig, warnings: [], clusterProblems: [] };
  const { loadConfig } = await import('./load.ts');
  return loadConfig(files);
}

/** Loads the configuration for commands that need to know the cluster; throws the first problem of any file. */
export async function effectiveConfig(): Promise<UsableConfig> {
  return withoutProblems(await loadedConfig());
}

/**
 * Returns the configuration and its warnings if MicroShift's own files have no problem; otherwise throws the first
 * problem.
 */
export function withoutProblems({ config, warnings, clusterProblems: [problem] }: LoadedConfig): UsableConfig {
  if (problem !== undefined) throw problem;
  return { config, warnings };
}

/**
 * Loads the configuration for commands that configure the node. The node needs a network even if MicroShift's own files
 * are invalid. A problem in those files becomes a warning about the settings that are not known.
 */
export async function usableConfig(): Promise<UsableConfig> {
  const { config, warnings, clusterProblems } = await loadedConfig();
  return { config, warnings: [...clusterProblems.map(unknownWarning), ...warnings] };
}

/** Returns a problem of MicroShift's own files as a warning that the settings concerned count as not set. */
export function unknownWarning({ message, facts: { file, line } }: AgentError): ConfigWarning {
  const source = [file, line].filter((part) => part !== undefined).join(':');
  // The position at the beginning of the message, FILE or FILE:LINE:COLUMN, is removed.
  const what = message.replace(/^.*?: /s, '');
  return { source, message: countsAsNotSet(what) };
}

/** Returns the message of a problem in MicroShift's own files, with its consequence for the settings concerned. */
export function countsAsNotSet(problem: string): string {
  return `${problem}; the setting there is not known, and counts as not set`;
}
