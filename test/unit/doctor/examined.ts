// Reads the cases of test/cases/doctor.txt: facts about nodes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Examination, UnitFacts } from '../../../agent/model/examination.ts';
import { readTable } from '../case-table.ts';
import { changed, readChanges } from '../plan/change.ts';
import { wholeParts } from '../plan/observed.ts';

const folder = join(process.cwd(), 'test/cases');
export const doctorTable = join(folder, 'doctor.txt');
/** First line of a report: the verdict of a check. */
const verdict = /^(ok|n\/a|warning|FAILED) /m;
/** Cases, with the changes to the facts of another case (`given`), and the report about them. */
export const doctorCases = readTable(doctorTable, 'all').map(({ name, about, parts: { all = '' } }) => {
  const start = all.search(verdict);
  const end = start === -1 ? all.length : start;
  return { name, about, given: all.slice(0, end), report: all.slice(end) };
});
const cases = new Map(doctorCases.map((one) => [one.name, one]));

const usualUnit = {
  load: 'loaded',
  active: 'active',
  result: 'success',
  file: 'enabled',
  dropIns: [],
  runs: [],
  after: [],
  before: [],
  exitStatus: 0,
  restarts: 0,
};

/** A case that consists of changes to another case. */
interface Change {
  /** Name of the other case. */
  readonly of: string;
  readonly change: Readonly<Record<string, unknown>>;
}

/**
 * Returns the changes that make this case from another one (`healthy` by default); null if the case has its own facts
 * in test/cases/doctor/NAME.json.
 */
export function changeOf(name: string): Change | null {
  if (existsSync(ownFile(name))) return null;
  const { words, change } = readChanges(cases.get(name)?.given ?? '');
  return { of: words.from ?? 'healthy', change };
}

function ownFile(name: string): string {
  return join(folder, 'doctor', `${name}.json`);
}

/** Returns the facts of the node of a case. */
export function examinationOf(name: string): Examination {
  const own = changeOf(name);
  if (own !== null) return wholeExamination(changed(examinationOf(own.of), own.change));
  const kept = JSON.parse(readFileSync(ownFile(name), 'utf8')) as Examination;
  return wholeExamination(kept);
}

/** Adds the usual facts that a case leaves out. */
function wholeExamination(kept: Examination): Examination {
  const { network, networkManager, ovs, units } = kept;
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
    ...(units.value !== null && { units: { ...units, value: units.value.map(wholeUnit) } }),
  };
}

/** Completes a unit by usual facts: it belongs to a package, is loaded and has not failed. */
function wholeUnit(kept: Partial<UnitFacts> & Pick<UnitFacts, 'name'>): UnitFacts {
  return { ...usualUnit, path: `/usr/lib/systemd/system/${kept.name}`, ...kept };
}
