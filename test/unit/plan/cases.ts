// Reads the folders of test/cases/plan: observations of nodes, and the plans for them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../../agent/config/load.ts';
import type { Config } from '../../../agent/model/config.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Plan } from '../../../agent/model/plan.ts';
import { type PlanDecision, planApply } from '../../../agent/plan/make-plan.ts';
import { changed, readChanges } from './change.ts';
import { ModelNode } from './model-node.ts';
import { numberedObservation, type ShortObservation, wholeAddress, wholeObservation } from './observed.ts';

export const casesDirectory = join(process.cwd(), 'test/cases/plan');

export interface PlanCase {
  readonly config: Config;
  readonly observation: Observation;
  readonly command: 'apply' | 'disable';
  /** True if the wait for a default route has ended. */
  readonly routeWaitOver: boolean;
  /** True if the case is the run at boot, whose wait for a named NIC ends together with the wait for a route. */
  readonly isBoot: boolean;
  /**
   * The part of a plan that the case contains: the choice of the uplinks, or everything except the steps; null for all
   * of it.
   */
  readonly only: 'choice' | 'wanted' | null;
}

/** Names of the settings that a file case.txt can have. */
const settings: readonly string[] = ['from', 'applied', 'command', 'routeWaitOver', 'boot', 'only'];

/** Content of observation.json for a node that differs slightly from the node of another case. */
interface DerivedObservation {
  readonly like: string;
  readonly change: Readonly<Record<string, unknown>>;
}

export function caseNames(): readonly string[] {
  return readdirSync(casesDirectory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

/** Returns the name of the case that this case changes; null if it has its own observation. */
export function baseOf(name: string): string | null {
  return readChanges(caseText(name, 'case.txt') ?? '').words.from ?? null;
}

/** Reads a file of a case; null if the case lacks the file. */
function caseText(name: string, file: string): string | null {
  const path = join(casesDirectory, name, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

export function readCase(name: string): PlanCase {
  const text = (file: string): string | null => caseText(name, file);
  const { words, change } = readChanges(text('case.txt') ?? '');
  const unknown = Object.keys(words).filter((word) => !settings.includes(word));
  if (unknown.length > 0) throw new TypeError(`${name} has unknown settings: ${unknown.join(' ')}`);
  const observation =
    words.from === undefined
      ? wholeObservation(ownObservation(name))
      : observationOf(words.from, words.applied ?? null);
  return {
    config: configOf(text('config.json'), text('ovn.yaml'), text('config.yaml')),
    observation: withWholeAddresses(changed(observation, change)),
    command: words.command === 'disable' ? 'disable' : 'apply',
    routeWaitOver: words.routeWaitOver !== 'false',
    isBoot: words.boot === 'true',
    only: words.only === 'choice' || words.only === 'wanted' ? words.only : null,
  };
}

/** Returns the observation with complete addresses: a text such as `192.0.2.50/24` has only usual properties. */
function withWholeAddresses(observation: Observation): Observation {
  const links = observation.links.map((link) => ({ ...link, addresses: link.addresses.map(wholeAddress) }));
  return { ...observation, links };
}

/** Reads observation.json of a case: an observation, or the name of another case with changes to its observation. */
function ownObservation(name: string): ShortObservation {
  const kept = JSON.parse(readFileSync(join(casesDirectory, name, 'observation.json'), 'utf8')) as
    | ShortObservation
    | DerivedObservation;
  return 'like' in kept ? changed(numberedObservation(ownObservation(kept.like)), kept.change) : kept;
}

/** Returns the case after a run, as a second run finds it. */
export function appliedCase(name: string): PlanCase {
  return { ...readCase(name), observation: observationOf(name, 'true') };
}

/** Returns the decision of `apply` for a case: a plan, or a wait. */
export function decisionOfCase({ config, observation, routeWaitOver, isBoot }: PlanCase): PlanDecision {
  return planApply(config, observation, routeWaitOver, isBoot ? { nicWaitOver: routeWaitOver } : null);
}

/** Returns the plan of `apply` for a case. */
export function planOfCase(one: PlanCase): Plan {
  const decision = decisionOfCase(one);
  if (decision.kind !== 'planned') throw new TypeError('it waits');
  return decision.plan;
}

/** Returns the observation of a case; with `applied`, after a run (`true`), or after this number of the run's steps. */
function observationOf(name: string, applied: string | null): Observation {
  const one = readCase(name);
  if (applied === null) return one.observation;
  const node = new ModelNode(one.observation);
  const { choice, steps } = planOfCase(one);
  const isWhole = applied === 'true';
  node.run(steps.slice(0, isWhole ? undefined : Number(applied)));
  const after = node.observe();
  // After a successful run, a hint file names the NIC that the run has chosen.
  const interfaceHint = choice?.interface ?? after.hints.interfaceHint;
  return isWhole ? { ...after, hints: { ...after.hints, interfaceHint } } : after;
}

/** Returns the effective configuration of a case; the defaults if it has no file. */
export function configOf(json: string | null, yaml: string | null = null, configYaml: string | null = null): Config {
  if (json !== null) return JSON.parse(json) as Config;
  const ovnYaml = yaml === null ? null : Buffer.from(yaml);
  return loadConfig({ ovnYaml, configYaml, configD: [] }).config;
}
