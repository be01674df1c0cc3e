// Initial inputs of the fuzzers: the files of test/cases.
import path from 'node:path';
import type { Observation } from '../../agent/model/observation.ts';
import type { Plan } from '../../agent/model/plan.ts';
import { planDisable } from '../../agent/plan/make-plan.ts';
import { readTable } from '../unit/case-table.ts';
import { baseOf, caseNames, planOfCase, readCase } from '../unit/plan/cases.ts';

const cases = path.join(process.cwd(), 'test/cases');

/** Returns the files with this name of all cases of test/cases/config.txt. */
export function configFiles(name: 'ovn.yaml' | 'config.yaml'): readonly Buffer[] {
  return readTable(path.join(cases, 'config.txt'), 'ovn.yaml').flatMap(({ parts }) =>
    parts[name] === undefined ? [] : [Buffer.from(parts[name])],
  );
}

/** Returns the observation of each case of test/cases/plan. */
export function observations(): readonly Observation[] {
  return caseNames().flatMap((name) => (baseOf(name) === null ? [readCase(name).observation] : []));
}

/** Returns the plans of all cases of test/cases/plan whose run is neither refused nor waits. */
export function plans(): readonly Plan[] {
  return caseNames().flatMap((name) => {
    const one = readCase(name);
    try {
      return [one.command === 'disable' ? planDisable(one.observation) : planOfCase(one)];
    } catch {
      return [];
    }
  });
}

/** Returns a node whose NIC has a lease and can be moved into a bridge. */
export function dhcpNode(): Observation {
  return readCase('dhcp').observation;
}
