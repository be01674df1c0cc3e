// Parts that JSON output has exactly once, and parts that it never has.
import t from 'tap';
import type { Output } from '../../../../agent/commands/output.ts';
import { reportRepair } from '../../../../agent/commands/report.ts';
import { AgentError, type ErrorKind, errorTable } from '../../../../agent/errors.ts';
import type { TransactionResult } from '../../../../agent/model/run-record.ts';
import { planApply } from '../../../../agent/plan/make-plan.ts';
import { errorDocument } from '../../../../agent/view/json/error-json.ts';
import type { RunDocument } from '../../../../agent/view/json/run-json.ts';
import { plain } from '../../../../agent/view/style.ts';
import { appliedCase, readCase } from '../../plan/cases.ts';

const { config, observation } = readCase('dhcp');

function ran(seen: typeof observation, transaction: TransactionResult | null) {
  const decision = planApply(config, seen, true);
  if (decision.kind !== 'planned') throw new TypeError('it waits');
  const tuning = { steps: [], differences: [], notes: [] };
  return { plan: decision.plan, observation: seen, tuning, transaction, busCalls: 0 };
}

const committed = (id: string): TransactionResult => ({ id, state: 'committed', confirmUntil: null, stepTimesMs: [] });
const changed = ran(observation, committed('a'));
const late = ran(observation, committed('b'));
const unchanged = ran(appliedCase('dhcp').observation, null);

function documents(...results: [typeof changed, typeof changed | null]): readonly RunDocument[] {
  const printed: RunDocument[] = [];
  const output = {
    format: 'json',
    verbose: false,
    style: plain,
    isJournal: false,
    result: (_text: string, document: unknown) => printed.push(document as RunDocument),
  };
  reportRepair(...results, output as unknown as Output);
  return printed;
}

t.test('a repair prints one document, also if it adds bridges whose NICs have appeared', (t) => {
  const [alone, ...none] = documents(changed, null);
  t.match(alone, { command: 'apply', outcome: 'changed', transaction: { id: 'a' } });
  t.strictSame(none, []);
  const [both, ...noneElse] = documents(changed, late);
  t.strictSame(noneElse, []);
  t.match(both, { command: 'apply', outcome: 'changed', transaction: { id: 'b' } });
  t.equal(both?.steps.length, 2 * (alone?.steps.length ?? 0), 'the document has the steps of both runs');
  t.match(both?.notes.at(-1), { level: 'info', message: 'br-ex was changed by transaction a' });
  t.match(documents(unchanged, late), [{ outcome: 'changed', transaction: { id: 'b' } }]);
  t.match(documents(unchanged, null), [{ outcome: 'unchanged', transaction: null }]);
  t.end();
});

t.test('facts of an error of any kind have no internal names', (t) => {
  for (const kind of Object.keys(errorTable) as ErrorKind[]) {
    const facts = {
      checkpoint: '/org/freedesktop/NetworkManager/Checkpoint/7',
      call: 'org.freedesktop.NetworkManager.Settings.AddConnection2',
      paths: ['eth0', '/org/freedesktop/NetworkManager/Devices/2'],
      path: '/var/lib/microshift-net/tx/20260102T030405Z-0001.jsonl',
      interface: 'eth0',
      record: '/var/lib/microshift-net/overlay.json',
    };
    t.strictSame(
      errorDocument(new AgentError(kind, 'x', { facts }), null).error.facts,
      { interface: 'eth0', record: '/var/lib/microshift-net/overlay.json' },
      kind,
    );
  }
  t.end();
});
