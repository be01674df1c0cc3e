// Addresses that are assigned and written to annotations as pods change.
import t from 'tap';
import { AgentError } from '../../../../../agent/errors.ts';
import type { DatabaseRow } from '../../../../../agent/model/rows.ts';
import type { ObjectChange, Pod } from '../../../../../agent/model/workload.ts';
import { foundIn } from '../../../../../agent/overlay/rows/desired-rows.ts';
import { createPodNetworks } from '../../../../../agent/run/overlay/watcher/pod-networks.ts';
import { modern, nodeOf } from '../../../overlay/cluster.ts';
import { asking, podOf } from '../../../workload/pods/paper-pods.ts';

const refusal = new AgentError('cluster-refused', 'the API server refused to annotate it', { hint: 'none' });

type Annotate = Parameters<typeof createPodNetworks>[0]['annotate'];

/** Returns the networks of pods of a cluster in which these logical ports exist all the time. */
function networks(annotate: Annotate = async () => 'written', ports: readonly DatabaseRow[] = []) {
  const reports: (string | null)[] = [];
  const pods = new Map<string, Pod>();
  const { existing } = foundIn({ database: 'OVN_Northbound', shape: {}, tables: { Logical_Switch_Port: ports } });
  const made = createPodNetworks({ annotate, report: () => undefined }, (error) => {
    reports.push(error?.message ?? null);
  });
  const tell = (...changes: readonly ObjectChange[]): void => {
    for (const { kind, before, now } of changes) {
      if (kind !== 'Pod') continue;
      if (now !== undefined) pods.set(`default/${now.name}`, now);
      else pods.delete(`default/${before?.name}`);
    }
    made.settle(changes, { layout: modern, nodes: [nodeOf(1)], pods, existing, exposure: { fixedRanges: [] } });
  };
  return { tell, reports, all: () => Object.fromEntries(made.addresses), close: made.close };
}

t.test('a pod that was created or changed, and deleted in the same batch, has no address', async (t) => {
  const { tell, all } = networks();
  const [a, labelled] = [podOf('a'), podOf('a', { labels: { app: 'web' } })];
  tell({ kind: 'Pod', now: a }, { kind: 'Pod', before: a });
  t.strictSame(all(), {}, 'a pod that was created and deleted has no address');
  tell({ kind: 'Pod', now: a });
  tell({ kind: 'Pod', before: a, now: labelled }, { kind: 'Pod', before: labelled });
  t.strictSame(all(), {}, 'a pod that was changed and deleted has no address');
  const again = podOf('a', { uid: 'another' });
  tell({ kind: 'Pod', now: a });
  tell({ kind: 'Pod', before: a }, { kind: 'Pod', now: again });
  t.strictSame(Object.keys(all()), ['default/a'], 'another pod with the name has an address');
});

t.test('a pod does not get the address of an earlier pod with its name, whose row still exists', async (t) => {
  const addresses = ['0a:58:0a:2a:01:07 10.42.1.7'];
  const rowOf = (options: Readonly<Record<string, string>>) => [{ _uuid: 'a', name: 'default_a', addresses, options }];
  const again = podOf('a', { uid: 'another', ...asking('10.42.1.77') });
  const { tell, all } = networks(undefined, rowOf({ 'iface-id-ver': 'uid-of-a' }));
  tell({ kind: 'Pod', now: podOf('a') });
  t.strictSame(all(), { 'default/a': ['10.42.1.7/24'] }, 'the pod that owns the row keeps its address');
  tell({ kind: 'Pod', before: podOf('a') }, { kind: 'Pod', now: again });
  t.strictSame(all(), { 'default/a': ['10.42.1.77/24'] }, 'the next pod gets the requested address');
  const older = networks(undefined, rowOf({}));
  older.tell({ kind: 'Pod', now: again });
  t.strictSame(older.all(), { 'default/a': ['10.42.1.7/24'] }, 'a row without a uid belongs to the pod with the name');
});

t.test('a pod that cannot be annotated is reported until it is deleted', async (t) => {
  const { tell, reports, close } = networks(({ name }) =>
    name === 'a' ? Promise.reject(refusal) : Promise.resolve('written'),
  );
  t.teardown(close);
  const a = podOf('a');
  tell({ kind: 'Pod', now: a });
  await new Promise(setImmediate);
  tell({ kind: 'Pod', now: podOf('b') });
  await new Promise(setImmediate);
  t.strictSame(
    reports,
    [refusal.message, refusal.message],
    'the refusal is remembered although another pod is accepted',
  );
  tell({ kind: 'Pod', before: a });
  t.equal(reports.at(-1), null);
});

t.test('a refused request is repeated, because no event reports a new right', async (t) => {
  let asked = 0;
  const { tell, reports, close } = networks(async () => {
    asked += 1;
    if (asked === 1) throw refusal;
    written();
    return 'written';
  });
  t.teardown(close);
  let written = (): void => undefined;
  const isWritten = new Promise<void>((resolve) => {
    written = resolve;
  });
  tell({ kind: 'Pod', now: podOf('a') });
  await isWritten;
  await new Promise(setImmediate);
  t.strictSame(reports, [refusal.message, null]);
});

t.test('a watcher that has stopped sends no pending addresses', async (t) => {
  const signals: (AbortSignal | undefined)[] = [];
  const { tell, close } = networks((_pod, _annotations, giveUp) => {
    signals.push(giveUp);
    return new Promise(() => undefined);
  });
  tell({ kind: 'Pod', now: podOf('a') });
  const aborted = () => signals.map((signal) => signal?.aborted);
  t.strictSame(aborted(), [false]);
  close();
  t.strictSame(aborted(), [true]);
});
