import { defaultConfig } from './defaults.ts';
import type { LoadedConfig } from './load.ts';
import { type ConfigFiles, readConfigFiles } from './read-files.ts';

/**
 * The configuration of this node. The parser and the validator are loaded only when a file says something: a node without
 * configuration, the most common one, does not pay for them.
 */
export async function effectiveConfig(files: ConfigFiles = readConfigFiles()): Promise<LoadedConfig> {
  const saysNothing = files.ovnYaml === null && files.configYaml === null && files.configD.length === 0;
  if (saysNothing) return { config: defaultConfig, warnings: [] };
  const { loadConfig } = await import('./load.ts');
  return loadConfig(files);
}
