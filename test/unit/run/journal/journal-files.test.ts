import {
  appendFileSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { JournalHeader, TransactionState } from '../../../../agent/model/journal.ts';
import { planApply } from '../../../../agent/plan/make-plan.ts';
import {
  newestId,
  openJournal,
  pruneJournals,
  readJournals,
  readOpenJournals,
  reopenJournal,
  setAside,
} from '../../../../agent/run/journal/journal-files.ts';
import { lastKept, transactionId } from '../../../../agent/run/journal/transactions.ts';
import { failure } from '../../failure.ts';
import { readCase } from '../../plan/cases.ts';

const at = '2026-01-02T03:04:05.678Z';

function headerOf(id: string): JournalHeader {
  const { config, observation } = readCase('static4');
  const decision = planApply(config, observation, true);
  if (decision.kind !== 'planned') throw new TypeError('static4 can be planned');
  return {
    format: 1,
    id,
    command: 'apply',
    agentVersion: '0.1.0',
    startedAt: at,
    bootId: 'boot',
    plan: decision.plan,
    previous: { bridges: [] },
  };
}

t.test('a transaction is read back as it was written', (t) => {
  const directory = join(t.testdir({}), 'lib/tx');
  const header = headerOf('20260102T030405Z-0001');
  const journal = openJournal(directory, header);
  t.match(readOpenJournals(directory).records, [
    { header, state: 'open', stateAt: at, checkpoint: null, detail: null, confirmUntil: null },
  ]);
  journal.append({ event: 'checkpoint', path: '/checkpoint/1' });
  journal.append({ event: 'step', index: 1, tookMs: 12 });
  journal.append({ event: 'step', index: 999, tookMs: 1 });
  journal.setState('awaiting-confirm', '2026-01-02T03:04:06.000Z', null, { confirmUntil: '2026-01-02T03:05:06.000Z' });
  journal.close();
  const waiting = readOpenJournals(directory).records[0];
  t.match(waiting, {
    state: 'awaiting-confirm',
    checkpoint: '/checkpoint/1',
    confirmUntil: '2026-01-02T03:05:06.000Z',
  });
  t.strictSame(waiting?.header, JSON.parse(JSON.stringify(header)));
  t.strictSame(waiting?.stepTimesMs.slice(0, 3), [null, 12, null]);
  t.equal(statSync(join(directory, `${header.id}.open`)).mode & 0o777, 0o640);

  const reopened = reopenJournal(directory, header.id);
  reopened.setState('confirmed', '2026-01-02T03:04:09.000Z', 'kept');
  reopened.close();
  t.strictSame(readOpenJournals(directory), { records: [], unusable: [] });
  t.match(readJournals(directory).records, [{ state: 'confirmed', detail: 'kept', confirmUntil: null }]);
  t.throws(
    () => reopenJournal(directory, header.id),
    failure('state-unwritable'),
    'an ended transaction cannot be reopened',
  );
  t.end();
});

t.test('every last state except open and awaiting-confirm ends the transaction', (t) => {
  for (const state of [
    'committed',
    'confirmed',
    'reverted',
    'rolled-back',
    'interrupted',
    'not-restored',
    'open',
    'awaiting-confirm',
  ] as const) {
    const directory = t.testdir({});
    const journal = openJournal(directory, headerOf('a'));
    journal.setState(state, at, null);
    journal.close();
    const open = state === 'open' || state === 'awaiting-confirm';
    t.strictSame(readdirSync(directory), [open ? 'a.open' : 'a.json'], state);
  }
  t.end();
});

t.test('an id cannot be used twice', (t) => {
  const directory = t.testdir({});
  openJournal(directory, headerOf('a')).close();
  t.throws(() => openJournal(directory, headerOf('a')), failure('state-unwritable'));
  t.end();
});

t.test('a last line that a power cut has left incomplete is ignored', (t) => {
  const directory = t.testdir({});
  const journal = openJournal(directory, headerOf('a'));
  journal.append({ event: 'checkpoint', path: '/checkpoint/1' });
  journal.close();
  appendFileSync(join(directory, 'a.open'), '{"event":"state","state":"comm');
  t.match(readJournals(directory), { records: [{ state: 'open', checkpoint: '/checkpoint/1' }], unusable: [] });
  // The next run appends the end of the transaction after the incomplete line.
  const reopened = reopenJournal(directory, 'a');
  reopened.setState('rolled-back', at, null);
  reopened.close();
  t.match(readJournals(directory).records, [{ state: 'rolled-back' }]);
  t.end();
});

t.test('a file that is not a journal of the agent is listed and has no effect', (t) => {
  const good = JSON.stringify(headerOf('good'));
  const table: Readonly<Record<string, readonly [text: string, why: RegExp]>> = {
    empty: ['', /first line is damaged/],
    cut: [good.slice(0, 100), /first line is damaged/],
    binary: ['\0\u0001\ufffd', /first line is damaged/],
    number: ['7', /first line is damaged/],
    list: ['[]', /format undefined/],
    future: ['{"format":2}', /its format 2 is not one this version knows/],
    bare: ['{"format":1}', /first line is incomplete/],
    stepless: ['{"format":1,"plan":{},"previous":{"bridges":[]}}', /first line is incomplete/],
  };
  const directory = t.testdir({});
  for (const [name, [text]] of Object.entries(table)) writeFileSync(join(directory, `${name}.open`), `${text}\n`);
  writeFileSync(join(directory, 'good.open'), `${good}\n`);
  const { records, unusable } = readOpenJournals(directory);
  t.strictSame(
    records.map((record) => record.header.id),
    ['good'],
  );
  for (const [name, [, why]] of Object.entries(table))
    t.match(unusable.find((file) => file.path.endsWith(`/${name}.open`))?.why, why, name);
  t.end();
});

t.test('a link, a directory, a giant or a foreign file in place of a journal', (t) => {
  const directory = t.testdir({
    outside: `${JSON.stringify(headerOf('outside'))}\n`,
    'folder.open': {},
    'giant.open': '',
  });
  symlinkSync(join(directory, 'outside'), join(directory, 'link.open'));
  truncateSync(join(directory, 'giant.open'), 9 * 1024 * 1024);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    writeFileSync(join(directory, 'foreign.open'), `${JSON.stringify(headerOf('foreign'))}\n`);
    chownSync(join(directory, 'foreign.open'), 65_534, 65_534);
  }
  const { records, unusable } = readOpenJournals(directory);
  t.strictSame(records, []);
  const wanted = [
    ['link.open', 'it is not a regular file'],
    ['giant.open', 'it is larger than any journal'],
    ['folder.open', 'it is not a regular file'],
    ...(isRoot ? [['foreign.open', 'it belongs to another user']] : []),
  ];
  t.strictSame(unusable.map(({ path, why }) => [path.split('/').at(-1), why]).toSorted(), wanted.toSorted());
  t.throws(() => reopenJournal(directory, 'link'), failure('state-unwritable'));
  t.equal(readFileSync(join(directory, 'outside'), 'utf8').split('\n').length, 2, 'nothing is written through a link');
  t.end();
});

t.test('a journal in a directory that cannot be written is an error', (t) => {
  const directory = t.testdir({ file: '' });
  t.throws(() => openJournal(join(directory, 'file/tx'), headerOf('a')), failure('state-unwritable'));
  t.match(readJournals(join(directory, 'file/tx')), { records: [], unusable: [{ why: /file is no directory/ }] });
  t.end();
});

t.test('the last 20 ended journals are kept, and open ones always', (t) => {
  const directory = t.testdir({});
  const name = (index: number): string => `2026010${index % 10}T0000${String(index).padStart(2, '0')}Z`;
  const names = Array.from({ length: 25 }, (_, index) => name(index)).toSorted();
  for (const id of names) writeFileSync(join(directory, `${id}.json`), '');
  writeFileSync(join(directory, '00000000T000000Z.open'), '');
  writeFileSync(join(directory, 'other.txt'), '');
  pruneJournals(directory);
  t.strictSame(
    readdirSync(directory)
      .filter((file) => file.endsWith('.json'))
      .toSorted(),
    names.slice(-20).map((id) => `${id}.json`),
  );
  t.ok(existsSync(join(directory, '00000000T000000Z.open')) && existsSync(join(directory, 'other.txt')));
  t.end();
});

t.test('the journal of the last committed run is kept, regardless of the number of later failures', (t) => {
  const directory = t.testdir({});
  const id = (index: number): string => `20260102T0304${String(index).padStart(2, '0')}Z-0001`;
  for (let index = 0; index < 30; index++) {
    const journal = openJournal(directory, headerOf(id(index)));
    journal.setState(index < 3 ? 'committed' : 'rolled-back', at, null);
    journal.close();
  }
  pruneJournals(directory);
  const { records } = readJournals(directory);
  t.equal(records.length, 21);
  t.match(records.at(-1), { header: { id: id(2) }, state: 'committed' });
  t.ok(lastKept(records, 'boot') !== null);
  t.end();
});

t.test('a repair returns to the state of the last run of this boot that was not rolled back', (t) => {
  const runs = (...all: readonly (readonly [state: TransactionState, bridge: string, bootId?: string])[]) => {
    const directory = t.testdir({});
    for (const [index, [state, bridge, bootId = 'boot']] of all.entries()) {
      const header = headerOf(`2026010${index + 1}T030405Z-0001`);
      const wanted = { bridges: header.plan.wanted.bridges.map((one) => ({ ...one, bridge })) };
      const journal = openJournal(directory, { ...header, bootId, plan: { ...header.plan, wanted } });
      journal.setState(state, at, null);
      journal.close();
    }
    return lastKept(readJournals(directory).records, 'boot')?.bridges.map(({ bridge }) => bridge);
  };
  t.strictSame(runs(['committed', 'first'], ['confirmed', 'second']), ['second']);
  for (const state of ['rolled-back', 'reverted', 'not-restored', 'interrupted', 'awaiting-confirm'] as const)
    t.strictSame(runs(['committed', 'first'], [state, 'second']), ['first'], state);
  t.strictSame(
    runs(['committed', 'first'], ['committed', 'second', 'another boot']),
    ['first'],
    'runs of another boot are left out',
  );
  t.equal(runs(['committed', 'first', 'another boot']), undefined);
  t.end();
});

t.test('the journal of the last run that a person started is kept, regardless of the number of later repairs', (t) => {
  const directory = t.testdir({});
  const id = (index: number): string => `20260102T0304${String(index).padStart(2, '0')}Z-0001`;
  for (let index = 0; index < 30; index++) {
    const journal = openJournal(directory, { ...headerOf(id(index)), command: index < 3 ? 'apply' : 'apply --repair' });
    journal.setState('committed', at, null);
    journal.close();
  }
  pruneJournals(directory);
  t.match(readJournals(directory).records.at(-1), { header: { id: id(2), command: 'apply' } });
  t.end();
});

t.test('ids sort by time', (t) => {
  t.equal(transactionId(new Date(at), 0x1f, null), '20260102T030405Z-001f');
  const [one, other] = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:06Z'].map((time) => new Date(time)) as [Date, Date];
  t.ok(transactionId(one, 9, null) < transactionId(other, 1, null));
  t.end();
});

t.test('ids are sorted by their order of creation, also if the clock was set back or does not advance', (t) => {
  const directory = t.testdir({});
  t.equal(newestId(directory), null);
  openJournal(directory, headerOf(transactionId(new Date('2026-01-02T23:59:59Z'), 9, null))).close();
  t.equal(newestId(directory), '20260102T235959Z-0009');
  t.equal(transactionId(new Date(at), 1, newestId(directory)), '20260103T000000Z-0001');
  t.equal(
    transactionId(new Date(at), 1, '20260102T030405Z-ffff'),
    '20260102T030406Z-0001',
    'an id within the same second is later than the previous id',
  );
  t.equal(transactionId(new Date(at), 1, 'no id'), '20260102T030405Z-0001');
  t.end();
});

t.test('an invalid open journal is set aside and listed, and never read again', (t) => {
  const directory = t.testdir({ '20260102T030405Z-0001.open': '{"format":2}\n' });
  const [bad] = readOpenJournals(directory).unusable;
  t.match(bad?.why, /format 2/);
  setAside(bad?.path ?? '');
  t.strictSame(readOpenJournals(directory), { records: [], unusable: [] });
  const path = join(directory, '20260102T030405Z-0001.open.unusable');
  t.strictSame(readJournals(directory), { records: [], unusable: [{ path, why: 'it was set aside' }] });
  t.throws(() => setAside(join(directory, 'gone.open')), failure('state-unwritable'));
  t.end();
});
