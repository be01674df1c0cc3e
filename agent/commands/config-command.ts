import { withoutProblems } from '../config/effective.ts';
import { loadConfig } from '../config/load.ts';
import { configPaths, readConfigFiles } from '../config/read-files.ts';
import { ovnSchema } from '../config/schema.generated.ts';
import { namedSettings } from '../config/settings.ts';
import { configCheckText, configShowText } from '../view/config-view.ts';
import type { Output } from './output.ts';

type Printer = Pick<Output, 'result'>;

/**
 * `config check [FILE]`: throws an AgentError if the configuration is invalid, otherwise prints that it is valid, and
 * warnings. FILE replaces the ovn.yaml below the root directory, which is `/` on a running node.
 */
export function configCheck(file: string | undefined, output: Printer, rootDirectory = '/'): void {
  const files = readConfigFiles(rootDirectory, file);
  const { warnings } = withoutProblems(loadConfig(files));
  const result = { valid: true, file: file ?? configPaths.ovnYaml, present: files.ovnYaml !== null, warnings };
  output.result(configCheckText(result.file, result.present, warnings), result);
}

/** `config show [FILE]`: prints the effective values and their sources. */
export function configShow(file: string | undefined, output: Printer, rootDirectory = '/'): void {
  const { config, warnings } = withoutProblems(loadConfig(readConfigFiles(rootDirectory, file)));
  output.result(configShowText(namedSettings(config), warnings), { config, warnings });
}

/** `config schema`: prints the JSON Schema of ovn.yaml, the same in both output formats. */
export function configSchema(output: Printer): void {
  output.result(JSON.stringify(ovnSchema, null, 2), ovnSchema);
}
