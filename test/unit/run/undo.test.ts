// Which change is kept by `confirm`, and which one `undo` goes back to before. NetworkManager is played, the journals are files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/client.ts';
import type { TransactionState } from '../../../agent/model/journal.ts';
import { openJournal, readJournals } from '../../../agent/run/journal.ts';
import type { RecordPlaces } from '../../../agent/run/run-record.ts';
import { keepTriedOn, undoable } from '../../../agent/run/undo.ts';
import { failure } from '../failure.ts';
import { journalOf } from './played-recovery.ts';
import { checkpoint, now, refused } from './played-transaction.ts';

/** Journals with these ends, oldest first. */
function written(t: Test, states: Readonly<Record<string, TransactionState>>): RecordPlaces {
  const root = t.testdir({});
  const places = { journals: join(root, 'tx'), status: join(root, 'run') };
  for (const [id, state] of Object.entries(states)) {
    const journal = openJournal(places.journals, journalOf(id));
    journal.append({ event: 'checkpoint', path: checkpoint });
    if (state !== 'open') journal.setState(state, now, null);
    journal.close();
  }
  return places;
}

function managed(standing: readonly string[], calls: string[] = [], fails = false): { readonly nm: NetworkManager } {
  const nm: Partial<NetworkManager> = {
    property: async () => standing,
    request: async (_what, { member }) => {
      calls.push(member);
      if (fails) throw refused();
      return [];
    },
  };
  return { nm: nm as NetworkManager };
}

const late = async (): Promise<void> => {
  throw new Error('nothing was late');
};

t.test('a change that is confirmed in time stays, and is what the node is', async (t) => {
  const places = written(t, { a: 'committed', b: 'awaiting-confirm' });
  const calls: string[] = [];
  t.equal(await keepTriedOn(managed([checkpoint], calls), late, places), 'b');
  t.strictSame(calls, ['CheckpointDestroy']);
  t.match(readJournals(places.journals).records, [{ header: { id: 'b' }, state: 'confirmed' }, { state: 'committed' }]);
  t.match(JSON.parse(readFileSync(join(places.status, 'status.json'), 'utf8')), {
    command: 'confirm',
    transaction: { id: 'b', state: 'confirmed' },
    bridges: [{ bridge: 'br-ex', uplink: 'eth0' }],
  });
  await t.rejects(keepTriedOn(managed([]), late, places), failure('nothing-to-confirm'), 'only once');
});

t.test('a change whose time is over cannot be confirmed any more', async (t) => {
  const places = written(t, { a: 'awaiting-confirm' });
  const calls: string[] = [];
  const why = failure('nothing-to-confirm', { message: /^transaction a was not confirmed in time/ });
  const recover = async (): Promise<void> => {
    calls.push('recover');
  };
  await t.rejects(keepTriedOn(managed(['/checkpoint/of/another'], calls), recover, places), why);
  t.strictSame(
    calls,
    ['recover'],
    'what NetworkManager has not taken back is, and the checkpoint of somebody else stays',
  );
});

t.test('where no change was tried there is nothing to confirm', async (t) => {
  const places = written(t, { a: 'committed', b: 'rolled-back', c: 'open' });
  const why = failure('nothing-to-confirm', { message: /^no change waits to be confirmed$/ });
  await t.rejects(keepTriedOn(managed([checkpoint]), late, places), why);
});

t.test('a confirmation that NetworkManager refuses leaves the change to its time', async (t) => {
  const places = written(t, { a: 'awaiting-confirm' });
  await t.rejects(keepTriedOn(managed([checkpoint], [], true), late, places), failure('networkmanager-refused'));
  t.match(readJournals(places.journals).records, [{ state: 'awaiting-confirm' }]);
});

t.test('undo goes back to before the last run that changed something, or the one that is named', (t) => {
  const { journals } = written(t, {
    a1: 'confirmed',
    a2: 'committed',
    b: 'rolled-back',
    c: 'reverted',
    d: 'not-restored',
  });
  const id = (named?: string): string => undoable(named, journals).header.id;
  t.equal(id(), 'a2');
  t.equal(id('a1'), 'a1');
  const changedNothing = failure('transaction-not-found', { message: /changed nothing that could be undone: it is/ });
  for (const named of ['b', 'c', 'd']) t.throws(() => id(named), changedNothing, named);
  t.throws(() => id('a'), failure('transaction-not-found', { message: /several/ }));
  t.throws(() => id('x'), failure('transaction-not-found', { message: /there is no transaction "x"/ }));
  const none = written(t, { b: 'rolled-back' }).journals;
  t.throws(() => undoable(undefined, none), failure('transaction-not-found', { message: /no transaction to undo/ }));
  t.equal(undoable(undefined, written(t, { a: 'committed', b: 'awaiting-confirm' }).journals).header.id, 'b');
  t.end();
});
