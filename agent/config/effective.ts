import { defaultConfig } from './defaults.ts';
import type { LoadedConfig } from './load.ts';
import { type ConfigFiles, readConfigFiles } from './read-files.ts';

/**
 * The configuration of this node. The parser and the validator are loaded only when a file says something: a node without
 * configuration, the most common one, does not pay for them.
 */
export async function effectiveConfig(files: ConfigFiles = readConfigFiles()): Promise<LoadedConfig> {
  if (saysNothing(files)) return { config: defaultConfig, warnings: [] };
  const { loadConfig } = await import('./load.ts');
  return loadConfig(files);
}

function saysNothing(files: ConfigFiles): boolean {
  return [files.ovnYaml, files.configYaml, ...files.configD.map((file) => file.bytes)].every(
    (content) => content === null,
  );
}
