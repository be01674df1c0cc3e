// The folders of test/cases/doctor: what was found on nodes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Examination } from '../../../agent/model/examination.ts';
import { changed } from '../plan/change.ts';
import { wholeParts } from '../plan/observed.ts';

export const doctorCases = join(process.cwd(), 'test/cases/doctor');

interface CaseFile {
  readonly about: string;
  readonly examination: string;
  readonly change: Readonly<Record<string, unknown>>;
}

/** What makes a case of another one; null: it has an examination of its own. */
export function caseOf(name: string): CaseFile | null {
  const path = join(doctorCases, name, 'case.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as CaseFile) : null;
}

export function examinationOf(name: string): Examination {
  const own = caseOf(name);
  if (own !== null) return wholeExamination(changed(examinationOf(own.examination), own.change));
  const kept = JSON.parse(readFileSync(join(doctorCases, name, 'examination.json'), 'utf8')) as Examination;
  return wholeExamination(kept);
}

/** With what almost every node has, where it was left out; as of observations. */
function wholeExamination(kept: Examination): Examination {
  const { network, networkManager, ovs } = kept;
  const whole = wholeParts({
    links: network.value?.links ?? [],
    networkManager: networkManager.value ?? {},
    ovs: ovs.value ?? {},
  });
  return {
    ...kept,
    ...(network.value !== null && { network: { ...network, value: { ...network.value, links: whole.links } } }),
    ...(networkManager.value !== null && { networkManager: { ...networkManager, value: whole.networkManager } }),
    ...(ovs.value !== null && { ovs: { ...ovs, value: whole.ovs } }),
  };
}
