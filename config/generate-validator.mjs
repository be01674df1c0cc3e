/**
 * Generates agent/config/{schema,validate}.generated.ts from ovn.schema.json, so that the package contains no schema compiler.
 * Every build runs this script (`npm run generate`); its output is not in git.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import Ajv from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';

const schemaUrl = new URL('ovn.schema.json', import.meta.url);
const targetUrl = new URL('../agent/config/', import.meta.url);

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
  return {
    'schema.generated.ts': `${header}export const ovnSchema = ${JSON.stringify(schema, null, 2)};\n`,
    'validate.generated.ts': `${header}// @ts-nocheck: the schema compiler writes plain JavaScript.\n${validator}
/** One broken rule of the schema: where in the value, which rule, and the rule's own facts. */
export interface SchemaFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Every rule of the schema that the value breaks; none when it is valid. */
export function schemaFaults(value: unknown): readonly SchemaFault[] {
  return validate(value) ? [] : validate.errors;
}
`,
  };
}

for (const [name, text] of Object.entries(generate(readFileSync(schemaUrl, 'utf8')))) {
  writeFileSync(new URL(name, targetUrl), text);
}
