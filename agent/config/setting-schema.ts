import { ovnSchema } from './schema.generated.ts';

/** Keywords of JSON Schema in ovn.schema.json from which messages are made. */
export interface SettingSchema {
  readonly title?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly SettingSchema[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly default?: unknown;
}

/** Schemas of all settings by their full names, including groups: `mtu`, `ovs`, `ovs.cpuAffinity`, … */
export const settingSchemas: ReadonlyMap<string, SettingSchema> = new Map(namedSchemas(ovnSchema, ''));

function namedSchemas({ properties = {} }: SettingSchema, prefix: string): [string, SettingSchema][] {
  return Object.entries(properties).flatMap(([key, schema]) => [
    [prefix + key, schema],
    ...namedSchemas(schema, `${prefix}${key}.`),
  ]);
}

/** Returns the values that a setting accepts, as the end of the sentence "it must be …". */
export function expectation(schema: SettingSchema): string {
  if (schema.anyOf !== undefined) return orList(schema.anyOf.map(expectation));
  if (schema.title !== undefined) return schema.title;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return orList(schema.enum);
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'integer') return `a whole number from ${schema.minimum} to ${schema.maximum}`;
  return 'a group of settings';
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
