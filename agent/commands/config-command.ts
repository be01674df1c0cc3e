import { withoutProblems } from '../config/effective.ts';
import { loadConfig } from '../config/load.ts';
import { configPaths, readConfigFiles } from '../config/read-files.ts';
import { ovnSchema } from '../config/schema.generated.ts';
import { namedSettings } from '../config/settings.ts';
import { configCheckText, configShowText } from '../view/config-view.ts';
import { configCheckDocument, configSchemaDocument, configShowDocument } from '../view/json/config-json.ts';
import type { Output } from './output.ts';
import { terminalWidth } from './terminal-width.ts';

type Printer = Pick<Output, 'result'>;

/**
 * `config check [FILE]`: throws an AgentError if the configuration is invalid, otherwise prints that it is valid, and
 * warnings. FILE replaces the ovn.yaml below the root directory, which is `/` on a running node.
 */
export function configCheck(file: string | undefined, output: Printer, rootDirectory = '/'): void {
  const files = readConfigFiles(rootDirectory, file);
  const { warnings } = withoutProblems(loadConfig(files));
  const name = file ?? configPaths.ovnYaml;
  const present = files.ovnYaml !== null;
  output.result(configCheckText(name, present, warnings), configCheckDocument(name, present, warnings));
}

/** `config show [FILE]`: prints the effective values and their sources. */
export function configShow(file: string | undefined, output: Printer, rootDirectory = '/'): void {
  const { config, warnings } = withoutProblems(loadConfig(readConfigFiles(rootDirectory, file)));
  const settings = namedSettings(config);
  output.result(
    configShowText(settings, warnings, terminalWidth(process.stdout) !== null),
    configShowDocument(settings, warnings),
  );
}

/** `config schema`: prints the JSON Schema of ovn.yaml. */
export function configSchema(output: Printer): void {
  output.result(JSON.stringify(ovnSchema, null, 2), configSchemaDocument(ovnSchema), null, 'verbatim');
}
