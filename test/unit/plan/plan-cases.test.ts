import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isAgentError } from '../../../agent/errors.ts';
import type { Plan } from '../../../agent/model/plan.ts';
import { currentBridges } from '../../../agent/plan/bridge/current.ts';
import { planDisable } from '../../../agent/plan/make-plan.ts';
import { isJournalHeader } from '../../../agent/run/journal/journal-form.ts';
import { errorText } from '../../../agent/view/error-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { caseNames, casesDirectory, decisionOfCase, type PlanCase, planOfCase, readCase } from './cases.ts';
import { readableJson } from './change.ts';
import { chosenLines, planLines, traceLines } from './golden.ts';
import { type ShortObservation, shortObservation, wholeObservation } from './observed.ts';

/** Cases that contain whole profiles: one for each kind of uplink and of address, and for each state of the node. */
const withWholeProfiles: readonly string[] = [
  ...['dhcp', 'static-dual', 'slaac', 'vlan', 'bond-ab', 'dot1x', 'netdev', 'extra-bridge', 'added-bridge', 'script'],
  ...['microshift-none', 'dhcp-identity'],
];

/**
 * Each folder of test/cases/plan is a case, which its README.md describes. UPDATE_CASES=1 writes the results; a person
 * reviews the diff before the commit.
 */
for (const name of caseNames()) {
  t.test(name, (t) => {
    const directory = join(casesDirectory, name);
    const outcome = `${outcomeOf(name).join('\n')}\n`;
    if (process.env.UPDATE_CASES === '1') write(directory, outcome);
    t.equal(outcome, readFileSync(join(directory, 'plan.txt'), 'utf8'));
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

/** Returns the plan of a case; null if the run is refused, or waits. */
function planOf(one: PlanCase): Plan | null {
  try {
    return one.command === 'disable' ? planDisable(one.observation) : planOfCase(one);
  } catch {
    return null;
  }
}

/** Returns the lines of the result of a case: a plan, a refusal, or the subject of a wait. */
function outcomeOf(name: string): readonly string[] {
  const one = readCase(name);
  const { observation, command, only } = one;
  try {
    if (command === 'disable') return planLines(planDisable(observation), withWholeProfiles.includes(name));
    const decision = decisionOfCase(one);
    if (decision.kind === 'waiting') {
      const awaited = decision.interface ?? `a default route${decision.isExpected ? '' : ' that is not expected'}`;
      return [...traceLines(decision.trace), `waits       for ${awaited}`];
    }
    if (only === 'choice') return chosenLines(decision.plan);
    const plan = only === 'wanted' ? { ...decision.plan, steps: [] } : decision.plan;
    return planLines(plan, withWholeProfiles.includes(name));
  } catch (error) {
    if (!isAgentError(error) || error.kind === 'internal') throw error;
    const trace = (error.facts.trace ?? []) as readonly string[];
    return [...traceLines(trace), `refused     ${error.kind}`, ...errorText(error, plain).split('\n')];
  }
}

function write(directory: string, outcome: string): void {
  const observed = join(directory, 'observation.json');
  const kept = existsSync(observed) ? (JSON.parse(readFileSync(observed, 'utf8')) as ShortObservation) : { like: null };
  if (!('like' in kept)) writeFileSync(observed, `${readableJson(shortObservation(wholeObservation(kept)))}\n`);
  writeFileSync(join(directory, 'plan.txt'), outcome);
}
