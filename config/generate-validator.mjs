/**
 * Generates agent/config/{schema,ovn-settings,validate}.generated.ts from ovn.schema.json, so that the package contains no schema compiler.
 * Every build runs this script (`npm run generate`); its output is not in git.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import Ajv from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';

const schemaUrl = new URL('ovn.schema.json', import.meta.url);
const targetUrl = new URL('../agent/config/', import.meta.url);

/** Returns the schemas of all settings by their full names (`mtu`, `ovs.cpuAffinity`, …), without those of groups. */
function namedSettings({ properties }, prefix = '') {
  return Object.entries(properties).flatMap(([key, schema]) =>
    schema.properties === undefined ? [[prefix + key, schema]] : namedSettings(schema, `${prefix}${key}.`),
  );
}

/** Returns the TypeScript type of the values that a setting accepts. */
function typeOf({ anyOf, enum: words, const: word, type }) {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ');
  if (words !== undefined) return words.map((one) => JSON.stringify(one)).join(' | ');
  if (word !== undefined) return JSON.stringify(word);
  const types = { boolean: 'boolean', integer: 'number', string: 'string' };
  if (types[type] === undefined) throw new Error(`a setting of type ${type} needs a TypeScript type here`);
  return types[type];
}

/** Returns the generated files for the text of a schema, by name. */
function generate(schemaText) {
  const schema = JSON.parse(schemaText);
  const ajv = new Ajv.default({
    allErrors: true,
    strict: true,
    messages: false,
    code: { source: true, esm: true, lines: true },
  });
  const code = standaloneCode.default(ajv, ajv.compile(schema));
  // The schema does not use minLength, maxLength, uniqueItems and format, because these would need modules of ajv at run time.
  if (/\brequire\(|^import /m.test(code)) throw new Error('the validator would load a module at run time');
  const header = '// Made by config/generate-validator.mjs from config/ovn.schema.json; never edit.\n';
  const validator = code
    .replace('"use strict";', '')
    .replace(/^export default \w+;\n?/m, '')
    .replace(/^export const validate = (\w+);/m, 'const validate = $1;')
    .replace(/^const (schema\d+) = .*$/m, "import { ovnSchema as $1 } from './schema.generated.ts';");
  const settings = namedSettings(schema);
  const types = settings.map(([name, setting]) => `  readonly '${name}': ${typeOf(setting)};\n`);
  const defaults = Object.fromEntries(settings.map(([name, setting]) => [name, setting.default]));
  return {
    'ovn-settings.generated.ts': `${header}
/** Values of the settings of ovn.yaml, by their full names. */
export interface OvnSettings {
${types.join('')}}

/** Default values of the settings. */
export const ovnDefaults: OvnSettings = ${JSON.stringify(defaults, null, 2)};

/** Names of all settings in the order of the schema. */
export const settingNames: readonly (keyof OvnSettings)[] = ${JSON.stringify(Object.keys(defaults), null, 2)};
`,
    'schema.generated.ts': `${header}export const ovnSchema = ${JSON.stringify(schema, null, 2)};\n`,
    'validate.generated.ts': `${header}// @ts-nocheck: the schema compiler writes plain JavaScript.
import type { OvnSettings } from './ovn-settings.generated.ts';
${validator}
/** Rule of the schema that a value breaks: the place in the value, the rule, and the parameters of the rule. */
export interface SchemaFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Returns the settings of a parsed ovn.yaml by their full names if the schema permits the file, and otherwise every rule
 * of the schema that the file breaks.
 */
export function checkSettings(value: unknown): {
  readonly settings: Partial<OvnSettings>;
  readonly faults: readonly SchemaFault[];
} {
  return validate(value)
    ? { settings: Object.fromEntries(namedValues(value, '')), faults: [] }
    : { settings: {}, faults: validate.errors };
}

function namedValues(group, prefix) {
  return Object.entries(group).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return typeof value === 'object' ? namedValues(value, \`\${prefix}\${key}.\`) : [[prefix + key, value]];
  });
}
`,
  };
}

for (const [name, text] of Object.entries(generate(readFileSync(schemaUrl, 'utf8')))) {
  writeFileSync(new URL(name, targetUrl), text);
}
