import type { Answer, CheckResult, Examination, OverlayFacts } from '../model/examination.ts';
import type { Diagnosis } from './diagnosis.ts';

/** What a check says; its id and title are in the table. */
export type Finding = Pick<CheckResult, 'verdict' | 'found' | 'fix'>;

/** One check: judges an examination, from facts alone. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly judge: (examination: Examination, diagnosis: Diagnosis) => Finding;
}

export function ok(...found: readonly string[]): Finding {
  return { verdict: 'ok', found, fix: [] };
}

export function notApplicable(why: string): Finding {
  return { verdict: 'not-applicable', found: [why], fix: [] };
}

/** A fix that is null is none: not every failure has a hint. */
export function failed(found: string, ...fix: readonly (string | null)[]): Finding {
  return { verdict: 'failed', found: [found], fix: fix.filter((one) => one !== null) };
}

export function warning(found: string, ...fix: readonly (string | null)[]): Finding {
  return { ...failed(found, ...fix), verdict: 'warning' };
}

/** What to do where no command does it: a comment, so that a whole fix can be given to a shell. Nothing to say stays nothing. */
export function advice(words: string): string;
export function advice(words: string | null): string | null;
export function advice(words: string | null): string | null {
  return words === null ? null : `# ${words}`;
}

/** The worst of several complaints, with all they say; `ok` with this evidence when there is none. What is false is no complaint. */
export function verdictOf(checked: readonly (Finding | false)[], ...evidence: readonly string[]): Finding {
  const complaints = checked.filter((complaint) => complaint !== false);
  if (complaints.length === 0) return ok(...evidence);
  return {
    verdict: complaints.some((complaint) => complaint.verdict === 'failed') ? 'failed' : 'warning',
    found: complaints.flatMap((complaint) => complaint.found),
    fix: [...new Set(complaints.flatMap((complaint) => complaint.fix))],
  };
}

/** Judges what a part answered; where it did not, nothing can be told, and another check says so. */
export function given<T>(answer: Answer<T>, judge: (value: T) => Finding): Finding {
  return answer.failure === null ? judge(answer.value) : notApplicable(`cannot be told: ${answer.failure.message}`);
}

/** The same for what an overlay needs, on a node that is in one. */
export function givenOverlay(answer: Examination['overlay'], judge: (facts: OverlayFacts) => Finding): Finding {
  return given(answer, (facts) => (facts === null ? notApplicable('this node is in no overlay') : judge(facts)));
}
