import type { AgentError } from '../errors.ts';
import type { Config, ConfigWarning } from '../model/config.ts';
import { defaultConfig } from './defaults.ts';
import type { LoadedConfig } from './load.ts';
import { type ConfigFiles, readConfigFiles } from './read-files.ts';

/** A configuration, and what may not be meant in it. */
export interface UsableConfig {
  readonly config: Config;
  readonly warnings: readonly ConfigWarning[];
}

/**
 * The configuration of this node. The parser and the validator are loaded only when a file says something: a node without
 * configuration, the most common one, does not pay for them.
 */
export async function loadedConfig(files: ConfigFiles = readConfigFiles()): Promise<LoadedConfig> {
  const { ovnYaml, configYaml, configD, unreadable = [] } = files;
  const saysNothing = ovnYaml === null && configYaml === null && configD.length + unreadable.length === 0;
  if (saysNothing) return { config: defaultConfig, warnings: [], clusterProblems: [] };
  const { loadConfig } = await import('./load.ts');
  return loadConfig(files);
}

/** The configuration for whoever needs to know the cluster; throws what is wrong in any file. */
export async function effectiveConfig(): Promise<UsableConfig> {
  return withoutProblems(await loadedConfig());
}

/** The same of what has been loaded. */
export function withoutProblems({ config, warnings, clusterProblems: [problem] }: LoadedConfig): UsableConfig {
  if (problem !== undefined) throw problem;
  return { config, warnings };
}

/**
 * The configuration for whoever configures the node, which has to have a network whatever MicroShift's own files have become: what is
 * wrong in those is a warning that says what is not known for it.
 */
export async function usableConfig(): Promise<UsableConfig> {
  const { config, warnings, clusterProblems } = await loadedConfig();
  return { config, warnings: [...clusterProblems.map(unknownWarning), ...warnings] };
}

/** What is not known for a problem of MicroShift's own files. */
export function unknownWarning({ message, facts: { file, line } }: AgentError): ConfigWarning {
  const source = [file, line].filter((part) => part !== undefined).join(':');
  // The message begins with the place: FILE or FILE:LINE:COLUMN.
  const what = message.replace(/^.*?: /s, '');
  return { source, message: countsAsNotSet(what) };
}

/** A problem of MicroShift's own files, and what comes of it. */
export function countsAsNotSet(problem: string): string {
  return `${problem}; what stands there is not known, and counts as not set`;
}
