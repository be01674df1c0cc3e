// Ports of pods in a real ovsdb-server: batches, the rows that are written together with a new port, and a server that
// is restarted.
import t, { type Test } from 'tap';
import { openPodPorts, type PodPorts } from '../../agent/drivers/openvswitch/pod-ports.ts';
import { insert, mutate, namedUuid, type OvsdbClient, select, setOf } from '../../agent/drivers/ovsdb/index.ts';
import { missingParts, startWithClient } from '../ovsdb/real-server.ts';

const database = 'Open_vSwitch';
const port = (name: string, logical = name) => ({ name, externalIds: { 'iface-id': logical, sandbox: name } });
const names = (ports: PodPorts): string[] =>
  ports
    .list()
    .map(({ name }) => name)
    .toSorted();

async function start(t: Test) {
  const { server, client } = await startWithClient(t);
  await client.transact(database, [insert(database, { bridges: setOf([]) }, 'root')]);
  const ports = await openPodPorts(server.folder, 10_000);
  t.teardown(ports.close);
  return { server, client, ports };
}

async function makeBridge(client: OvsdbClient): Promise<void> {
  await client.transact(database, [
    insert('Bridge', { name: 'br-int', datapath_type: 'netdev' }, 'bridge'),
    mutate(database, [], [['bridges', 'insert', setOf([namedUuid('bridge')])]]),
  ]);
}

/** Starts to count transactions that change rows of ports, and returns a function that returns the number. */
async function transactions(client: OvsdbClient): Promise<() => number> {
  let count = 0;
  client.onNotice((method) => {
    if (method === 'update2') count += 1;
  });
  await client.call('monitor_cond', [database, 'count', { Port: [{ columns: ['name'], select: { initial: false } }] }]);
  return () => count;
}

t.test('simultaneous requests are one transaction', { skip: missingParts() }, async (t) => {
  const { client, ports } = await start(t);
  t.equal(ports.datapath(), null);
  await t.rejects(ports.add(port('a')), { message: /refused to add a/ }, 'a port without a bridge is refused');
  await makeBridge(client);
  while (ports.datapath() === null) await new Promise<void>((resolve) => ports.onChange(resolve));
  t.equal(ports.datapath(), 'netdev');
  const counted = await transactions(client);
  const all = Array.from({ length: 50 }, (_, index) => `pod${index}`);
  await Promise.all(all.map((name) => ports.add(port(name))));
  t.strictSame(names(ports), all.toSorted());
  await client.call('echo', []);
  t.equal(counted(), 2, 'the first request has its own transaction, and all later ones share another');

  await client.transact(database, [
    insert('Interface', { name: 'eth9' }, 'link'),
    insert('Port', { name: 'eth9', interfaces: setOf([namedUuid('link')]) }, 'port'),
    insert('Bridge', { name: 'br-ex', ports: setOf([namedUuid('port')]) }, 'bridge'),
    mutate(database, [], [['bridges', 'insert', setOf([namedUuid('bridge')])]]),
  ]);
  const [good, worse] = await Promise.allSettled(['pod50', 'eth9', 'pod51'].map((name) => ports.add(port(name))));
  t.equal(good?.status, 'fulfilled');
  t.equal(worse?.status, 'rejected', 'a port of another bridge is not taken away');
  t.ok(names(ports).includes('pod51'), 'a refused request does not affect other requests');

  await ports.add(port('new', 'pod7'));
  t.notOk(names(ports).includes('pod7'), 'an older port with the same logical port is removed');
  await Promise.all([ports.remove(all), ports.remove(['pod50', 'absent']), ports.add(port('last'))]);
  t.strictSame(names(ports), ['last', 'new', 'pod51']);
  const [rows] = await client.transact(database, [select('Interface', [], ['name'])]);
  t.equal(rows?.length, 4, 'no interface is left without a port, and the interface of the other bridge stays');
});

t.test('the server is killed and started again', { skip: missingParts() }, async (t) => {
  const { server, client, ports } = await start(t);
  await makeBridge(client);
  await ports.add(port('a'));
  await server.kill('SIGKILL');
  // A request on the lost connection would fail; its loss is known in one of the next turns of the event loop.
  while (ports.isFresh) await new Promise((resolve) => setImmediate(resolve));
  const waiting = ports.add(port('b'));
  await server.start();
  await waiting;
  while (!ports.isFresh || names(ports).length < 2) await new Promise<void>((resolve) => ports.onChange(resolve));
  t.strictSame(names(ports), ['a', 'b']);
});
