import type { AgentError } from '../errors.ts';
import { parseYaml } from './config-yaml.ts';
import { readOvnTree } from './ovn-tree.ts';
import { problemsError } from './problem.ts';
import { schemaProblems } from './schema-problems.ts';
import { settingProblems } from './setting-problems.ts';
import { type OvnYaml, ovnConfig } from './settings.ts';
import { type SourceText, sourceLine } from './source-text.ts';
import { checkSettings } from './validate.generated.ts';
import type { YamlMapping } from './yaml-tree.ts';

/**
 * Largest number of events of the YAML parser, far above the number that all settings need, and low enough for a quick
 * check.
 */
const maxEvents = 10_000;

/**
 * Returns the settings of ovn.yaml, and the defaults of all other settings; throws an error with every problem of the
 * file.
 */
export function readOvnYaml(source: SourceText): OvnYaml {
  const root = rootMapping(source);
  if (root === null) return ovnConfig({}, () => null);
  const tree = readOvnTree(source, root);
  const { settings, faults } = checkSettings(tree.value);
  const malformed = [...tree.problems, ...schemaProblems(source, tree, faults)];
  if (malformed.length > 0) throw problemsError(malformed);
  // A setting with an empty text counts as not set.
  const made = [...tree.places.values()].filter(({ value }) => value !== undefined && value !== '');
  const places = new Map(made.map((place) => [place.keys.join('.'), place]));
  const problems = settingProblems(source, places);
  if (problems.length > 0) throw problemsError(problems);
  return ovnConfig(settings, (name) => {
    const place = places.get(name);
    return place === undefined ? null : sourceLine(source, place.key.at);
  });
}

function rootMapping(source: SourceText): YamlMapping | null {
  const { root, secondAt } = parseYaml(source, maxEvents);
  const refusal = (offset: number, message: string, hint: string): AgentError =>
    problemsError([{ kind: 'config-syntax', source, offset, message, hint }]);
  if (secondAt !== -1)
    throw refusal(secondAt, 'a second YAML document starts here', 'keep one document; remove the --- line');
  if (root === null || (root.kind === 'scalar' && root.plain && /^(?:~|null)?$/i.test(root.text))) return null;
  if (root.kind === 'sequence')
    throw refusal(root.at, 'this is a list, not "key: value" settings', 'write the settings without dashes');
  if (root.kind !== 'mapping') {
    const hint = 'write for example mtu: 1400, with a space after the colon';
    throw refusal(root.at, 'this is not a "key: value" setting', hint);
  }
  const propertyAt = Math.max(root.anchorAt, root.tagAt);
  if (propertyAt !== -1) throw refusal(propertyAt, 'anchors (&name) and tags (!name) are refused', 'remove it');
  return root;
}
