import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isAgentError } from '../../../agent/errors.ts';
import { planNorthbound } from '../../../agent/overlay/northbound.ts';
import { operationsOf } from '../../../agent/overlay/operations.ts';
import { errorText } from '../../../agent/view/error-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { readableJson } from '../plan/change.ts';
import { caseNames, readCase, shortPlanOf } from './cases.ts';
import { overlayCases } from './cluster.ts';

/** One folder is one case, see README.md there. UPDATE_CASES=1 writes what comes of each, to be read before it is committed. */
for (const name of caseNames()) {
  t.test(name, (t) => {
    const outcome = outcomeOf(name);
    for (const file of ['rows.json', 'trace.txt', 'error.txt']) {
      const path = join(overlayCases, name, file);
      if (process.env.UPDATE_CASES === '1') {
        if (outcome[file] === undefined) rmSync(path, { force: true });
        else writeFileSync(path, outcome[file]);
      }
      t.equal(outcome[file], existsSync(path) ? readFileSync(path, 'utf8') : undefined, file);
    }
    t.end();
  });
}

t.test('after its changes, every case plans nothing more', (t) => {
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

function outcomeOf(name: string): Readonly<Record<string, string>> {
  const { facts } = readCase(name);
  try {
    const plan = planNorthbound(facts);
    const trace = plan.trace.map((line) => `${line}\n`).join('');
    return { 'rows.json': `${readableJson(shortPlanOf(name, plan, facts.rows))}\n`, 'trace.txt': trace };
  } catch (error) {
    if (!isAgentError(error) || error.kind === 'internal') throw error;
    return { 'error.txt': `${error.kind}\n${errorText(error, plain)}\n` };
  }
}
