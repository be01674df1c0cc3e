import { configPaths, loadConfig } from '../config/load.ts';
import { readConfigFiles } from '../config/read-files.ts';
import { ovnSchema } from '../config/schema.generated.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import { configCheckText, configShowText, type TextStyle } from '../view/config-view.ts';

export interface ConfigOptions {
  /** Directory below which etc/microshift is; `/` on a running node. */
  readonly rootDirectory: string;
  /** Another ovn.yaml than the one below the root directory. */
  readonly file?: string;
  readonly output: 'text' | 'json';
  readonly out: (text: string) => void;
  readonly style?: TextStyle;
}

/** `config check`: throws an AgentError when the configuration cannot be used, else says so and what might not be meant. */
export function configCheck(options: ConfigOptions): ExitCode {
  const files = readConfigFiles(options.rootDirectory, options.file);
  const { warnings } = loadConfig(files);
  const file = options.file ?? configPaths.ovnYaml;
  const isPresent = files.ovnYaml !== null;
  if (options.output === 'json') options.out(json({ valid: true, file, present: isPresent, warnings }));
  else options.out(configCheckText(file, isPresent, warnings, options.style));
  return exitCode.done;
}

/** `config show`: the effective values and where each came from. */
export function configShow(options: ConfigOptions): ExitCode {
  const { config, warnings } = loadConfig(readConfigFiles(options.rootDirectory, options.file));
  options.out(options.output === 'json' ? json({ config, warnings }) : configShowText(config, warnings, options.style));
  return exitCode.done;
}

/** `config schema`: the JSON Schema of ovn.yaml, in either output form. */
export function configSchema(options: Pick<ConfigOptions, 'out'>): ExitCode {
  options.out(json(ovnSchema));
  return exitCode.done;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
