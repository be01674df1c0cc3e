import { inWords } from '../compare/in-words.ts';
import type { Observation } from '../model/observation.ts';
import type { Difference, Plan, Step } from '../model/plan.ts';
import type { ProgressEvent } from '../model/progress.ts';
import { stepTitle } from '../model/step-title.ts';
import { changeLines, plannedChanges, unappliedLines } from './changes-view.ts';
import { joinLines, type Style } from './style.ts';
import { drawTopology, observedTopology, plannedTopology } from './topology.ts';

/** Sentences that explain to the user why a command does not change the bridges. */
export interface Unchanged {
  /** Sentence for a node on which the command changes nothing at all. Begins with a lower-case letter. */
  readonly whole: string;
  /** Sentence for a node whose bridges do not differ, although other parts do, such as Open vSwitch's tuning. */
  readonly bridges: string;
}

/** Sentences about unchanged bridges, for a command whose desired state is that of ovn.yaml or of `bridge add`. */
const asWanted: Unchanged = {
  whole: 'the node is in the desired state',
  bridges: 'The bridges are in the desired state',
};

/**
 * Returns a plan as text: changes, choice of the uplink, drawings of the states before and after, steps with their
 * reasons, notes, outage. `tuning` has the differences of Open vSwitch's daemons. `unchanged` has the sentences for a
 * node whose bridges do not change.
 */
export function planText(
  plan: Plan,
  observation: Observation,
  style: Style,
  verbose: boolean,
  tuning: readonly Difference[] = [],
  unchanged: Unchanged = asWanted,
): string {
  const changes = plannedChanges(plan, tuning, observation);
  const unapplied = unappliedLines(plan, observation, style);
  const lines = [...changeLines(changes, style), ...unapplied];
  if (plan.choice !== null) {
    const uplink = plan.choice.interface ?? 'none';
    lines.push(
      `${style('bold', 'Uplink')}   ${uplink}, from ${plan.choice.source}`,
      ...traceLines(plan.choice.trace, verbose).map((line) => `         ${style('dim', line)}`),
      '',
    );
  }
  lines.push(
    style('bold', plan.outcome === 'unchanged' ? 'Now' : 'Before'),
    ...drawTopology(observedTopology(observation), style).split('\n'),
  );
  if (plan.outcome === 'unchanged') lines.push(unchangedText(unchanged, changes.length + unapplied.length > 0, style));
  else {
    lines.push(style('bold', 'After'), ...drawTopology(plannedTopology(plan, observation), style).split('\n'));
    lines.push(
      style('bold', `Steps (${plan.steps.length})`),
      ...plan.steps.flatMap((step, index) => stepLines(step, index, style)),
    );
    lines.push('', `${style('bold', 'Outage')}   at most ${plan.outage.expectedMs} ms expected: ${plan.outage.why}`);
  }
  for (const note of plan.notes)
    lines.push(`${note.level === 'warning' ? style('yellow', 'warning') : 'note'}: ${note.message}`);
  if (verbose && plan.differences.length > 0) {
    lines.push(
      '',
      style('bold', 'Differences'),
      ...plan.differences.map(inWords).map((entry) => `  ${entry.subject}: ${entry.observed} → ${entry.wanted}`),
    );
  }
  return joinLines(lines);
}

/**
 * Returns the decisions about an uplink. Without `verbose`, leaves out the decision for the chosen NIC, because the
 * line above the decisions names this NIC.
 */
function traceLines(trace: readonly string[], verbose: boolean): readonly string[] {
  return verbose ? trace : trace.filter((line) => !line.endsWith(' verdict=chosen'));
}

/**
 * Returns the sentence for a plan without steps. `isPart` is true if the node has differences that do not concern the
 * bridges.
 */
function unchangedText({ whole, bridges }: Unchanged, isPart: boolean, style: Style): string {
  return isPart ? `${bridges}; see the first lines for the rest.` : style('green', `Nothing to do: ${whole}.`);
}

/** Returns a line such as `[3/9] attach eth0 to br-ex … 212 ms`; null for an event that prints nothing. */
export function progressLine(event: ProgressEvent, style: Style): string | null {
  if (event.state === 'started') return null;
  const number = style('dim', `[${String(event.index + 1).padStart(String(event.total).length)}/${event.total}]`);
  const end = event.state === 'failed' ? style('red', 'failed') : `${Math.round(event.tookMs)} ms`;
  return `${number} ${stepTitle(event.step)} … ${end}`;
}

function stepLines(step: Step, index: number, style: Style): readonly string[] {
  return [`  ${String(index + 1).padStart(2)}  ${stepTitle(step)}`, `      ${style('dim', step.why)}`];
}
