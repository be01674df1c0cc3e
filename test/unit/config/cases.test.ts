import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { defaultConfig } from '../../../agent/config/defaults.ts';
import { withoutProblems } from '../../../agent/config/effective.ts';
import { loadConfig } from '../../../agent/config/load.ts';
import { isAgentError } from '../../../agent/errors.ts';
import { configProblemsText } from '../../../agent/view/config-view.ts';
import { readableJson } from '../plan/change.ts';

/**
 * One folder is one case: ovn.yaml, config.yaml and config.d/*.yaml are what the node has, effective.json or error.txt is
 * what comes of it, without the settings that are at their defaults; `absent` has all of those. UPDATE_CASES=1 writes the outcome of a new case, to be
 * read before it is committed.
 */
const casesDirectory = join(process.cwd(), 'test/cases/config');

for (const name of readdirSync(casesDirectory)) {
  t.test(name, (t) => {
    const directory = join(casesDirectory, name);
    const outcome = outcomeOf(directory, name === 'absent');
    if (process.env.UPDATE_CASES === '1') writeFileSync(join(directory, outcome.file), outcome.text);
    const other = outcome.file === 'error.txt' ? 'effective.json' : 'error.txt';
    t.notOk(existsSync(join(directory, other)), `no ${other}: ${outcome.file} is what comes of it`);
    t.equal(outcome.text, readFileSync(join(directory, outcome.file), 'utf8'));
    t.end();
  });
}

function outcomeOf(directory: string, withAll: boolean): { file: 'effective.json' | 'error.txt'; text: string } {
  try {
    const files = {
      ovnYaml: bytesOf(join(directory, 'ovn.yaml')),
      configYaml: bytesOf(join(directory, 'config.yaml')),
      configD: dropIns(join(directory, 'config.d')),
    };
    const loaded = withoutProblems(loadConfig(files));
    const { config, ...rest } = loaded;
    const text = readableJson({ config: withAll ? config : (withoutDefaults(config, defaultConfig) ?? {}), ...rest });
    return { file: 'effective.json', text: `${text}\n` };
  } catch (error) {
    if (!isAgentError(error) || error.kind === 'internal') throw error;
    return { file: 'error.txt', text: `${error.kind}\n${configProblemsText(error)}\n` };
  }
}

/** What is unlike the defaults; undefined: nothing is. */
function withoutDefaults(value: unknown, defaults: unknown): unknown {
  if (JSON.stringify(value) === JSON.stringify(defaults)) return undefined;
  if (typeof value !== 'object' || value === null || 'source' in value) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    return [key, withoutDefaults(item, (defaults as Record<string, unknown>)[key])] as const;
  });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function bytesOf(path: string): Uint8Array | null {
  return existsSync(path) ? readFileSync(path) : null;
}

function dropIns(directory: string): { name: string; bytes: Uint8Array }[] {
  if (!existsSync(directory)) return [];
  // Out of order on purpose: the order of the names decides, not the order of the directory.
  return readdirSync(directory)
    .toReversed()
    .map((name) => ({ name, bytes: readFileSync(join(directory, name)) }));
}
