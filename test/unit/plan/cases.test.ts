import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isAgentError } from '../../../agent/errors.ts';
import type { Plan } from '../../../agent/model/plan.ts';
import { currentBridges } from '../../../agent/plan/bridge/current.ts';
import { planDisable } from '../../../agent/plan/plan.ts';
import { isJournalHeader } from '../../../agent/run/journal-form.ts';
import { errorText } from '../../../agent/view/error-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { baseOf, caseNames, casesDirectory, decisionOfCase, type PlanCase, planOfCase, readCase } from './cases.ts';
import { readableJson } from './change.ts';
import { type BasePlan, shortChoice, shortPlan } from './golden.ts';
import { type ShortObservation, shortObservation, wholeObservation } from './observed.ts';

/**
 * One folder is one case, see README.md there. UPDATE_CASES=1 writes what comes of each, to be read before it is committed.
 */
for (const name of caseNames()) {
  t.test(name, (t) => {
    const directory = join(casesDirectory, name);
    const outcome = outcomeOf(readCase(name), basePlansOf(name));
    if (process.env.UPDATE_CASES === '1') write(directory, outcome);
    for (const file of ['plan.json', 'trace.txt', 'error.txt']) {
      const wanted = existsSync(join(directory, file)) ? readFileSync(join(directory, file), 'utf8') : undefined;
      t.equal(outcome[file], wanted, file);
    }
    t.end();
  });
}

t.test('every plan can be read back from its journal', (t) => {
  for (const name of caseNames()) {
    const one = readCase(name);
    const plan = planOf(one);
    if (plan === null) continue;
    const previous = currentBridges(one.observation);
    const about = { id: '20260102T030405Z-0001', command: one.command, agentVersion: '0.2.0', bootId: 'boot' };
    const header = { format: 1, ...about, startedAt: '2026-01-02T03:04:05Z', plan, previous };
    t.ok(isJournalHeader(JSON.parse(JSON.stringify(header))), name);
  }
  t.end();
});

/** null: refused, or it waits. */
function planOf(one: PlanCase): Plan | null {
  try {
    return one.command === 'disable' ? planDisable(one.observation) : planOfCase(one);
  } catch {
    return null;
  }
}

/** What is planned for the case that this one changes, and for the plainest; a case that is refused has no plan. */
function basePlansOf(name: string): readonly BasePlan[] {
  const names = [baseOf(name), 'dhcp'].filter((base) => base !== null && base !== name) as readonly string[];
  return [...new Set(names)].flatMap((base) => {
    const plan = planOf(readCase(base));
    return plan === null || name === 'dhcp' ? [] : [{ name: base, plan }];
  });
}

type Outcome = Readonly<Record<string, string>>;

function outcomeOf(one: PlanCase, bases: readonly BasePlan[]): Outcome {
  const { observation, command, isChoice } = one;
  const planFile = (plan: Plan): Outcome => {
    return { 'plan.json': `${readableJson(isChoice ? shortChoice(plan) : shortPlan(plan, bases))}\n` };
  };
  try {
    if (command === 'disable') return planFile(planDisable(observation));
    const decision = decisionOfCase(one);
    if (decision.kind === 'waiting')
      return { 'plan.json': `${readableJson(decision)}\n`, ...traceFile(decision.trace) };
    return { ...planFile(decision.plan), ...traceFile(decision.plan.choice?.trace ?? []) };
  } catch (error) {
    if (!isAgentError(error) || error.kind === 'internal') throw error;
    const trace = error.facts.trace as readonly string[] | undefined;
    const text = `${error.kind}\n${errorText(error, plain)}\n`;
    return { 'error.txt': text, ...traceFile(trace ?? []) };
  }
}

function traceFile(trace: readonly string[]): Outcome {
  return trace.length === 0 ? {} : { 'trace.txt': trace.map((line) => `${line}\n`).join('') };
}

function write(directory: string, outcome: Outcome): void {
  const observed = join(directory, 'observation.json');
  if (existsSync(observed)) {
    const whole = wholeObservation(JSON.parse(readFileSync(observed, 'utf8')) as ShortObservation);
    writeFileSync(observed, `${readableJson(shortObservation(whole))}\n`);
  }
  for (const file of ['plan.json', 'trace.txt', 'error.txt']) {
    const text = outcome[file];
    if (text === undefined) rmSync(join(directory, file), { force: true });
    else writeFileSync(join(directory, file), text);
  }
}
