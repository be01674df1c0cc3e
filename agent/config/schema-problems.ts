import { interfaceNameFault } from '../net/interface-name.ts';
import { escapeText, visibleText } from '../printable.ts';
import { nearest } from './nearest.ts';
import { type OvnTree, type Place, pointer } from './ovn-tree.ts';
import { maxProblems, type Problem } from './problem.ts';
import { expectation, type SettingSchema, settingSchemas } from './setting-schema.ts';
import type { SourceText } from './source-text.ts';
import type { SchemaFault } from './validate.generated.ts';
import { shownNode } from './yaml-tree.ts';

/** Returns violations of the schema in words, one problem per setting. */
export function schemaProblems(source: SourceText, tree: OvnTree, faults: readonly SchemaFault[]): Problem[] {
  const problems = new Map<string, Problem>();
  // The loop ends when enough problems have been collected for the report, because the search for the nearest key takes
  // time.
  for (const { instancePath, keyword, params } of faults) {
    const isUnknown = keyword === 'additionalProperties';
    const path = isUnknown ? instancePath + pointer([String(params.additionalProperty)]) : instancePath;
    const place = tree.places.get(path);
    if (place === undefined || problems.has(path)) continue;
    if (problems.size === maxProblems) break;
    const said = isUnknown ? unknownKey(place) : wrongValue(place, settingSchemas.get(place.keys.join('.')) ?? {});
    const offset = isUnknown ? place.key.at : place.node.at;
    problems.set(path, { kind: 'config-invalid', source, offset, ...said });
  }
  return [...problems.values()];
}

/** Keys of MicroShift's own configuration that users may set in ovn.yaml by mistake. */
const clusterKeys = new Set([
  'network',
  'node',
  'cluster',
  'dns',
  'apiServer',
  'nodeIP',
  'clusterNetwork',
  'serviceNetwork',
]);

function unknownKey({ keys }: Place): { message: string; hint: string } {
  const key = keys.at(-1) ?? '';
  const message = `unknown key ${visibleText(keys.join('.'))}`;
  const names = [...settingSchemas.keys()];
  const group = keys.slice(0, -1).join('.');
  const here = names.filter((name) => (name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '') === group);
  const meant = nearest(key, here.map(lastKey)) ?? nearest(key, names.map(lastKey));
  const fullName = here.find((name) => lastKey(name) === meant) ?? names.find((name) => lastKey(name) === meant);
  if (fullName !== undefined) {
    const above = fullName.slice(0, Math.max(0, fullName.lastIndexOf('.')));
    const where = above === group ? '' : above === '' ? ' at the top level' : ` below ${above}:`;
    return { message: `${message} (nearest known key: ${fullName})`, hint: `write ${lastKey(fullName)}${where}` };
  }
  if (clusterKeys.has(key)) return { message, hint: 'this setting belongs in /etc/microshift/config.yaml' };
  return { message, hint: `remove the line; known here: ${here.map(lastKey).join(', ')}` };
}

function lastKey(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

const interfaceKeys = new Set(['uplink', 'gatewayInterface', 'externalGatewayInterface']);

function wrongValue(place: Place, schema: SettingSchema): { message: string; hint: string } {
  const message = `${place.keys.join('.')} must be ${expectation(schema)}, not ${shownNode(place.node)}`;
  const { keys, value } = place;
  const fault = typeof value === 'string' && interfaceKeys.has(keys.at(-1) ?? '') ? interfaceNameFault(value) : null;
  if (fault !== null) return { message: `${message}: ${fault}`, hint: 'write the name as "ip link" shows it' };
  return { message, hint: valueHint(place, schema) };
}

/** Returns a hint with the correct form of a value, for the mistake that was probably made. */
function valueHint({ keys, node, value }: Place, schema: SettingSchema): string {
  const key = keys.at(-1);
  if (schema.type === 'boolean') return 'write true or false without quotes';
  if (schema.type === 'object')
    return `write the settings of ${key} on lines of their own below it, indented by two spaces`;
  const fallback = `write for example ${key}: ${JSON.stringify(schema.default)}`.replaceAll('"auto"', 'auto');
  if (node.kind !== 'scalar') return fallback;
  // No word such as `auto` is suggested for `mtu`: MicroShift also reads this setting, and does not start if its value
  // is not a number (MicroShift, pkg/config/ovn/ovn.go).
  const words =
    key === 'mtu' ? [] : [...(schema.enum ?? []), ...(schema.anyOf ?? []).flatMap((one) => one.const ?? [])];
  const word = nearest(node.text, words);
  if (word !== null) return `write ${key}: ${word}`;
  const takesNumber = schema.anyOf?.some((one) => one.type === 'integer') ?? false;
  if (takesNumber && !node.plain && /^[1-9][0-9]{0,9}$/.test(node.text))
    return `write ${key}: ${node.text} without quotes`;
  if (takesNumber && Number.isNaN(value))
    return `write a whole number in plain decimal digits, such as ${key}: ${schema.default}`;
  if (schema.type === 'string' && typeof value !== 'string')
    return `put quotes around it if that is the name: ${key}: "${escapeText(node.text, 40)}"`;
  return schema.enum === undefined ? fallback : `write ${key}: ${String(schema.default)}, which is the default`;
}
