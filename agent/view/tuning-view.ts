import type { DaemonFacts, TuningPlan, TuningStep } from '../model/tuning.ts';
import type { Style } from './style.ts';

/** Returns a short description of a step that tunes the daemons of Open vSwitch. */
export function tuningStepTitle(step: TuningStep): string {
  switch (step.do) {
    case 'pinThreads':
      return `let the running threads of ${step.daemon} (pid ${step.pid}) use CPU ${step.cpus}`;
    case 'writeDropIn':
      return `write ${step.path}`;
    case 'removeDropIn':
      return `remove ${step.path}`;
    case 'reloadUnits':
      return 'let systemd read its unit files again';
    case 'setKeys': {
      const entries = Object.entries(step.values);
      const set = entries.flatMap(([key, value]) => (value === null ? [] : `${key}=${value}`));
      const removed = entries.flatMap(([key, value]) => (value === null ? key : []));
      return [
        ...(set.length === 0 ? [] : [`set ${set.join(', ')}`]),
        ...(removed.length === 0 ? [] : [`remove ${removed.join(', ')}`]),
      ].join('; ');
    }
  }
}

/** Returns the plan that tunes the daemons of Open vSwitch as lines of text; empty if it has no steps and no notes. */
export function tuningText(plan: TuningPlan, style: Style): readonly string[] {
  const steps = plan.steps.flatMap((step) => [`  ${tuningStepTitle(step)}`, `      ${style('dim', step.why)}`]);
  const notes = plan.notes.map(
    (note) => `${note.level === 'warning' ? style('yellow', 'warning') : 'note'}: ${note.message}`,
  );
  return [
    ...(steps.length === 0 ? [] : ['', style('bold', 'Tuning of Open vSwitch (no restart, no outage)'), ...steps]),
    ...notes,
  ];
}

/** Returns a line with the state of a daemon, as read from /proc. */
export function daemonLine(daemon: DaemonFacts): string {
  const name = daemon.name.padEnd(14);
  if (daemon.pid === null) return `${name}not running`;
  const cpus = [...new Set(daemon.threads.map((thread) => thread.cpus))].join(' and ');
  const count = (kind: string): number => daemon.threads.filter((thread) => thread.name.startsWith(kind)).length;
  const kinds =
    daemon.name === 'ovs-vswitchd'
      ? `, ${count('handler')} handler and ${count('revalidator')} revalidator threads`
      : '';
  const memory = daemon.lockedKib > 0 ? `, ${daemon.lockedKib} KiB locked` : '';
  return `${name}pid ${daemon.pid}, CPU ${cpus}${kinds}${memory}`;
}
