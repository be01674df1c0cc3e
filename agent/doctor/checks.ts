import type { CheckResult, Examination } from '../model/examination.ts';
import { bondChecks } from './bonds.ts';
import { clusterChecks } from './cluster.ts';
import { diagnose } from './diagnosis.ts';
import { fileChecks } from './files.ts';
import type { Check } from './finding.ts';
import { interfaceRuleChecks } from './interface-rules.ts';
import { kernelChecks } from './kernel.ts';
import { microshiftChecks } from './microshift.ts';
import { overlayChecks } from './overlay.ts';
import { profileChecks } from './profiles.ts';
import { serviceChecks } from './services.ts';
import { unitChecks } from './units.ts';

/**
 * Checks in the order of a report, in which the conditions of other checks come first. docs/use/doctor.md has a heading
 * for each.
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

/** Judges an examination from facts alone, with one result per check. */
export function judge(examination: Examination): readonly CheckResult[] {
  const diagnosis = diagnose(examination);
  return checks.map((check) => ({ id: check.id, title: check.title, ...check.judge(examination, diagnosis) }));
}
