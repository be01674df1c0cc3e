// Transactions with the rows of services: errors that name the rows that the database refuses, and requests to the
// chassis.
import t from 'tap';
import { fromOvn } from '../../../../../agent/drivers/ovn/ovn-errors.ts';
import { OvsdbError } from '../../../../../agent/drivers/ovsdb/index.ts';
import { foundIn } from '../../../../../agent/overlay/rows/desired-rows.ts';
import { bring } from '../../../../../agent/run/overlay/watcher/write-rows.ts';
import { applied, emptyNorthbound, modern, nodeOf } from '../../../overlay/cluster.ts';
import { type ApiObject, applyAll, factsFor, serviceObject, sliceObject } from '../../../workload/services/facts.ts';

/** Writes a service to a database that refuses the transaction with this message. */
function brought(message: string) {
  const database = emptyNorthbound();
  const nodes = [nodeOf(1)];
  applied(database, { layout: modern, nodes });
  const { existing, shape } = foundIn(database.rows());
  const northbound = {
    existing,
    shape,
    isOwner: true,
    revision: 0,
    onChange: () => undefined,
    onOwner: () => undefined,
    transact: (what: string) => Promise.reject(fromOvn(what, 'unix:nb', new OvsdbError('operation', message))),
    close: () => Promise.resolve(),
  };
  const facts = factsFor([serviceObject('web')], nodes, modern);
  return bring(northbound, facts, new Set(['service:default/web']), true);
}

t.test('a row that the database refuses', async (t) => {
  const outcome = await brought('operation 3 (insert Load_Balancer) failed: constraint violation');
  t.match(outcome, { end: 'refused', error: { kind: 'ovsdb-refused', hint: /run it again/ } });
});

t.test('a full disk is an error of the whole transaction, not of a row', async (t) => {
  const error = { kind: 'ovsdb-refused', message: /change \d rows.*write failed/, hint: /df \/var\/lib\/ovn/ };
  await t.rejects(brought('commit failed: I/O error: /var/lib/ovn/ovnnb_db.db: write failed'), error);
});

t.test('a plan is made again if rows change meanwhile; the last attempt has no pauses', async (t) => {
  const { existing, shape } = foundIn(emptyNorthbound().rows());
  const services = Array.from({ length: 500 }, (_, index) => serviceObject(`s${index}`));
  const facts = factsFor(services, [nodeOf(1)], modern);
  const units = new Set([...facts.workload.services.keys()].map((key) => `service:${key}`));
  let [revision, transactions] = [0, 0];
  const northbound = {
    existing,
    shape,
    isOwner: true,
    // Another program changes the row each time the writer reads the revision.
    get revision() {
      revision += 1;
      return revision;
    },
    onChange: () => undefined,
    onOwner: () => undefined,
    transact: () => {
      transactions += 1;
      return Promise.resolve('written' as const);
    },
    close: () => Promise.resolve(),
  };
  t.strictSame(await bring(northbound, facts, units, true), { end: 'written', rows: 500 });
  t.equal(transactions, 1);
  const several = await bring(northbound, facts, new Set([...units, 'service:default/none']), false);
  t.match(several, { end: 'written' }, '500 rows of several objects are one transaction');
});

t.test('a change of a UDP service requests an answer of every chassis, and no other change does', async (t) => {
  const nodes = [nodeOf(1)];
  const objects = (...servers: readonly string[]): readonly ApiObject[] =>
    (['UDP', 'TCP'] as const).flatMap((protocol) => {
      const name = protocol.toLowerCase();
      const ports = [{ name: '', port: 8053, protocol }];
      const endpoints = servers.map((address) => [address, 'n1'] as const);
      return [serviceObject(name, { ports: [{ port: 53, protocol }] }), sliceObject(name, endpoints, { ports })];
    });
  const database = emptyNorthbound();
  applied(database, { layout: modern, nodes });
  applyAll(factsFor(objects('10.42.1.9'), nodes, modern), database);
  const { existing, shape } = foundIn(database.rows());
  /** Returns the tables that the transaction for a service changes. */
  const changed = async (of: readonly ApiObject[], name: string): Promise<readonly string[]> => {
    const tables = new Set<string>();
    const northbound = {
      ...{ existing, shape, isOwner: true, revision: 0 },
      ...{ onChange: () => undefined, onOwner: () => undefined, close: () => Promise.resolve() },
      transact: (_: string, operations: readonly { readonly op: string; readonly table?: string }[]) => {
        for (const { op, table = '' } of operations) if (op !== 'wait') tables.add(table);
        return Promise.resolve('written' as const);
      },
    };
    const facts = factsFor(of, nodes, modern);
    t.match(await bring(northbound, facts, new Set([`service:default/${name}`]), true), { end: 'written' });
    return [...tables].filter((table) => ['Load_Balancer', 'NB_Global'].includes(table)).toSorted();
  };
  t.strictSame(
    await changed(objects('10.42.1.10'), 'udp'),
    ['Load_Balancer', 'NB_Global'],
    'another server of a UDP service requests an answer',
  );
  t.strictSame(
    await changed([], 'udp'),
    ['Load_Balancer', 'NB_Global'],
    'the removal of a UDP service requests an answer',
  );
  t.strictSame(await changed(objects('10.42.1.10'), 'tcp'), ['Load_Balancer']);
  const more = [serviceObject('new', { ports: [{ port: 53, protocol: 'UDP' }], clusterIPs: ['10.43.0.81'] })];
  t.strictSame(
    await changed([...objects('10.42.1.9'), ...more], 'new'),
    ['Load_Balancer'],
    'a new service requests no answer, because it has no clients yet',
  );
});
