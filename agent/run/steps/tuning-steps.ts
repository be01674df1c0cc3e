import { monotonicMs } from '../../deadline.ts';
import { removeFile, writeFileAtomically } from '../../drivers/host/files/files.ts';
import type { OpenVSwitch } from '../../drivers/openvswitch/ovs-client.ts';
import type { TuningStep, TuningStepKind } from '../../model/tuning.ts';

/** Client of Open vSwitch and functions with which the steps of the tuning change systemd and the CPUs of threads. */
export interface TuningContext {
  readonly ovs: Pick<OpenVSwitch, 'setKeys'>;
  readonly reloadUnits: () => Promise<void>;
  readonly pinThreads: (step: Extract<TuningStep, { do: 'pinThreads' }>) => Promise<void>;
}

type Executor<K extends TuningStepKind> = (
  context: TuningContext,
  step: Extract<TuningStep, { do: K }>,
) => Promise<void> | void;

/**
 * Functions that execute a step that tunes the daemons of Open vSwitch, by kind of step; a kind without a function does
 * not compile. Each step can be repeated after an interruption.
 */
const executors: { readonly [K in TuningStepKind]: Executor<K> } = {
  pinThreads: (context, step) => context.pinThreads(step),
  writeDropIn: (_context, step) => writeFileAtomically(step.path, step.text),
  removeDropIn: (_context, step) => removeFile(step.path),
  reloadUnits: (context) => context.reloadUnits(),
  setKeys: (context, step) => context.ovs.setKeys(step.column, step.values),
};

/**
 * Runs steps that tune the daemons of Open vSwitch, in order. They change no link and no flow, so they need no
 * rollback: after a failure, the next run does the remaining ones.
 */
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
