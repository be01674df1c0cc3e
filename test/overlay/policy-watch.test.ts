// Policies of a real API server, which the daemon of the central node writes into a real OVN_Northbound.
import t, { type Test } from 'tap';
import { openMirror, openSession } from '../../agent/drivers/ovsdb/index.ts';
import type { DatabaseRow } from '../../agent/model/rows.ts';
import { listOf, mapOf } from '../../agent/overlay/rows/row-index.ts';
import { decodedRow } from '../../agent/overlay/rows/wire.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { apiServerFor } from '../cluster/session.ts';
import { recordedShape } from '../unit/overlay/cluster.ts';
import { giveApi, makePod, prepareNamespace, removePod } from './cluster-api.ts';
import { startDaemon } from './daemon.ts';
import { writesDuring } from './database-writes.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';

/** Time limit of each connection and wait, far beyond the need of a busy machine. */
const limitMs = 60_000;
const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
const merge = 'application/merge-patch+json';

async function openRows(t: Test, host: Host) {
  const remotes = `unix:${host.path('/run/ovn/ovnnb_db.sock')}`;
  const session = openSession({ remotes, database: 'OVN_Northbound', limitMs });
  t.teardown(() => session.close());
  const tables = { Logical_Switch_Port: { indexes: ['name'] }, Port_Group: {}, Address_Set: {}, ACL: {} };
  const mirror = await openMirror(session, tables, limitMs);
  const shape = recordedShape('OVN_Northbound 23.03');
  const all = (table: keyof typeof tables): readonly DatabaseRow[] =>
    [...mirror.table(table).rows()].map((row) => decodedRow(row as never, shape[table] ?? {}));
  const whoseName = (table: keyof typeof tables, isIt: (name: string) => boolean): DatabaseRow | null =>
    all(table).find((row) => isIt(mapOf(row, 'external_ids')['k8s.ovn.org/name'] ?? '')) ?? null;
  const ports = () => all('Logical_Switch_Port').filter(({ name }) => /^default_/.test(String(name)));
  return {
    ports,
    /** Returns the pods in the group of a policy; null if it has no group. */
    groupOf: (policy: string): readonly string[] | null => {
      const group = whoseName('Port_Group', (name) => name === `default:${policy}`);
      const members = listOf(group, 'ports');
      return group && ports().flatMap(({ _uuid, name }) => (members.includes(_uuid) ? [String(name)] : []));
    },
    sizeOf: (table: keyof typeof tables): number => mirror.table(table).size,
    /** Returns the addresses in the set of a selection whose name contains this word. */
    selected: (word: string) =>
      listOf(
        whoseName('Address_Set', (name) => name.includes(`"${word}"`)),
        'addresses',
      ),
    onChange: mirror.onChange,
    until: (isSo: () => boolean): Promise<unknown> => mirror.until(() => isSo(), limitMs),
  };
}

async function onTwoNodes(t: Test, server: ApiServer): Promise<void> {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  form(t, [n1, n2]);
  await giveApi(t, n1, server);
  let daemon = await startDaemon(n1);
  const rows = await openRows(t, n1);
  const listsOfNodes = rows.sizeOf('ACL');
  const put = (name: string, spec: object) => server.call('POST', policies, { metadata: { name }, spec });

  await t.test('of many new pods, none is without the policy for a moment', async (t) => {
    t.match(await put('deny-all', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }), { status: 201 });
    await rows.until(() => rows.groupOf('deny-all') !== null);
    const open = new Set<string>();
    rows.onChange(() => {
      const closed = rows.groupOf('deny-all') ?? [];
      for (const { name } of rows.ports()) if (!closed.includes(String(name))) open.add(String(name));
    });
    const names = Array.from({ length: 40 }, (_, place) => `p${place}`);
    await Promise.all(names.map((name) => makePod(server, 'n2', name)));
    await rows.until(() => rows.ports().length === names.length);
    for (const name of ['p1', 'p2']) {
      await removePod(server, name);
      await makePod(server, 'n1', name);
    }
    await rows.until(() => rows.ports().length === names.length && rows.groupOf('deny-all')?.length === names.length);
    t.strictSame([...open], [], 'every port was in the group from its own transaction on');
  });

  await t.test('changed labels change the selected pods', async (t) => {
    const from = [{ podSelector: { matchLabels: { role: 'asks' } } }];
    await put('from-who-asks', { podSelector: { matchLabels: { role: 'answers' } }, ingress: [{ from }] });
    await rows.until(() => rows.groupOf('from-who-asks') !== null);
    t.strictSame([rows.groupOf('from-who-asks'), rows.selected('asks')], [[], []]);
    const label = (pod: string, role: string | null) =>
      server.call('PATCH', `/api/v1/namespaces/default/pods/${pod}`, { metadata: { labels: { role } } }, merge);
    await label('p3', 'answers');
    await label('p4', 'asks');
    await rows.until(() => rows.groupOf('from-who-asks')?.length === 1 && rows.selected('asks').length === 1);
    t.strictSame(rows.groupOf('from-who-asks'), ['default_p3']);
    await label('p4', null);
    await rows.until(() => rows.selected('asks').length === 0);
  });

  await t.test('a restart writes nothing, and deleted policies leave no rows', async (t) => {
    const written = await writesDuring(n1, ['OVN_Northbound'], async () => {
      t.equal(await daemon.stop(), 0);
      daemon = await startDaemon(n1);
      await makePod(server, 'n1', 'after');
      await rows.until(() => rows.groupOf('deny-all')?.includes('default_after') === true);
    });
    t.strictSame(written, ['OVN_Northbound'], 'only the new pod is written, together with its group');
    for (const name of ['deny-all', 'from-who-asks']) await server.call('DELETE', `${policies}/${name}`);
    await rows.until(() => rows.sizeOf('Port_Group') === 0);
    await rows.until(() => rows.selected('asks').length === 0 && rows.sizeOf('ACL') === listsOfNodes);
    t.pass('only the ACLs of the nodes themselves are left');
    t.match(n1.agent('overlay', 'verify'), { status: 0 });
  });
  t.equal(await daemon.stop(), 0);
}

t.test('policies of a real API server', { skip: missingForHosts() ?? false }, async (t) => {
  const server = await apiServerFor(t);
  if (server === null) return;
  await prepareNamespace(server);
  await onTwoNodes(t, server);
});
