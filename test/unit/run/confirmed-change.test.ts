// The change that `confirm` keeps, and the result of a late confirmation.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import { wholeMessage } from '../../../agent/failures.ts';
import { keepTriedOn } from '../../../agent/run/confirm.ts';
import { readJournals } from '../../../agent/run/journal/journal-files.ts';
import { failure } from '../failure.ts';
import { written } from './played-recovery.ts';
import { checkpoint, refused } from './played-transaction.ts';

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

t.test('a change that is confirmed in time stays, and is the state of the node', async (t) => {
  const places = written(t, { a: 'committed', b: 'awaiting-confirm' });
  const calls: string[] = [];
  t.equal(await keepTriedOn(managed([checkpoint], calls), late, places), 'b');
  t.strictSame(calls, ['CheckpointAdjustRollbackTimeout', 'CheckpointDestroy']);
  t.match(readJournals(places.journals).records, [{ header: { id: 'b' }, state: 'confirmed' }, { state: 'committed' }]);
  t.match(JSON.parse(readFileSync(join(places.status, 'status.json'), 'utf8')), {
    command: 'confirm',
    transaction: { id: 'b', state: 'confirmed' },
    bridges: [{ bridge: 'br-ex', uplink: 'eth0' }],
  });
  await t.rejects(
    keepTriedOn(managed([]), late, places),
    failure('nothing-to-confirm'),
    'a second confirmation is refused',
  );
});

t.test('a change whose time to confirm has ended cannot be confirmed', async (t) => {
  const places = written(t, { a: 'awaiting-confirm' });
  const calls: string[] = [];
  const why = failure('nothing-to-confirm', {
    message: /^transaction a has been reverted: it was not confirmed in time$/,
  });
  const recover = async (): Promise<void> => {
    calls.push('recover');
  };
  await t.rejects(keepTriedOn(managed(['/checkpoint/of/another'], calls), recover, places), why);
  t.strictSame(calls, ['recover'], 'the recovery rolls the change back, and the checkpoint of another program is kept');
});

t.test(
  'a failure of the rollback of an unconfirmed change is reported after the reason for the rollback',
  async (t) => {
    const places = written(t, { a: 'awaiting-confirm' });
    const error: unknown = await keepTriedOn(managed([]), () => Promise.reject(refused()), places).catch(
      (thrown) => thrown,
    );
    t.match(error, { kind: 'nothing-to-confirm' });
    t.equal(wholeMessage(error), `transaction a was not confirmed in time; then ${refused().message}`);
  },
);

t.test('a change that is already rolled back is reported', async (t) => {
  const places = written(t, { a: 'committed', b: 'reverted' });
  const why = failure('nothing-to-confirm', { message: /^transaction b has been reverted/ });
  await t.rejects(keepTriedOn(managed([checkpoint]), late, places), why);
});

t.test('without a change that waits, there is nothing to confirm', async (t) => {
  const places = written(t, { a: 'committed', b: 'rolled-back', c: 'open' });
  const why = failure('nothing-to-confirm', { message: /^no change waits to be confirmed$/ });
  await t.rejects(keepTriedOn(managed([checkpoint]), late, places), why);
});

t.test('a confirmation that NetworkManager refuses is an error, and the change still waits', async (t) => {
  const places = written(t, { a: 'awaiting-confirm' });
  await t.rejects(keepTriedOn(managed([checkpoint], [], true), late, places), failure('networkmanager-refused'));
  t.match(readJournals(places.journals).records, [{ state: 'awaiting-confirm' }]);
});

t.test('a confirmation that cannot be written down is an error, and the change still waits', async (t) => {
  const places = written(t, { a: 'awaiting-confirm' });
  const calls: string[] = [];
  const journal = join(places.journals, 'a.open');
  const { nm } = managed([checkpoint], calls);
  const gone: NetworkManager = {
    ...nm,
    request: async (what, call) => {
      rmSync(journal);
      return nm.request(what, call);
    },
  };
  await t.rejects(keepTriedOn({ nm: gone }, late, places), failure('state-unwritable'));
  t.strictSame(calls, ['CheckpointAdjustRollbackTimeout'], 'the checkpoint is kept');
});
