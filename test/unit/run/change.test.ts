// Run of a plan on a simulated node: the checks and records before its transaction begins, and the rollback.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startDeadline } from '../../../agent/deadline.ts';
import type { NetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import { type AgentError, asAgentError } from '../../../agent/errors.ts';
import type { JournalRecord } from '../../../agent/model/journal.ts';
import { changeNode } from '../../../agent/run/change.ts';
import { readJournals } from '../../../agent/run/journal/journal-files.ts';
import type { Node } from '../../../agent/run/node.ts';
import type { ReconcileOptions } from '../../../agent/run/options.ts';
import { checkpoint, headerOf, refused, untouched } from './played-transaction.ts';

interface Changed {
  readonly calls: readonly string[];
  readonly said: readonly string[];
  /** Ids of the transactions that the record of the run contains. */
  readonly began: readonly string[];
  readonly journals: readonly JournalRecord[];
  readonly error: AgentError | null;
}

interface Played {
  /** Checkpoints of other programs at the time of the observation. */
  readonly others?: readonly string[];
  /** Name of the call that is refused. */
  readonly refuse?: string;
  readonly confirmTimeoutSeconds?: number;
}

/** Runs a plan with two steps; no NIC is chosen, so the run records no NIC. */
async function change(t: Test, { others = [], refuse, confirmTimeoutSeconds }: Played): Promise<Changed> {
  const places = { journals: join(t.testdir({}), 'tx'), status: '' };
  const calls: string[] = [];
  const said: string[] = [];
  const began: string[] = [];
  const call = async (what: string): Promise<void> => {
    calls.push(what);
    if (what === refuse) throw refused();
  };
  const properties: Readonly<Record<string, unknown>> = {
    Checkpoints: [checkpoint],
    ActiveConnections: [],
    Devices: ['/device/1'],
    Interface: 'eth0',
    RollbackTimeout: 60,
  };
  const nm: Partial<NetworkManager> = {
    property: async (_path, _interface, name) => properties[name],
    profilePaths: async () => [],
    request: async (_what, { member }) => {
      await call(member);
      return [checkpoint];
    },
    findProfile: async () => null,
    addProfile: async (settings) => {
      await call(`step ${settings.connection?.id?.[1]}`);
      return '/profile';
    },
    onSignal: () => () => undefined,
    onVanished: () => () => undefined,
  };
  const node = {
    bus: { call: async () => [] },
    nm,
    ovs: { probeVswitchd: () => call('probe'), facts: async () => untouched.ovs },
    observe: async () => untouched,
    recoverAfter: (seconds: number) => call(`recover after ${seconds} s`),
    cancelRecovery: () => call('cancel the recovery'),
    survive: async (id: string) =>
      call(`survive ${existsSync(join(places.journals, `${id}.open`)) ? 'late' : 'first'}`),
  } as unknown as Node;
  const options: ReconcileOptions = {
    command: 'apply',
    confirmTimeoutSeconds: confirmTimeoutSeconds ?? null,
    say: (text) => said.push(text),
    announce: () => undefined,
    progress: () => undefined,
    onPlan: () => undefined,
    tuned: () => undefined,
  };
  const record = {
    planned: () => undefined,
    began: (id: string) => began.push(id),
    ended: () => undefined,
    failed: () => undefined,
  };
  const observation = { ...untouched, networkManager: { ...untouched.networkManager, checkpoints: others } };
  const deadline = startDeadline(60_000);
  const error = await changeNode(node, headerOf({}).plan, observation, options, deadline, record, places).then(
    () => null,
    asAgentError,
  );
  deadline.clear();
  return { calls, said, began, journals: readJournals(places.journals).records, error };
}

t.test('a unit that rolls the change back after a crash is started before the change begins', async (t) => {
  const { calls, said, began, journals, error } = await change(t, {});
  t.strictSame([error, said], [null, []]);
  t.strictSame(calls, ['survive first', 'probe', 'CheckpointCreate', 'step a', 'step b', 'CheckpointDestroy']);
  t.equal(began.length, 1);
  const header = { id: began[0], command: 'apply', bootId: untouched.host.bootId, previous: { bridges: [] } };
  t.match(journals, [{ state: 'committed', header }]);
});

t.test('a change with a time to confirm waits for its confirmation', async (t) => {
  const { calls, journals } = await change(t, { confirmTimeoutSeconds: 60 });
  t.strictSame(
    calls.slice(-2),
    ['CheckpointAdjustRollbackTimeout', 'recover after 60 s'],
    'the recovery is scheduled for the end of the time to confirm, before the rollback by NetworkManager',
  );
  t.ok(
    calls.indexOf('cancel the recovery') < calls.indexOf('CheckpointCreate'),
    'the end of the time of an earlier change does not count',
  );
  t.match(journals, [{ state: 'awaiting-confirm', checkpoint }]);
});

t.test('a change that fails is rolled back with its own checkpoint', async (t) => {
  const { calls, journals, error, began } = await change(t, { refuse: 'step b' });
  t.match(error, { kind: 'networkmanager-refused', facts: { transaction: began[0], ended: 'rolled-back' } });
  t.strictSame(calls.slice(calls.indexOf('step b') + 1), [
    'probe',
    'CheckpointAdjustRollbackTimeout',
    'CheckpointDestroy',
  ]);
  t.match(journals, [{ state: 'rolled-back', checkpoint }]);
});

t.test('no change is begun while another program has a checkpoint', async (t) => {
  const { calls, began, journals, error } = await change(t, { others: ['/checkpoint/7'] });
  t.match(error, { kind: 'busy', facts: { devices: ['eth0'], rollbackSeconds: 60 } });
  t.notMatch(String(error?.message), '/checkpoint/7', 'the message has no D-Bus path');
  t.strictSame([calls, began, journals], [[], [], []]);
});

t.test('a run does not start if no unit would roll it back after a crash', async (t) => {
  const { calls, journals, error } = await change(t, { refuse: 'survive first' });
  t.match(error, { kind: 'networkmanager-refused' });
  t.strictSame([calls, journals], [['survive first'], []]);
});
