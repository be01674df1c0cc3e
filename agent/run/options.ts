import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { ProgressEvent } from '../model/progress.ts';
import type { TuningPlan, TuningStep } from '../model/tuning.ts';
import type { Message } from './messages.ts';

/** How a run tells what it does. */
export interface Reporter {
  readonly say: (message: string) => void;
  readonly announce: (message: Message) => void;
}

/** What a run is to do besides its plan, and how it tells what it does. */
export interface ReconcileOptions extends Reporter {
  readonly command: string;
  readonly confirmTimeoutSeconds: number | null;
  readonly progress: (event: ProgressEvent) => void;
  readonly onPlan: (plan: Plan, observation: Observation) => void;
  /** How Open vSwitch shall run; asked before anything is touched, run once the network is as wanted. */
  readonly tuner?: Tuner;
  readonly tuned: (step: TuningStep, tookMs: number) => void;
}

/** Plans the tuning of Open vSwitch from an observation. */
export type Tuner = (observation: Observation) => TuningPlan;
