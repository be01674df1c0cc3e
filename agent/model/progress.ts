import type { Step } from './plan.ts';

/** Start or end of a step, of the proof or of the commit, as printed in a line of progress. */
export interface ProgressEvent {
  readonly index: number;
  readonly total: number;
  readonly step: Step | 'prove' | 'commit';
  readonly state: 'started' | 'done' | 'failed';
  readonly tookMs: number;
}
