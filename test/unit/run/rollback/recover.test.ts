// Recovery of a transaction that an earlier run left open. The node is simulated, the journals are files.
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { AgentError } from '../../../../agent/errors.ts';
import { confirmReserveSeconds } from '../../../../agent/model/limits.ts';
import { openJournal } from '../../../../agent/run/journal/journal-files.ts';
import { usableOpenJournals } from '../../../../agent/run/rollback/recover.ts';
import { failure } from '../../failure.ts';
import { asWanted, atFirstStep, atOnce, type Death, journalOf, type Recovered, recover } from '../played-recovery.ts';

const id = '20260102T030405Z-0001';
const at = '2026-01-02T03:04:06.000Z';
const otherBoot = 'a boot before this one';
const deleted = ['deleteProfile', 'deleteProfile', 'deleteProfile'];
const tried: NonNullable<Death['wrote']> = (journal) =>
  journal.setState('awaiting-confirm', at, null, { confirmUntil: at });
const refuse = async (): Promise<never> => {
  throw new AgentError('networkmanager-refused', 'it cannot be');
};

t.test('without an open transaction, the node is not queried', async (t) => {
  const { error, announced, said } = await recover(t, { deaths: [], unasked: true });
  t.strictSame([error, announced, said], [null, [], []]);
});

t.test('a crashed run whose checkpoint still exists is rolled back in place', async (t) => {
  const ran = await recover(t, { deaths: [{}], observation: atFirstStep });
  t.strictSame(ran.calls, [...deleted, 'CheckpointDestroy']);
  ended(ran, 'rolled-back', 'the agent crashed; the next run rolled back');
  reported(ran, 'was interrupted by a crash and has been rolled back');
  t.match(ran.said[0], /^transaction \S+ was interrupted by a crash; rolling back$/);
});

t.test(
  'a run that crashed before the end of its proof is rolled back even if the node is in the desired state',
  async (t) => {
    const plan = { wanted: { bridges: [] } };
    const ran = await recover(t, { deaths: [{ plan }] });
    t.strictSame(ran.calls, ['CheckpointDestroy']);
    ended(ran, 'rolled-back', 'the agent crashed; the next run rolled back');
    ended(
      await recover(t, { deaths: [{ plan }], standing: [[]] }),
      'committed',
      'the agent crashed after its work was done',
    );
  },
);

t.test('a run that crashed after its commit is kept if the node is in the desired state', async (t) => {
  const ran = await recover(t, { deaths: [{}], observation: asWanted, standing: [[]] });
  t.strictSame(ran.calls, [], 'the recovery calls nothing');
  ended(ran, 'committed', 'the agent crashed after its work was done');
  reported(ran, 'crashed after its work was done; the node is in the desired state');
  t.match(ran.status?.bridges, [{ bridge: 'br-ex', uplink: 'eth0' }], 'the state for monitoring contains the bridge');
  t.equal(ran.uplinks, 'eth0\n', 'the units that monitor the NIC read its name');
});

t.test('a run whose checkpoint has expired is rolled back by steps that remove what remains of it', async (t) => {
  const ran = await recover(t, { deaths: [{}], observation: atFirstStep, standing: [[]] });
  t.strictSame(ran.calls, deleted);
  ended(ran, 'rolled-back', 'the agent crashed; the next run rolled back');
  reported(ran, 'was interrupted by a crash and has been rolled back');
});

t.test('the checkpoint of another program is neither rolled back nor ended', async (t) => {
  const ran = await recover(t, { deaths: [{}], observation: atFirstStep, standing: [['/checkpoint/2']] });
  t.strictSame(ran.calls, deleted);
  ended(ran, 'rolled-back', 'the agent crashed; the next run rolled back');
});

t.test('the recovery waits for the end of a checkpoint that the crashed run created but did not record', async (t) => {
  const ran = await recover(t, { deaths: [{ checkpoint: null }], standing: [['/checkpoint/9'], []] });
  t.match(ran.said[0], /^waiting up to 12 s for NetworkManager to end the checkpoint that it left$/);
  t.strictSame(ran.calls, []);
  ended(ran, 'rolled-back', 'the agent crashed; the next run rolled back');
});

t.test('a run of an earlier boot ended with that boot, and the node is not queried', async (t) => {
  const ran = await recover(t, { deaths: [{ bootId: otherBoot }], unasked: true });
  ended(ran, 'interrupted', 'the machine went down in the middle');
  reported(ran, "was cut short by a reboot; the node started from the admin's own profiles");
});

t.test('a change that can still be confirmed is refused as busy', async (t) => {
  const ran = await recover(t, { deaths: [{ wrote: tried }], secondsLeft: confirmReserveSeconds + 2 });
  t.match(ran.error, failure('busy', { facts: { transaction: id } }));
  t.match(ran.journals, [{ state: 'awaiting-confirm' }]);
  t.strictSame(ran.announced, []);
  t.match(ran.calls, [/^recover after [23] s$/], 'the recovery is scheduled, because the run may not have done so');
});

t.test('a change is rolled back in place after its time to confirm, before NetworkManager rolls back', async (t) => {
  const secondsLeft = confirmReserveSeconds - 2;
  const ran = await recover(t, { deaths: [{ wrote: tried }], secondsLeft, observation: atFirstStep });
  t.strictSame(ran.calls, [...deleted, 'CheckpointDestroy']);
  ended(ran, 'reverted', 'it was not confirmed in time');
  reported(ran, 'was not confirmed and has been reverted');
});

t.test('a change whose checkpoint no longer exists was not confirmed in time', async (t) => {
  for (const observation of [atOnce, atFirstStep]) {
    const ran = await recover(t, { deaths: [{ wrote: tried }], standing: [[]], observation });
    t.strictSame(ran.calls, observation === atOnce ? [] : deleted, 'the remains of the unconfirmed change are deleted');
    ended(ran, 'reverted', 'it was not confirmed in time');
    reported(ran, 'was not confirmed and has been reverted');
  }
});

t.test('a change of an earlier boot that waited for its confirmation was not confirmed', async (t) => {
  const ran = await recover(t, { deaths: [{ bootId: otherBoot, wrote: tried }], unasked: true });
  ended(ran, 'reverted', 'the machine was rebooted before it was confirmed');
  reported(ran, 'was not confirmed and has been reverted');
});

t.test('a rollback that fails is reported with its cause, and the journal has both failures', async (t) => {
  const later = 'the old state could not be fully restored: it cannot be';
  for (const wrote of [() => undefined, tried]) {
    const standing = wrote === tried ? [[]] : [['/checkpoint/1']];
    const nm = { deleteProfile: refuse };
    const ran = await recover(t, { deaths: [{ wrote }], observation: atFirstStep, standing, nm });
    const why = wrote === tried ? 'it was not confirmed in time' : 'the agent crashed during the run';
    ended(ran, 'not-restored', why);
    t.match(ran.journals, [{ later }]);
    const text = `${why}; then ${later}`;
    t.strictSame(ran.announced, [{ kind: 'not-restored', text, transaction: id, error: 'not-restored' }]);
    t.equal(ran.status?.rollbacks, 1);
  }
});

t.test('if the node cannot be queried, the journal stays open for the next run', async (t) => {
  const ran = await recover(t, { deaths: [{}], nm: { property: refuse } });
  t.match(ran.error, failure('networkmanager-refused'));
  t.match(ran.journals, [{ state: 'open' }]);
  t.equal(ran.status, null);
});

t.test('a stopped recovery ends the crashed run that it has begun with, and then stops', async (t) => {
  const reason = new AgentError('interrupted', 'stopped by SIGTERM');
  const deaths = [{ id }, { id: '20260102T030406Z-0002' }];
  const ran = await recover(t, { deaths, deadline: (deadline) => deadline.interrupt(reason) });
  t.equal(ran.error, reason);
  t.strictSame(
    ran.journals.map(({ state }) => state),
    ['rolled-back', 'open'],
  );
});

t.test('every run that was left open is ended', async (t) => {
  const deaths = [
    { id: '20260102T030405Z-0001', bootId: otherBoot },
    { id: '20260102T030406Z-0002', bootId: otherBoot, wrote: tried },
    { id: '20260102T030407Z-0003' },
  ];
  const ran = await recover(t, { deaths });
  t.strictSame(
    ran.journals.map(({ state }) => state),
    ['rolled-back', 'reverted', 'interrupted'],
  );
  t.strictSame(
    ran.announced.map(({ transaction }) => transaction),
    deaths.map((death) => death.id).toReversed(),
  );
});

t.test('an invalid journal is set aside and reported, and the others are processed', async (t) => {
  const prepare = (directory: string): void => writeFileSync(join(directory, 'bad.open'), '{"format":2}\n');
  const ran = await recover(t, { deaths: [{}], prepare });
  t.match(ran.said[0], /^warning: the journal \S+bad\.open is set aside and not obeyed: its format 2 is not one/);
  t.strictSame(readdirSync(ran.directory), [`${id}.json`, 'bad.open.unusable']);
  ended(ran, 'rolled-back', 'the agent crashed; the next run rolled back');
});

t.test('a run that crashed while it closed its journal keeps the end that it wrote', async (t) => {
  const detail = 'as it was written';
  for (const bootId of [undefined, otherBoot])
    for (const state of ['committed', 'rolled-back'] as const) {
      const wrote: NonNullable<Death['wrote']> = (journal) => journal.setState(state, at, detail);
      const prepare = (directory: string): void =>
        renameSync(join(directory, `${id}.json`), join(directory, `${id}.open`));
      const death: Death = bootId === undefined ? { wrote } : { wrote, bootId };
      const ran = await recover(t, { deaths: [death], prepare, unasked: true });
      t.strictSame(
        [ran.error, ran.announced, ran.said, ran.status],
        [null, [], [], null],
        'the recovery reports nothing',
      );
      t.match(ran.journals, [{ state, stateAt: at, detail }]);
      t.strictSame(readdirSync(ran.directory), [`${id}.json`], 'later runs do not read the journal again');
    }
});

t.test('neither an ended nor an invalid journal is open', (t) => {
  const directory = t.testdir({ 'bad.open': '{"format":2}\n' });
  const header = journalOf(id, otherBoot);
  openJournal(directory, header).close();
  openJournal(directory, { ...header, id: 'closed' }).setState('committed', at, null);
  renameSync(join(directory, 'closed.json'), join(directory, 'closed.open'));
  const left = usableOpenJournals(() => undefined, directory);
  t.strictSame(
    left.map((record) => record.header.id),
    [id],
  );
  t.end();
});

/** Checks that the journal and the metrics have this end of the run. */
function ended({ journals, status, error }: Recovered, state: string, detail: string): void {
  t.equal(error, null);
  t.match(journals, [{ header: { id }, state, detail }], state);
  t.match(status, { command: 'recover', outcome: 'changed', transaction: { id, state } }, state);
}

/** Checks that this message about the recovery is printed, and no other. */
function reported({ announced }: Recovered, text: string): void {
  t.strictSame(announced, [{ kind: 'recovered', text: `transaction ${id} ${text}`, transaction: id }]);
}
