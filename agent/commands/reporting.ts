import type { ConfigWarning } from '../model/config.ts';
import type { Plan, PlanNote } from '../model/plan.ts';
import type { TuningStep } from '../model/tuning.ts';
import { progressLine } from '../view/plan-view.ts';
import { tuningStepTitle } from '../view/tuning-view.ts';
import type { Output } from './output.ts';

/** Prints the notes of a plan on standard error. */
export function sayNotes(notes: readonly PlanNote[], output: Output): void {
  for (const note of notes) output.say(`${note.level === 'warning' ? 'warning: ' : ''}${note.message}`);
}

/** Prints the warnings of a configuration on standard error. */
export function sayWarnings(warnings: readonly ConfigWarning[], output: Output): void {
  for (const { source, message } of warnings) output.say(`warning: ${source}: ${message}`);
}

/** Returns the functions that print the progress and the notes of a run on standard error. */
export function reporting(output: Output) {
  return {
    say: output.say,
    announce: output.announce,
    progress: (event: Parameters<typeof progressLine>[0]) => {
      const line = output.format === 'json' ? null : progressLine(event, output.progressStyle);
      if (line !== null) output.say(line);
    },
    tuned: (step: TuningStep, tookMs: number) => {
      if (output.format !== 'json') output.say(`tuning: ${tuningStepTitle(step)} … ${Math.round(tookMs)} ms`);
    },
    onPlan: (plan: Plan) => {
      sayNotes(plan.notes, output);
      if (output.verbose) for (const line of plan.choice?.trace ?? []) output.say(line);
    },
  };
}

/** Returns the options of a run that prints to `output` and whose change needs no confirmation. */
export function unattended(command: string, output: Output) {
  return { command, confirmTimeoutSeconds: null, ...reporting(output) };
}
