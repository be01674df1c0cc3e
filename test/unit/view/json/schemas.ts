// JSON Schemas of `--output json`, generated in the same way as in the build.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Ajv from 'ajv';

type Schemas = Readonly<Record<string, object>>;

const { jsonSchemas } = (await import(pathToFileURL(join(process.cwd(), 'config/json-schemas.mjs')).href)) as {
  jsonSchemas: () => Schemas;
};

/** Schemas by their names, without `.schema.json`. */
export const schemas: Schemas = Object.fromEntries(
  Object.entries(jsonSchemas()).map(([file, schema]) => [file.replace('.schema.json', ''), schema]),
);

const ajv = new Ajv.default({ allErrors: true, strict: true, allowUnionTypes: true });
const validators = new Map(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));

/** Returns the violations of the schema in a document as it is printed; null if it has none. */
export function schemaFaults(name: string, document: object): string | null {
  const validate = validators.get(name);
  if (validate === undefined) return `there is no schema ${name}`;
  return validate(JSON.parse(JSON.stringify(document))) ? null : ajv.errorsText(validate.errors);
}
