import type { Step } from './plan.ts';

/** One numbered line of progress. */
export interface ProgressEvent {
  readonly index: number;
  readonly total: number;
  readonly step: Step | 'prove' | 'commit';
  readonly state: 'started' | 'done' | 'failed';
  readonly tookMs: number;
}
