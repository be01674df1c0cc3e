import { inWords } from '../compare/in-words.ts';
import type { Observation } from '../model/observation.ts';
import type { Difference, Plan, Step, StepArguments } from '../model/plan.ts';
import type { ProgressEvent } from '../model/progress.ts';
import { changeLines, plannedChanges, unappliedLines } from './changes-view.ts';
import { joinLines, type Style } from './style.ts';
import { drawTopology, observedTopology, plannedTopology } from './topology.ts';

/**
 * Returns a plan as text: changes, choice, drawings of the states before and after, steps with their reasons, notes,
 * outage. `tuning` has the differences of Open vSwitch's daemons.
 */
export function planText(
  plan: Plan,
  observation: Observation,
  style: Style,
  verbose: boolean,
  tuning: readonly Difference[] = [],
): string {
  const changes = plannedChanges(plan, tuning, observation);
  const unapplied = unappliedLines(plan, observation, style);
  const lines = [...changeLines(changes, style), ...unapplied];
  if (plan.choice !== null) {
    const uplink = plan.choice.interface ?? 'none';
    lines.push(
      `${style('bold', 'Uplink')}   ${uplink}, from ${plan.choice.source}`,
      ...plan.choice.trace.map((line) => `         ${style('dim', line)}`),
      '',
    );
  }
  lines.push(
    style('bold', plan.outcome === 'unchanged' ? 'Now' : 'Before'),
    ...drawTopology(observedTopology(observation), style).split('\n'),
  );
  if (plan.outcome === 'unchanged') lines.push(unchangedText(changes.length + unapplied.length > 0, style));
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
 * Returns the conclusion of a plan without steps. `isPart` is true if the node has differences besides those of the
 * bridges.
 */
function unchangedText(isPart: boolean, style: Style): string {
  return isPart
    ? 'The bridges are in the desired state; see the first lines for the rest.'
    : style('green', 'Nothing to do: the node is in the desired state.');
}

/** Returns a line such as `[3/9] attach eth0 to br-ex … 212 ms`; null for an event that prints nothing. */
export function progressLine(event: ProgressEvent, style: Style): string | null {
  if (event.state === 'started') return null;
  const number = style('dim', `[${String(event.index + 1).padStart(String(event.total).length)}/${event.total}]`);
  const end = event.state === 'failed' ? style('red', 'failed') : `${Math.round(event.tookMs)} ms`;
  return `${number} ${stepTitle(event.step)} … ${end}`;
}

/** Returns a short description of a step. */
export function stepTitle(step: Step | 'prove' | 'commit'): string {
  if (step === 'prove') return 'prove that the node is reachable';
  if (step === 'commit') return 'commit';
  const ids = (profiles: readonly { readonly id: string }[]): string =>
    profiles.map((profile) => profile.id).join(', ');
  switch (step.do) {
    case 'writeProfiles':
      return `write the ${step.profiles.length === 1 ? 'profile' : 'profiles'} ${ids(step.profiles)}`;
    case 'deleteProfiles':
      return deletionTitle(step);
    case 'activate':
      return `activate ${step.profiles.map((entry) => (entry.interface === null ? entry.id : `${entry.id} on ${entry.interface}`)).join(', ')}`;
    case 'changeKernel':
      return kernelTitle(step);
    case 'signpost':
      return step.wanted === 'present' ? 'add the signpost, by which MicroShift finds lo' : 'remove the signpost';
    case 'claimBridge':
      return `let NetworkManager manage ${step.bridge} as it is`;
    case 'attachUplink':
      return `attach ${step.interface} to ${step.bridge}`;
    case 'clearUplink':
      return `remove the IP settings from ${step.interface}`;
    case 'detachUplink':
      return `restore the settings of ${step.interface} and detach it from ${step.bridge}`;
    case 'releaseRoutes':
      return `return the routes of ${step.interface} to NetworkManager`;
    case 'reapply':
      return `reapply ${step.id}`;
    case 'waitDynamic':
      return `wait for the ${[...(step.lease ? ['DHCP lease'] : []), ...(step.ipv6DefaultMetric === null ? [] : ['router advertisement'])].join(' and ')} on ${step.interface}${step.heldMetric === null ? '' : ', then remove the temporary routes'}`;
    case 'waitAddresses':
      return `wait until ${step.interface} has ${step.addresses.join(', ')}`;
  }
}

function deletionTitle({ profiles, bridges, left = [] }: StepArguments['deleteProfiles']): string {
  const gone = [
    ...(profiles.length === 0 ? [] : [`the profiles ${profiles.map(({ id }) => id).join(', ')}`]),
    ...bridges.map((bridge) => `the bridge ${bridge}`),
  ];
  const released = left.map(({ bridge }) => `release ${bridge}`);
  return [...(gone.length === 0 ? [] : [`delete ${gone.join(' and ')}`]), ...released].join(', ');
}

function kernelTitle({ entries, removed = [], from, required }: StepArguments['changeKernel']): string {
  const { interface: name, routes, neighbours } = entries;
  const addresses = entries.addresses.map(({ address }) => address).join(', ');
  if (from !== undefined) return `move the entries of other programs from ${from} to ${name}`;
  if (required) return `add ${addresses} to ${name}`;
  const more = routes.length + neighbours.length === 0 ? '' : ' with their routes and neighbours';
  return [
    ...(addresses === '' && removed.length > 0
      ? []
      : [`add ${addresses || routesOf(entries)}${addresses === '' ? '' : more} to ${name}`]),
    ...(removed.length === 0 ? [] : [`remove ${removed.join(', ')} from ${name}`]),
  ].join(', ');
}

function routesOf({ routes, rules = [] }: StepArguments['changeKernel']['entries']): string {
  const all = [...routes.map(({ destination }) => destination), ...rules.map(({ words }) => `rule ${words[1]}`)];
  return all.length === 0 ? 'the neighbours' : all.join(', ');
}

function stepLines(step: Step, index: number, style: Style): readonly string[] {
  return [`  ${String(index + 1).padStart(2)}  ${stepTitle(step)}`, `      ${style('dim', step.why)}`];
}
