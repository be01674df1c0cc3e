import type { CheckResult, Examination } from '../model/examination.ts';
import { bondChecks } from './bond-checks.ts';
import { clusterChecks } from './cluster-checks.ts';
import { diagnose } from './diagnosis.ts';
import { fileChecks } from './file-checks.ts';
import type { Check } from './finding.ts';
import { interfaceRuleChecks } from './interface-rule-checks.ts';
import { kernelChecks } from './kernel.ts';
import { microshiftChecks } from './microshift.ts';
import { overlayChecks } from './overlay-checks.ts';
import { profileChecks } from './profile-checks.ts';
import { serviceChecks } from './service-checks.ts';
import { unitChecks } from './unit-checks.ts';

/**
 * Checks in the order of a report: a check on which other checks depend comes before them. docs/use/doctor.md has a
 * heading for each check.
 */
export const checks: readonly Check[] = [
  ...serviceChecks,
  ...unitChecks,
  ...fileChecks,
  ...profileChecks,
  ...bondChecks,
  ...kernelChecks,
  ...interfaceRuleChecks,
  ...microshiftChecks,
  ...clusterChecks,
  ...overlayChecks,
];

/** Returns the result of each check for the facts that `doctor` has collected. */
export function judge(examination: Examination): readonly CheckResult[] {
  const diagnosis = diagnose(examination);
  return checks.map((check) => ({ id: check.id, title: check.title, ...check.judge(examination, diagnosis) }));
}
