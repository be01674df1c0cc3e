// The folders of test/cases/plan: observations of nodes, and what is planned from them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../../agent/config/load.ts';
import type { Config } from '../../../agent/model/config.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import { changed } from './change.ts';

export const casesDirectory = join(process.cwd(), 'test/cases/plan');

export interface PlanCase {
  readonly config: Config;
  readonly observation: Observation;
  readonly command: 'apply' | 'disable';
  /** Whether waiting for a default route is over. */
  readonly routeWaitOver: boolean;
}

/** case.json: a case that is another one with a difference. */
interface CaseFile {
  /** Name of the case whose observation this one changes. */
  readonly observation?: string;
  readonly change?: Readonly<Record<string, unknown>>;
  readonly command?: 'apply' | 'disable';
  readonly routeWaitOver?: boolean;
}

export function caseNames(): readonly string[] {
  return readdirSync(casesDirectory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

export function readCase(name: string): PlanCase {
  const text = (file: string): string | null => {
    const path = join(casesDirectory, name, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  const own = JSON.parse(text('case.json') ?? '{}') as CaseFile;
  const observation = own.observation === undefined ? null : readCase(own.observation).observation;
  return {
    config: configOf(text('config.json'), text('ovn.yaml')),
    observation: changed(observation ?? (JSON.parse(text('observation.json') ?? '') as Observation), own.change ?? {}),
    command: own.command ?? 'apply',
    routeWaitOver: own.routeWaitOver ?? true,
  };
}

/** The effective configuration; without a file, the defaults. */
export function configOf(json: string | null, yaml: string | null = null): Config {
  if (json !== null) return JSON.parse(json) as Config;
  const ovnYaml = yaml === null ? null : Buffer.from(yaml);
  return loadConfig({ ovnYaml, configYaml: null, configD: [] }).config;
}
