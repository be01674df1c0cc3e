import type { Step } from './plan.ts';

/** Start or end of a step, the proof or the commit of a transaction, from which a line of progress is printed. */
export interface ProgressEvent {
  readonly index: number;
  readonly total: number;
  readonly step: Step | 'prove' | 'commit';
  readonly state: 'started' | 'done' | 'failed';
  readonly tookMs: number;
}
