// Why tests of Kubernetes do not pass here, as far as it is known. The page takes the first that matches.

/** `refused`: an Event reports it. `impossible`: something that is missing and no part of this project. `failed`: a defect. */
export type Verdict = 'refused' | 'impossible' | 'failed';

export interface Reason {
  readonly verdict: Verdict;
  readonly test: RegExp;
  readonly why: string;
}

export const reasons: readonly Reason[] = [];
