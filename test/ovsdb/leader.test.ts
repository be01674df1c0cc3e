// A raft cluster of three servers: the client finds the leader, and notices its loss. The cluster may elect another
// leader at any time when the machine is busy; no assertion depends on which server leads, or for how long.
import t from 'tap';
import { connect, deleteRows, insert, type OvsdbClient, OvsdbError, wait } from '../../agent/drivers/ovsdb/index.ts';
import { startCluster } from './raft-cluster.ts';
import { missingParts, startServer, vswitchSchema } from './real-server.ts';

const leaderOf = 'Open_vSwitch';
/** Limit for elections, which take seconds. */
const electionMs = 120_000;
/** Kinds of error if no leader is found within a short limit: a slow machine has not even connected by then. */
const noLeader = /^(no-leader|unreachable)$/;

t.test('a client of the leader of a cluster', { skip: missingParts() }, async (t) => {
  const cluster = await startCluster(t, vswitchSchema, leaderOf);
  const leader = (...more: string[]): Promise<OvsdbClient> =>
    connect([...cluster.remotes, ...more], electionMs, { leaderOf });

  /** Runs a call at the leader, and again at the next leader if the leader is lost in between. */
  async function withLeader<T>(act: (client: OvsdbClient) => Promise<T>): Promise<T> {
    const client = await leader();
    try {
      return await act(client);
    } catch (error) {
      if (error instanceof OvsdbError && error.kind === 'lost') return withLeader(act);
      throw error;
    } finally {
      client.close();
    }
  }

  await t.test('a client connects to a follower only if it does not ask for the leader', async (t) => {
    const first = await leader();
    const followers = cluster.remotes.filter((remote) => remote !== first.remote);
    const outcome = await connect(followers, 1_000, { leaderOf }).catch((error: unknown) => error);
    if (outcome instanceof OvsdbError) t.match(outcome.kind, noLeader);
    else t.match(await first.ended, { kind: 'lost' }, 'the leader has lost an election meanwhile');
    const any = await connect(followers, electionMs);
    t.ok(followers.includes(any.remote));
    any.close();
    first.close();
  });

  await t.test('a client connects only to the cluster with the given id', async (t) => {
    const named = await leader(`cid:${cluster.clusterId}`);
    t.ok(cluster.remotes.includes(named.remote));
    named.close();
    const other = 'cid:550e8400-e29b-41d4-a716-446655440000';
    await t.rejects(connect([...cluster.remotes, other], 1_000, { leaderOf }), { name: 'OvsdbError', kind: noLeader });
  });

  await t.test('after the leader is killed, the next leader is found and has the data', async (t) => {
    const row = { ovs_version: 'kept' };
    await withLeader((client) => client.transact(leaderOf, [deleteRows(leaderOf, []), insert(leaderOf, row, 'root')]));
    const first = await leader();
    await cluster.kill(first.remote);
    t.match(await first.ended, { kind: 'lost' });
    const second = await leader();
    t.not(second.remote, first.remote);
    // A new leader can show old contents until it has learned which entries of its log are committed.
    const there = { table: leaderOf, where: [], columns: ['ovs_version'], until: '==', rows: [row] } as const;
    await t.resolves(withLeader((client) => client.transact(leaderOf, [wait({ ...there, timeout: electionMs })])));

    const third = cluster.remotes.find((remote) => remote !== first.remote && remote !== second.remote) ?? '';
    await cluster.kill(third);
    t.match(await second.ended, { kind: 'lost' }, 'a server alone has no majority, and loses its client');
    cluster.start(third);
    const again = await leader();
    t.not(again.remote, first.remote);
    again.close();
  });
});

t.test('a standalone database leads itself', { skip: missingParts() }, async (t) => {
  const server = await startServer(t);
  const client = await connect(server.path, electionMs, { leaderOf });
  client.close();
  await t.rejects(connect(server.path, 1_000, { leaderOf: 'Nowhere' }), { name: 'OvsdbError', kind: noLeader });
});
