// doctor, status, verify and plan agree about a node: none of them reports a fault in a state that another one accepts.
// The nodes are those of all plan cases, before and after `apply`.
import t from 'tap';
import { planFor } from '../../../agent/commands/plan-command.ts';
import { missingFromBridge } from '../../../agent/compare/manual-bridge.ts';
import { judge } from '../../../agent/doctor/checks.ts';
import { isAgentError } from '../../../agent/errors.ts';
import type { CheckResult, Examination } from '../../../agent/model/examination.ts';
import type { Plan } from '../../../agent/model/plan.ts';
import { caseNames, type PlanCase, readCase } from '../plan/cases.ts';
import { changed } from '../plan/change.ts';
import { ModelNode } from '../plan/model-node.ts';
import { asExamined, withoutSession } from './as-examined.ts';

type PlanNode = Pick<PlanCase, 'config' | 'observation'>;

/**
 * Report of `status` about a node, and whether `apply` would change the node; `plan` is null if no plan is possible.
 */
interface Status {
  readonly isContent: boolean;
  readonly applyActs: boolean;
  readonly plan: Plan | null;
}

function statusOf({ config, observation }: PlanNode): Status {
  if (config.disableOvsInit.value) {
    const isContent = missingFromBridge(observation, config.uplink.value === 'none').length === 0;
    return { isContent, applyActs: false, plan: null };
  }
  try {
    const { plan, tuning } = planFor(config, observation);
    const isContent = plan.differences.length + tuning.differences.length === 0;
    return { isContent, applyActs: plan.outcome === 'change' || tuning.steps.length > 0, plan };
  } catch (error) {
    if (!isAgentError(error)) throw error;
    return { isContent: false, applyActs: true, plan: null };
  }
}

/** Returns a node on which MicroShift is installed and runs, so that the checks about MicroShift have a subject. */
function withMicroShift({ config, observation }: PlanCase): PlanNode {
  const host = { ...observation.host, hasMicroShiftScript: true, hasMicroShift: true } as const;
  return { config, observation: { ...observation, host } };
}

function examined(node: PlanNode): Examination {
  const examination = asExamined(node);
  if (node.observation.host.hasMicroShift !== true) return examination;
  const unit = 'units/value/[name=microshift.service]';
  return changed(examination, {
    [`${unit}/load`]: 'loaded',
    [`${unit}/file`]: 'enabled',
    [`${unit}/active`]: 'active',
  });
}

function contradictions({ config, observation }: PlanNode): readonly string[] {
  const node = { config, observation: withoutSession(observation) };
  const status = statusOf(node);
  const results = judge(examined(node));
  const drift = results.find(({ id }) => id === 'drift');
  return [
    ...(drift?.verdict === (status.isContent ? 'ok' : 'failed') ? [] : [`drift: ${drift?.verdict}, ${drift?.found}`]),
    ...results.flatMap((result) => complaints(result, status)),
  ];
}

function complaints({ id, verdict, found, fix }: CheckResult, status: Status): readonly string[] {
  const said = `${id}: ${verdict}, ${found.join('; ')}`;
  // A fix marked `# once` applies only after another change, which the judged node has not had yet.
  const isIdle = fix.some((line) => /^microshift-net apply(?!.*# once)/.test(line)) && !status.applyActs;
  return [
    ...(isIdle ? [`${said}: \`apply\` does nothing about it`] : []),
    ...(fix.some((line) => /^ip (-6 )?address add/.test(line)) ? [`${said}: an address by hand, beside the plan`] : []),
  ];
}

/** Returns the node after `apply`; null if no plan is possible. */
function applied({ config, observation }: PlanNode): PlanNode | null {
  const { plan } = statusOf({ config, observation });
  if (plan === null) return null;
  const node = new ModelNode(observation);
  node.run(plan.steps);
  return { config, observation: node.observe() };
}

for (const name of caseNames()) {
  const one = readCase(name);
  for (const [about, node] of [
    ['', one],
    [' with MicroShift', withMicroShift(one)],
  ] as const) {
    t.test(`${name}${about}`, (t) => {
      t.same(contradictions(node), [], 'the reports about the node agree');
      const after = one.command === 'disable' ? null : applied(node);
      if (after !== null) t.same(contradictions(after), [], 'the reports also agree after `apply`');
      t.end();
    });
  }
}

t.test('doctor accepts the node address of a MicroShift that makes br-ex itself', (t) => {
  const { observation } = readCase('microshift-foreign-addresses');
  for (const name of ['microshift-foreign-addresses', 'microshift-none']) {
    const results = judge(examined(withMicroShift({ ...readCase(name), observation })));
    const [{ verdict, found } = {}] = results.filter(({ id }) => id === 'microshift-node-ip');
    t.equal(verdict, 'ok', `${name}: ${found}`);
  }
  t.end();
});
