import type { ConfigWarning, Sourced } from '../../model/config.ts';
import { type WarningJson, warningsJson } from './parts-json.ts';

/**
 * `config check`: result for a valid configuration. For an invalid one, the command prints the document of an error.
 */
export interface ConfigCheckDocument {
  readonly command: 'config check';
  readonly outcome: 'valid';
  readonly file: string;
  /** False if the file does not exist, in which case every setting has its default. */
  readonly present: boolean;
  readonly warnings: readonly WarningJson[];
}

/** `config show`: the effective values. */
export interface ConfigShowDocument {
  readonly command: 'config show';
  readonly outcome: 'shown';
  /** Settings by their path in ovn.yaml or in config.yaml of MicroShift, such as `ovs.cpuAffinity`. */
  readonly settings: Readonly<Record<string, SettingJson>>;
  readonly warnings: readonly WarningJson[];
}

/** The value of a setting. */
export interface SettingJson {
  /** Value of the setting; null if the decision is left to another component. */
  readonly value: string | number | boolean | null | readonly string[];
  /** Source of the value: `default`, or a file and its line. */
  readonly source: string;
}

/** `config schema`: the JSON Schema of ovn.yaml. */
export interface ConfigSchemaDocument {
  readonly command: 'config schema';
  readonly outcome: 'shown';
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Returns the document of `config check`. */
export function configCheckDocument(
  file: string,
  present: boolean,
  warnings: readonly ConfigWarning[],
): ConfigCheckDocument {
  return { command: 'config check', outcome: 'valid', file, present, warnings: warningsJson(warnings) };
}

/** Returns the document of `config show`. */
export function configShowDocument(
  settings: readonly (readonly [name: string, setting: Sourced<SettingJson['value']>])[],
  warnings: readonly ConfigWarning[],
): ConfigShowDocument {
  const byName = settings.map(([name, { value, source }]) => [name, { value, source }] as const);
  return {
    command: 'config show',
    outcome: 'shown',
    settings: Object.fromEntries(byName),
    warnings: warningsJson(warnings),
  };
}

/** Returns the document of `config schema`. */
export function configSchemaDocument(schema: Readonly<Record<string, unknown>>): ConfigSchemaDocument {
  return { command: 'config schema', outcome: 'shown', schema };
}
