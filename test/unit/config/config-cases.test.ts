import { join } from 'node:path';
import t from 'tap';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { withoutProblems } from '../../../agent/config/effective.ts';
import { loadConfig } from '../../../agent/config/load.ts';
import { isAgentError } from '../../../agent/errors.ts';
import { configProblemsText } from '../../../agent/view/config-view.ts';
import { readTable, type TableCase, writeTable } from '../case-table.ts';

/**
 * The parts ovn.yaml, config.yaml and config.d/NAME of a case are what the node has; `effective` or `error` is what
 * comes of it. `effective` has each setting with its source, but for those that are at their defaults (`absent` has
 * all), and the warnings.
 */
const file = join(process.cwd(), 'test/cases/config.txt');
const outcomes = ['effective', 'error'];

const cases = readTable(file);
if (process.env.UPDATE_CASES === '1') writeTable(file, cases.map(withOutcome));
for (const one of cases) t.strictSame(withOutcome(one).parts, one.parts, one.name);

function withOutcome(one: TableCase): TableCase {
  const given = Object.entries(one.parts).filter(([part]) => !outcomes.includes(part));
  return { ...one, parts: { ...Object.fromEntries(given), ...outcomeOf(one) } };
}

function outcomeOf({ name, parts }: TableCase): Readonly<Record<string, string>> {
  const dropIns = Object.entries(parts).flatMap(([part, bytes]) =>
    part.startsWith('config.d/') ? [{ name: part.replace('config.d/', ''), bytes }] : [],
  );
  try {
    const loaded = loadConfig({
      ovnYaml: parts['ovn.yaml'] ?? null,
      configYaml: parts['config.yaml'] ?? null,
      // Out of order on purpose: the order of the names decides, not the order of the directory.
      configD: dropIns.toReversed(),
    });
    const { config, warnings } = withoutProblems(loaded);
    const settings = settingLines(config, name === 'absent' ? {} : defaultConfig, '');
    const lines = [...settings, ...warnings.map(({ source, message }) => `warning at ${source}: ${message}`)];
    return { effective: lines.map((line) => `${line}\n`).join('') };
  } catch (error) {
    if (!isAgentError(error) || error.kind === 'internal') throw error;
    return { error: `${error.kind}\n${configProblemsText(error)}\n` };
  }
}

/** `ovs.handlerThreads: 2 (/etc/microshift/ovn.yaml:8)` for each setting that is unlike its default. */
function settingLines(value: object, defaults: unknown, way: string): readonly string[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const usual = (defaults as Record<string, unknown> | undefined)?.[key];
    if (JSON.stringify(item) === JSON.stringify(usual)) return [];
    if (!('source' in item)) return settingLines(item, usual, `${way}${key}.`);
    return [`${way}${key}: ${JSON.stringify(item.value)} (${item.source})`];
  });
}
