// doctor and apply judge the same node in the same way: the same choice, the same steps, the same refusal.
import t from 'tap';
import { diagnose } from '../../../agent/doctor/diagnosis.ts';
import { isAgentError } from '../../../agent/errors.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import { planApply } from '../../../agent/plan/make-plan.ts';
import { caseNames, type PlanCase, readCase } from '../plan/cases.ts';
import { asExamined, withoutSession } from './as-examined.ts';

function outcomeOf({ config }: PlanCase, observation: Observation): { plan: unknown; refusal: unknown } {
  if (config.disableOvsInit.value) return { plan: null, refusal: null };
  try {
    const decision = planApply(config, observation, true);
    return { plan: decision.kind === 'planned' ? decision.plan : null, refusal: null };
  } catch (error) {
    if (!isAgentError(error)) throw error;
    return { plan: null, refusal: { message: error.message, hint: error.hint ?? null } };
  }
}

for (const name of caseNames()) {
  t.test(name, (t) => {
    const one = readCase(name);
    const observation = withoutSession(one.observation);
    const { plan, refusal } = diagnose(asExamined({ ...one, observation }));
    t.strictSame({ plan, refusal }, outcomeOf(one, observation));
    t.end();
  });
}
