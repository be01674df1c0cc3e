// The stored list of `bridge add` is that of the last transaction that changed the list, even after a crash in between.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parseAddedBridges } from '../../../../agent/facts/hints.ts';
import type { AddedBridge } from '../../../../agent/model/added-bridge.ts';
import type { JournalHeader, TransactionState } from '../../../../agent/model/journal.ts';
import { writeAdded } from '../../../../agent/run/journal/added-record.ts';
import { openJournal, reopenJournal } from '../../../../agent/run/journal/journal-files.ts';
import { usableOpenJournals } from '../../../../agent/run/rollback/recover.ts';
import { planOfCase, readCase } from '../../plan/cases.ts';

const at = '2026-01-02T03:04:05.000Z';
const before: readonly AddedBridge[] = [{ bridge: 'breth0', interface: 'eth0', routeMetric: 50 }];
const wanted: readonly AddedBridge[] = [...before, { bridge: 'breth1', interface: 'eth1', routeMetric: 149 }];

function headerOf(added: readonly AddedBridge[] | undefined, previous = before): JournalHeader {
  const plan = planOfCase(readCase('static4'));
  return {
    format: 1,
    id: '20260102T030405Z-0001',
    command: 'bridge add',
    agentVersion: '0.2.0',
    startedAt: at,
    bootId: 'boot',
    plan: { ...plan, wanted: { ...plan.wanted, ...(added === undefined ? {} : { added }) } },
    previous: { bridges: [], ...(previous.length === 0 ? {} : { added: previous }) },
  };
}

interface Place {
  readonly journals: string;
  /** Returns the list in the file; null if the file does not exist. */
  list(): readonly AddedBridge[] | null;
}

function placeOf(t: Test, start: readonly AddedBridge[]): Place {
  const directory = t.testdir({ tx: {} });
  const file = join(directory, 'bridges.json');
  writeAdded(start, file);
  return {
    journals: join(directory, 'tx'),
    list: () => (existsSync(file) ? parseAddedBridges(readFileSync(file, 'utf8')) : null),
  };
}

t.test('after each end of a transaction, the list is the old or the new one', (t) => {
  const ends: Readonly<Record<TransactionState, readonly AddedBridge[]>> = {
    open: before,
    'awaiting-confirm': before,
    committed: wanted,
    confirmed: wanted,
    reverted: before,
    'rolled-back': before,
    interrupted: before,
    'not-restored': before,
  };
  for (const [state, list] of Object.entries(ends)) {
    const place = placeOf(t, before);
    const journal = openJournal(place.journals, headerOf(wanted));
    journal.setState(state as TransactionState, at, null);
    journal.close();
    t.strictSame(place.list(), list, state);
  }
  t.end();
});

t.test('a change with a time to confirm writes the list when it is confirmed', (t) => {
  const place = placeOf(t, before);
  const header = headerOf(wanted);
  const journal = openJournal(place.journals, header);
  journal.setState('awaiting-confirm', at, null, { confirmUntil: at });
  journal.close();
  const reopened = reopenJournal(place.journals, header.id);
  reopened.setState('confirmed', at, null);
  reopened.close();
  t.strictSame(place.list(), wanted);
  t.end();
});

t.test('an empty list is not written to a file', (t) => {
  const place = placeOf(t, before);
  const journal = openJournal(place.journals, headerOf([]));
  journal.setState('committed', at, null);
  journal.close();
  t.equal(place.list(), null);
  t.end();
});

t.test('a run that does not change the list keeps it', (t) => {
  const place = placeOf(t, wanted);
  const journal = openJournal(place.journals, headerOf(undefined));
  journal.setState('committed', at, null);
  journal.close();
  t.strictSame(place.list(), wanted);
  t.end();
});

t.test(
  'after a crash between the end of a journal and the list, the next reader of the journal writes the list',
  (t) => {
    for (const [state, list] of [
      ['committed', wanted],
      ['rolled-back', before],
    ] as const) {
      // The list can also have been written before a later failure.
      for (const start of [before, wanted]) {
        const place = placeOf(t, start);
        const header = headerOf(wanted);
        openJournal(place.journals, header).close();
        const line = { event: 'state', state, at, detail: null };
        appendFileSync(join(place.journals, `${header.id}.open`), `${JSON.stringify(line)}\n`);
        t.strictSame(usableOpenJournals(t.fail, place.journals), [], 'no transaction is open any more');
        t.strictSame(place.list(), list, state);
      }
    }
    t.end();
  },
);

t.test('a damaged entry of the list has no effect', (t) => {
  const [good] = before;
  const texts = [
    '',
    '{',
    '{}',
    'null',
    '[1,null,{}]',
    JSON.stringify([{ ...good, bridge: '../x' }]),
    JSON.stringify([{ ...good, routeMetric: '50' }]),
  ];
  for (const text of texts) t.strictSame(parseAddedBridges(text), [], text);
  t.strictSame(parseAddedBridges(JSON.stringify([good, 7])), before);
  const twice = [good, { ...good, bridge: 'other' }, { ...good, interface: 'eth9' }];
  t.strictSame(parseAddedBridges(JSON.stringify(twice)), before, 'of two entries for a bridge, the first one is used');
  t.end();
});
