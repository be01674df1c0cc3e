import t from 'tap';
import { pendingChange, presentRecord } from '../../../agent/compare/pending-change.ts';
import type { JournalRecord, TransactionState } from '../../../agent/model/journal.ts';
import { pendingLines } from '../../../agent/view/pending-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { clockTime } from '../../../agent/view/time.ts';
import { headerOf } from '../run/played-transaction.ts';

const confirmUntil = '2026-01-02T03:04:35.000Z';
const bootId = 'boot';
const checkpoint = '/checkpoint/1';
const now = '2026-01-02T03:04:17.000Z';
const nowMs = Date.parse(now);

function recordOf(state: TransactionState): JournalRecord {
  const header = { ...headerOf({}), id: 'tx', command: 'apply', bootId };
  const times = { stateAt: '2026-01-02T03:04:05.000Z', confirmUntil, stepTimesMs: [] };
  return { header, state, detail: null, later: null, checkpoint, ...times };
}

t.test('a change waits while its checkpoint exists, and has expired without it', (t) => {
  const record = recordOf('awaiting-confirm');
  const table = [
    [{ bootId, checkpoints: [checkpoint], endedBefore: now }, 'waiting', 'awaiting-confirm'],
    [{ bootId, checkpoints: [checkpoint], endedBefore: '2026-01-02T03:04:36.000Z' }, 'waiting', 'awaiting-confirm'],
    [{ bootId, checkpoints: ['/checkpoint/2'], endedBefore: now }, 'expired', 'reverted'],
    [{ bootId, checkpoints: null, endedBefore: now }, 'waiting', 'awaiting-confirm'],
    [{ bootId, checkpoints: null, endedBefore: confirmUntil }, 'expired', 'reverted'],
    [{ bootId: 'another', checkpoints: null, endedBefore: now }, undefined, 'reverted'],
  ] as const;
  for (const [facts, pending, state] of table) {
    t.equal(pendingChange([recordOf('committed'), record], facts)?.state, pending, JSON.stringify(facts));
    t.equal(presentRecord(record, facts).state, state, JSON.stringify(facts));
  }
  const [[facts]] = table;
  t.equal(pendingChange([recordOf('confirmed')], facts), null);
  t.equal(presentRecord(recordOf('rolled-back'), facts).state, 'rolled-back');
  t.end();
});

t.test('the lines about a pending change have its deadline and the next step', (t) => {
  const pending = { id: 'tx', command: 'apply', confirmUntil, state: 'waiting' } as const;
  t.strictSame(pendingLines(pending, nowMs, plain), [
    `Transaction tx (apply) waits for confirmation until ${clockTime(confirmUntil)} (in 18 s); then it is rolled back.`,
    'Keep it with: microshift-net confirm',
    'Roll it back now with: microshift-net undo',
  ]);
  t.match(pendingLines({ ...pending, state: 'expired' }, nowMs, plain)[0], /was not confirmed in time/);
  t.notMatch(pendingLines({ ...pending, confirmUntil: null }, nowMs, plain)[0], /until/);
  t.strictSame(pendingLines(null, nowMs, plain), []);
  t.end();
});
