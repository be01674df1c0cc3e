import type { Answer, CheckResult, Examination, OverlayFacts } from '../model/examination.ts';
import type { Diagnosis } from './diagnosis.ts';

/** Result of a check, without the check's id and title. */
export type Finding = Pick<CheckResult, 'verdict' | 'found' | 'fix'>;

/** Check of `doctor`. It judges facts that were collected before, and reads nothing itself. */
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

/** Returns a failure with its fixes. A null among the fixes is left out: it stands for the missing hint of an error. */
export function failed(found: string, ...fix: readonly (string | null)[]): Finding {
  return { verdict: 'failed', found: [found], fix: fix.filter((one) => one !== null) };
}

export function warning(found: string, ...fix: readonly (string | null)[]): Finding {
  return { ...failed(found, ...fix), verdict: 'warning' };
}

/** Returns advice as a shell comment, so that a whole fix can be pasted into a shell; null if there is no advice. */
export function advice(words: string): string;
export function advice(words: string | null): string | null;
export function advice(words: string | null): string | null {
  return words === null ? null : `# ${words}`;
}

/**
 * Merges findings into one that has their worst verdict, and all of their facts and fixes. An element `false` stands
 * for a check without a complaint. Without findings, returns `ok` with `evidence`; otherwise, `evidence` has no effect.
 */
export function verdictOf(checked: readonly (Finding | false)[], ...evidence: readonly string[]): Finding {
  const complaints = checked.filter((complaint) => complaint !== false);
  if (complaints.length === 0) return ok(...evidence);
  return {
    verdict: complaints.some((complaint) => complaint.verdict === 'failed') ? 'failed' : 'warning',
    found: complaints.flatMap((complaint) => complaint.found),
    fix: [...new Set(complaints.flatMap((complaint) => complaint.fix))],
  };
}

/**
 * Returns the finding about some facts of the node. If the facts could not be read, returns `not-applicable`, because
 * another check reports this failure.
 */
export function given<T>(answer: Answer<T>, judge: (value: T) => Finding): Finding {
  return answer.failure === null ? judge(answer.value) : notApplicable(`unknown: ${answer.failure.message}`);
}

/** Judges the facts of an overlay; not applicable on a node that is not in an overlay. */
export function givenOverlay(answer: Examination['overlay'], judge: (facts: OverlayFacts) => Finding): Finding {
  return given(answer, (facts) => (facts === null ? notApplicable('this node is not in an overlay') : judge(facts)));
}
