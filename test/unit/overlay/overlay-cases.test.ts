import { join } from 'node:path';
import t from 'tap';
import { isAgentError } from '../../../agent/errors.ts';
import { planNorthbound } from '../../../agent/overlay/plan-northbound.ts';
import { operationsOf } from '../../../agent/overlay/rows/row-operations.ts';
import { errorText } from '../../../agent/view/error-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { equalsGolden } from '../golden-file.ts';
import { overlayCases } from './cluster.ts';
import { caseNames, isOnlyBase, readCase } from './northbound-cases.ts';
import { planLines } from './plan-lines.ts';

/** Each folder of test/cases/overlay is a case, which its README.md describes. */
for (const name of caseNames()) {
  if (isOnlyBase(name)) continue;
  t.test(name, (t) => {
    equalsGolden(t, join(overlayCases, name, 'rows.txt'), outcomeOf(name));
    t.end();
  });
}

t.test('after the planned changes, a second plan of every case has no changes', (t) => {
  for (const name of caseNames()) {
    const { facts, database } = readCase(name);
    try {
      database.transact(operationsOf(planNorthbound(facts), facts.rows.shape));
    } catch (error) {
      if (isAgentError(error)) continue;
      throw error;
    }
    const again = planNorthbound({ ...facts, rows: database.rows() });
    t.strictSame(again.changes, [], name);
  }
  t.end();
});

function outcomeOf(name: string): string {
  const { facts } = readCase(name);
  try {
    const plan = planNorthbound(facts);
    const trace = plan.trace.map((line) => `trace   ${line}\n`).join('');
    return `${trace}${planLines(plan, facts.rows)}`;
  } catch (error) {
    if (!isAgentError(error) || error.kind === 'internal') throw error;
    return `refused ${error.kind}\n${errorText(error, plain)}\n`;
  }
}
