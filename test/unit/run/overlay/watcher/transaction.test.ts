// What a transaction that the database does not take says of its rows.
import t from 'tap';
import { fromOvn } from '../../../../../agent/drivers/ovn/errors.ts';
import { OvsdbError } from '../../../../../agent/drivers/ovsdb/index.ts';
import { foundIn } from '../../../../../agent/overlay/draft.ts';
import { bring } from '../../../../../agent/run/overlay/watcher/transaction.ts';
import { applied, emptyNorthbound, modern, nodeOf } from '../../../overlay/cluster.ts';
import { factsFor, serviceObject } from '../../../workload/services/facts.ts';

/** A service is brought to a database that fails so. */
function brought(message: string) {
  const database = emptyNorthbound();
  const nodes = [nodeOf(1)];
  applied(database, { layout: modern, nodes });
  const { existing, shape } = foundIn(database.rows());
  const northbound = {
    existing,
    shape,
    isOwner: true,
    onChange: () => undefined,
    onOwner: () => undefined,
    transact: (what: string) => Promise.reject(fromOvn(what, 'unix:nb', new OvsdbError('operation', message))),
    close: () => Promise.resolve(),
  };
  const facts = factsFor([serviceObject('web')], nodes, modern);
  return bring(northbound, facts, new Set(['service:default/web']), true);
}

t.test('a row that the database does not take', async (t) => {
  const outcome = await brought('operation 3 (insert Load_Balancer) failed: constraint violation');
  t.match(outcome, { end: 'refused', error: { kind: 'ovsdb-refused', hint: /run it again/ } });
});

t.test(
  'a full disk says nothing of the rows: they are all written when there is space, none before the others',
  async (t) => {
    const error = { kind: 'ovsdb-refused', message: /change \d rows.*write failed/, hint: /df \/var\/lib\/ovn/ };
    await t.rejects(brought('commit failed: I/O error: /var/lib/ovn/ovnnb_db.db: write failed'), error);
  },
);
