// Results of commands whose desired state is not that of ovn.yaml, and the titles of tuning steps.
import t from 'tap';
import type { Output } from '../../../agent/commands/output.ts';
import { previewText } from '../../../agent/commands/preview.ts';
import { report } from '../../../agent/commands/report.ts';
import type { TuningPlan } from '../../../agent/model/tuning.ts';
import { planDisable } from '../../../agent/plan/make-plan.ts';
import { plain } from '../../../agent/view/style.ts';
import { tuningStepTitle } from '../../../agent/view/tuning-view.ts';
import { readCase } from '../plan/cases.ts';

const none: TuningPlan = { steps: [], differences: [], notes: [] };
const untuned: TuningPlan = {
  ...none,
  steps: [{ do: 'setKeys', column: 'other_config', values: { 'n-handler-threads': null }, why: 'few are enough' }],
  differences: [{ subject: 'other_config:n-handler-threads', wanted: '(unset)', observed: '1' }],
};
const { observation } = readCase('dhcp');
const plan = planDisable(observation);

function printed(command: 'apply' | 'disable', tuning: TuningPlan): string {
  const lines: string[] = [];
  const output = { style: plain, isJournal: false, result: (text: string) => void lines.push(text) };
  report(command, { plan, observation, tuning, transaction: null, busCalls: 0 }, output as unknown as Output);
  return lines.join('\n');
}

t.test('disable on a node without br-ex', (t) => {
  t.equal(printed('disable', none), 'Nothing to do: the agent has no br-ex on this node.');
  t.equal(
    printed('disable', untuned),
    'Done: Open vSwitch is not tuned any more; the agent has no br-ex on this node.',
  );
  t.equal(printed('apply', none), 'Nothing to do: the node is in the desired state.');
  t.match(printed('apply', untuned), /^Done: Open vSwitch is tuned; /);
  t.end();
});

t.test('disable --dry-run on a node without br-ex', (t) => {
  const seen = (tuning: TuningPlan): string =>
    previewText('disable', { plan, tuning, observation }, { style: plain, verbose: false });
  t.match(seen(none), /\nNothing to do: the agent has no br-ex on this node\.$/);
  t.match(
    seen(untuned),
    /^Changes \(1\)\n- other_config:n-handler-threads: 1\n\nNow\n[\s\S]*\nThe agent has no br-ex on this node; see the first lines for the rest\.\n\nTuning of Open vSwitch .*\n {2}remove n-handler-threads\n {6}few are enough$/,
  );
  t.notMatch(seen(untuned), /\\n/, 'no line is shown as a part of another line');
  t.end();
});

t.test('a tuning step names the keys that it sets and those that it removes', (t) => {
  const title = (values: Readonly<Record<string, string | null>>): string =>
    tuningStepTitle({ do: 'setKeys', column: 'other_config', values, why: '' });
  t.equal(title({ a: '1', b: '2' }), 'set a=1, b=2');
  t.equal(title({ a: null, b: null }), 'remove a, b');
  t.equal(title({ a: '1', b: null }), 'set a=1; remove b');
  t.end();
});
