// The cases of test/cases/doctor.txt: what was found on nodes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Examination, UnitFacts } from '../../../agent/model/examination.ts';
import { readTable } from '../case-table.ts';
import { changed } from '../plan/change.ts';
import { wholeParts } from '../plan/observed.ts';

const folder = join(process.cwd(), 'test/cases');
export const doctorTable = join(folder, 'doctor.txt');
const cases = new Map(readTable(doctorTable).map((one) => [one.name, one]));

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

/** A case that is another one with changes. */
interface Change {
  /** The name of the other one. */
  readonly of: string;
  readonly change: Readonly<Record<string, unknown>>;
}

/**
 * Changes that make this case from another one; null if it has an examination of its own, test/cases/doctor/NAME.json.
 */
export function changeOf(name: string): Change | null {
  const given = cases.get(name)?.parts.given;
  if (given === undefined) return null;
  const [first = '', ...changes] = given.trimEnd().split(/\n(?![ }\]])/);
  const [, of] = /^from (\S+)$/.exec(first) ?? [];
  if (of === undefined) throw new TypeError(`${name} does not begin with the case that it changes`);
  const entries = changes.map((text) => {
    const [, way = '', json = ''] = /^(.+?) = (.*)$/s.exec(text) ?? [];
    return [way, JSON.parse(json)] as const;
  });
  return { of, change: Object.fromEntries(entries) };
}

/** Facts of the node of a case. */
export function examinationOf(name: string): Examination {
  const own = changeOf(name);
  if (own !== null) return wholeExamination(changed(examinationOf(own.of), own.change));
  const kept = JSON.parse(readFileSync(join(folder, 'doctor', `${name}.json`), 'utf8')) as Examination;
  return wholeExamination(kept);
}

/** With what almost every node has, where it was left out; as of observations. */
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
