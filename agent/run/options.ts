import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { ProgressEvent } from '../model/progress.ts';
import type { TuningPlan, TuningStep } from '../model/tuning.ts';
import type { Message } from './messages.ts';

/**
 * Functions with which a run reports: `say` to the person or unit that started the run, and `announce` to systemd's
 * journal.
 */
export interface Reporter {
  readonly say: (message: string) => void;
  readonly announce: (message: Message) => void;
}

/** Options of a run, without its plan, and the functions that receive its output. */
export interface ReconcileOptions extends Reporter {
  readonly command: string;
  /** True if other commands wait for the end of this run instead of being refused. Absent otherwise. */
  readonly isBrief?: true;
  readonly confirmTimeoutSeconds: number | null;
  readonly progress: (event: ProgressEvent) => void;
  readonly onPlan: (plan: Plan, observation: Observation) => void;
  /**
   * Planner of the tuning of Open vSwitch. It plans before the first change of the network; the planned steps run once
   * the network is in the desired state.
   */
  readonly tuner?: Tuner;
  readonly tuned: (step: TuningStep, tookMs: number) => void;
}

/** Plans the tuning of Open vSwitch from an observation and the plan of the network. */
export type Tuner = (observation: Observation, plan: Plan) => TuningPlan;
