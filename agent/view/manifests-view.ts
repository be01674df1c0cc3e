import type {
  ApplyReport,
  ContainerState,
  DaemonSetState,
  DeleteReport,
  FieldChange,
  ObjectDifference,
  ObjectOutcome,
} from '../model/manifests.ts';
import { changedLines } from './line-changes.ts';
import { joinLines, type Style } from './style.ts';

/** Returns the result of `manifests apply`: a line per changed object, and a summary. */
export function applyText(report: ApplyReport, style: Style): string {
  const touched = report.objects.filter(({ outcome }) => outcome !== 'unchanged');
  const same = report.objects.length - touched.length;
  const summary = `${report.flavor}: ${touched.length} of ${report.objects.length} objects touched, ${same} as they were`;
  const rollout = report.daemonSets?.map(({ name, ready, desired }) => `${name}: ${ready}/${desired} ready`) ?? [];
  return joinLines([...touched.map((one) => outcomeLine(one, style)), summary, ...rollout]);
}

/** Returns the result of `manifests delete`, with the objects that were left and their owners. */
export function deleteText({ objects, shared, foreign }: DeleteReport, style: Style): string {
  const left = shared.map(({ object, owners }) => `left: ${object}, which also has fields of ${owners.join(' and ')}`);
  const kept = foreign.length === 0 ? [] : [`the namespace is kept for what others have in it: ${foreign.join(', ')}`];
  const none = shared.length === 0 ? 'no object of microshift-net was there' : 'no object was of microshift-net alone';
  const summary = objects.length === 0 ? none : `${objects.length} objects removed`;
  return joinLines([...objects.map((one) => outcomeLine(one, style)), ...left, ...kept, summary]);
}

/**
 * Returns every object that would change, with the fields concerned: `-` before the present value, `+` before the new
 * one.
 */
export function diffText(differences: readonly ObjectDifference[], style: Style): string {
  if (differences.length === 0) return 'no difference';
  const signs = { create: '+', change: '~', remove: '-' } as const;
  const blocks = differences.flatMap(({ object, change, fields, conflict }) => [
    style('bold', `${signs[change]} ${object}`),
    ...(conflict === null ? [] : [style('yellow', `    ! ${conflict}`)]),
    ...fields.flatMap(fieldLines),
  ]);
  return joinLines(blocks);
}

/**
 * Returns a line per daemonset and per container; for a container that is not ready, with the reason and its last
 * event. `isOurs` is false if MicroShift applies the daemonsets.
 */
export function statusText(states: readonly DaemonSetState[], isOurs: boolean, style: Style): string {
  if (states.length === 0)
    return isOurs
      ? 'this cluster has no DaemonSet of microshift-net; create them with: microshift-net manifests apply'
      : 'this cluster has no DaemonSet of microshift-net: MicroShift has its own there, because network.cniPlugin is not none';
  const blocks = states.flatMap(({ name, desired, ready, rolledOut, containers }) => {
    const width = Math.max(...containers.map((one) => one.name.length));
    const state = rolledOut ? 'up to date' : 'rolling out';
    return [
      style('bold', `${name}: ${ready} of ${desired} ready, ${state}`),
      ...containers.flatMap((one) => containerLines(one, width, desired, style)),
    ];
  });
  return joinLines(blocks);
}

function containerLines(container: ContainerState, width: number, desired: number, style: Style): string[] {
  const { name, ready, restarts, notReady, lastEvent } = container;
  const restarted = restarts === 0 ? '' : `, restarted ${restarts} times`;
  const line = `  ${name.padEnd(width)}  ${ready}/${desired}${restarted}${notReady === null ? '' : `  ${notReady}`}`;
  const shown = notReady === null ? line : style('yellow', line);
  return lastEvent === null || notReady === null ? [shown] : [shown, style('dim', `    ${lastEvent}`)];
}

function fieldLines({ path, before, after }: FieldChange): string[] {
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (isText(before) && isText(after) && (before.includes('\n') || after.includes('\n'))) {
    return [`    ${path}`, ...changedLines(before, after).map((line) => `      ${line}`)];
  }
  const minus = before === undefined ? [] : [`      - ${short(before)}`];
  const plus = after === undefined ? [] : [`      + ${short(after)}`];
  return [`    ${path}`, ...minus, ...plus];
}

function outcomeLine({ object, outcome }: ObjectOutcome, style: Style): string {
  return `${outcome.replace('-', ' ').padEnd(10)} ${style('bold', object)}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 197)}...`;
}
