import { join } from 'node:path';
import t from 'tap';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { withoutProblems } from '../../../agent/config/effective.ts';
import { loadConfig } from '../../../agent/config/load.ts';
import { isAgentError } from '../../../agent/errors.ts';
import { configProblemsText } from '../../../agent/view/config-view.ts';
import { readTable, type TableCase, writeTable } from '../case-table.ts';

/**
 * The parts ovn.yaml (without a heading), config.yaml and config.d/NAME of a case are files of the node; `effective` or
 * `error` is the result. `effective` has the warnings, and each setting with its source unless it has its default (the
 * case `absent` has all settings). `error` has the kind, unless the kind is config-invalid, and the problems. The
 * excerpts of the problems are left out: the line of the file, and a caret below the column.
 */
const file = join(process.cwd(), 'test/cases/config.txt');
const outcomes = ['effective', 'error'];

const cases = readTable(file, 'ovn.yaml');
if (process.env.UPDATE_CASES === '1') writeTable(file, cases.map(withOutcome), 'ovn.yaml');
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
      // The files are intentionally not sorted by their names, because their order in the directory must not matter.
      configD: dropIns.toReversed(),
    });
    const { config, warnings } = withoutProblems(loaded);
    const settings = settingLines(config, name === 'absent' ? {} : defaultConfig, '');
    const lines = [...settings, ...warnings.map(({ source, message }) => `warning at ${source}: ${message}`)];
    return { effective: lines.map((line) => `${line}\n`).join('') };
  } catch (error) {
    if (!isAgentError(error) || error.kind === 'internal') throw error;
    const kind = error.kind === 'config-invalid' ? '' : `${error.kind}\n`;
    return { error: `${kind}${withoutUsualExcerpts(configProblemsText(error), parts)}\n` };
  }
}

/**
 * Returns the problems without each excerpt that shows the line of the file and a caret at the column of its problem.
 * Any other excerpt stays, and a position without an excerpt says so.
 */
function withoutUsualExcerpts(text: string, parts: TableCase['parts']): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const said = lines[index] ?? '';
    kept.push(said);
    const [, part = '', line = '', column = ''] = /^\/etc\/microshift\/(\S+?):(\d+):(\d+): /.exec(said) ?? [];
    if (part === '') continue;
    const source = parts[part]?.split('\n')[Number(line) - 1] ?? '';
    const margin = `  ${line} | `;
    const caret = `${' '.repeat(margin.length - 2)}| ${' '.repeat(Number(column) - 1)}^`;
    const [shown = '', mark = ''] = lines.slice(index + 1);
    if (shown === `${margin}${source}` && mark === caret) index += 2;
    else if (!shown.startsWith(margin)) kept.push('  (no excerpt)');
  }
  return kept.join('\n');
}

/** Returns `ovs.handlerThreads: 2 (/etc/microshift/ovn.yaml:8)` for each setting that differs from its default. */
function settingLines(value: object, defaults: unknown, way: string): readonly string[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const usual = (defaults as Record<string, unknown> | undefined)?.[key];
    if (JSON.stringify(item) === JSON.stringify(usual)) return [];
    if (!('source' in item)) return settingLines(item, usual, `${way}${key}.`);
    return [`${way}${key}: ${JSON.stringify(item.value)} (${item.source})`];
  });
}
