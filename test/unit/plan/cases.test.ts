import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isAgentError } from '../../../agent/errors.ts';
import { planApply, planDisable } from '../../../agent/plan/plan.ts';
import { errorLine } from '../../../agent/view/error-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { caseNames, casesDirectory, type PlanCase, readCase } from './cases.ts';
import { readableJson } from './change.ts';

/**
 * One folder is one case, see README.md there. UPDATE_CASES=1 writes what comes of each, to be read before it is committed.
 */
for (const name of caseNames()) {
  t.test(name, (t) => {
    const directory = join(casesDirectory, name);
    const outcome = outcomeOf(readCase(name));
    if (process.env.UPDATE_CASES === '1') write(directory, outcome);
    for (const file of ['plan.json', 'trace.txt', 'error.txt']) {
      const wanted = existsSync(join(directory, file)) ? readFileSync(join(directory, file), 'utf8') : undefined;
      t.equal(outcome[file], wanted, file);
    }
    t.end();
  });
}

type Outcome = Readonly<Record<string, string>>;

function outcomeOf({ config, observation, command, routeWaitOver }: PlanCase): Outcome {
  try {
    if (command === 'disable') return { 'plan.json': `${readableJson(planDisable(observation))}\n` };
    const decision = planApply(config, observation, routeWaitOver);
    if (decision.kind === 'waiting')
      return { 'plan.json': `${readableJson(decision)}\n`, ...traceFile(decision.trace) };
    // The trace has a file of its own, where a change of a decision is seen at once.
    const trace = decision.plan.choice?.trace ?? [];
    return { 'plan.json': `${readableJson(decision.plan)}\n`, ...traceFile(trace) };
  } catch (error) {
    if (!isAgentError(error) || error.kind === 'internal') throw error;
    const trace = error.facts.trace as readonly string[] | undefined;
    const text = `${error.kind}\n${errorLine(error, plain)}\n`;
    return { 'error.txt': text, ...traceFile(trace ?? []) };
  }
}

function traceFile(trace: readonly string[]): Outcome {
  return trace.length === 0 ? {} : { 'trace.txt': trace.map((line) => `${line}\n`).join('') };
}

function write(directory: string, outcome: Outcome): void {
  for (const file of ['plan.json', 'trace.txt', 'error.txt']) {
    const text = outcome[file];
    if (text === undefined) rmSync(join(directory, file), { force: true });
    else writeFileSync(join(directory, file), text);
  }
}
