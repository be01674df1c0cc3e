// Result of one of Kubernetes' end-to-end tests, and the file that has one line per result.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * State of a test after its run. `skipped`: the test itself found that it cannot run here. `unfinished`: the test was
 * ended at its limit, or did not start.
 */
export type State = 'passed' | 'failed' | 'skipped' | 'unfinished';

export interface Outcome {
  readonly state: State;
  readonly seconds: number;
  /** Reason that Ginkgo reported; empty for a test that passed. */
  readonly said: string;
}

export interface Result extends Outcome {
  readonly name: string;
  /** Release of Kubernetes, as its programs print it. */
  readonly kubernetes: string;
  /** Release of OVN, as its programs print it. */
  readonly ovn: string;
  /** Day of the run, such as 2026-11-26. */
  readonly date: string;
}

/** Parts of Ginkgo's report (flag --ginkgo.json-report) that this file reads. */
interface Report {
  readonly SuiteSucceeded: boolean;
  readonly SpecReports: readonly Spec[] | null;
}

interface Spec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  /** Duration in nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string };
}

/**
 * Returns the outcome of the test with this name according to a report. A test that did not start because the suite
 * failed earlier is unfinished.
 */
export function outcomeIn(report: readonly Report[], name: string): Outcome {
  const specs = report.flatMap(({ SpecReports }) => SpecReports ?? []);
  const own = specs.find((spec) => spec.LeafNodeType === 'It' && nameOf(spec) === name);
  const before = specs.find((spec) => spec.LeafNodeType !== 'It' && isFailure(spec));
  if (own === undefined) return { state: 'unfinished', seconds: 0, said: 'the report does not have the test' };
  const outcome = { seconds: Math.round(own.RunTime / 1e9), said: reasonOf(own) };
  if (own.State === 'passed') return { ...outcome, state: 'passed' };
  if (isFailure(own)) return { ...outcome, state: 'failed' };
  if (before !== undefined) return { seconds: 0, state: 'unfinished', said: reasonOf(before) };
  return { ...outcome, state: own.State === 'skipped' ? 'skipped' : 'unfinished' };
}

function nameOf({ ContainerHierarchyTexts: containers, LeafNodeText: leaf }: Spec): string {
  return [...(containers ?? []), leaf].join(' ');
}

/** Returns true for a state that makes a suite fail (https://onsi.github.io/ginkgo/). */
function isFailure({ State }: Spec): boolean {
  return ['failed', 'panicked', 'timedout', 'interrupted', 'aborted'].includes(State);
}

function reasonOf({ Failure }: Spec): string {
  return (Failure?.Message ?? '').trim();
}

/** Appends a result to the file; creates the file's folder. */
export function addResult(file: string, result: Result): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(result)}\n`);
}

/** Returns the last result of each test in the file; none if the file does not exist. */
export function readResults(file: string): readonly Result[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  const results = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result);
  return [...new Map(results.map((result) => [result.name, result])).values()];
}
