import { monotonicMs } from '../deadline.ts';
import { removeFile, writeFileAtomically } from '../drivers/host/files.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import type { TuningStep, TuningStepKind } from '../model/tuning.ts';

/** What tuning steps act on. */
export interface TuningContext {
  readonly ovs: Pick<OpenVSwitch, 'setKeys'>;
  readonly reloadUnits: () => Promise<void>;
  readonly pinThreads: (step: Extract<TuningStep, { do: 'pinThreads' }>) => Promise<void>;
}

type Executor<K extends TuningStepKind> = (
  context: TuningContext,
  step: Extract<TuningStep, { do: K }>,
) => Promise<void> | void;

/** One executor per kind of step; a kind without one does not compile. Each can be run again after it was cut short. */
const executors: { readonly [K in TuningStepKind]: Executor<K> } = {
  pinThreads: (context, step) => context.pinThreads(step),
  writeDropIn: (_context, step) => writeFileAtomically(step.path, step.text),
  removeDropIn: (_context, step) => removeFile(step.path),
  reloadUnits: (context) => context.reloadUnits(),
  setKeys: (context, step) => context.ovs.setKeys(step.column, step.values),
};

/** Runs tuning steps in order. They touch no link and no flow, so there is nothing to roll back: the next run finishes the rest. */
export async function runTuning(
  context: TuningContext,
  steps: readonly TuningStep[],
  say: (step: TuningStep, tookMs: number) => void,
): Promise<void> {
  for (const step of steps) {
    const started = monotonicMs();
    const executor = executors[step.do] as Executor<TuningStepKind>;
    await executor(context, step);
    say(step, monotonicMs() - started);
  }
}
