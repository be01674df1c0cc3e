// A mirror of OVN_Northbound with 2,000 pods that come and go has the right contents, and its memory does not grow.
// UPDATES=20000 node build/test/ovsdb/mirror-of-pods.test.js prints the figures of docs/lab/measurements.md
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import {
  connect,
  insert,
  type Mirror,
  mapOf,
  mutate,
  namedUuid,
  type OvsdbClient,
  openMirror,
  openSession,
  readUuids,
  select,
  setOf,
} from '../../agent/drivers/ovsdb/index.ts';
import { missingForOvn, unpackedOvn } from '../cluster/unpacked-ovn.ts';
import { missingParts, startServer } from './real-server.ts';

const database = 'OVN_Northbound';
const patienceMs = 300_000;
const pods = 2_000;
const nodes = 20;
const namespaces = 40;
const updates = Number(process.env.UPDATES ?? 8_000);

const portName = (pod: number): string => `namespace-${pod % namespaces}_pod-${pod}`;
const address = (pod: number): string => `10.42.${(pod >> 8) % 256}.${pod % 256}`;
const switchOf = (pod: number) => [['name', '==', `node-${pod % nodes}`]] as const;
const setOfPod = (pod: number) => [['name', '==', `namespace-${pod % namespaces}`]] as const;

async function addPod(client: OvsdbClient, pod: number): Promise<void> {
  const addresses = `0a:58:0a:2a:${((pod >> 8) % 256).toString(16)}:${(pod % 256).toString(16)} ${address(pod)}`;
  const row = {
    name: portName(pod),
    addresses,
    port_security: addresses,
    external_ids: mapOf({ namespace: `namespace-${pod % namespaces}`, pod: 'true', owner: 'microshift-net' }),
    options: mapOf({ 'requested-chassis': `node-${pod % nodes}`, 'iface-id-ver': `uid-${pod}` }),
  };
  await client.transact(database, [
    insert('Logical_Switch_Port', row, 'port'),
    mutate('Logical_Switch', switchOf(pod), [['ports', 'insert', namedUuid('port')]]),
    mutate('Address_Set', setOfPod(pod), [['addresses', 'insert', address(pod)]]),
  ]);
}

async function removePod(client: OvsdbClient, mirror: Mirror, pod: number): Promise<void> {
  const ids = mirror
    .table('Logical_Switch_Port')
    .find('name', portName(pod))
    .map((row) => row._uuid);
  if (ids.length !== 1) throw new Error(`${portName(pod)} is there ${ids.length} times`);
  await client.transact(database, [
    mutate('Logical_Switch', switchOf(pod), [
      ['ports', 'delete', setOf(readUuids(['set', ids as string[][]]).map((id) => ['uuid', id]))],
    ]),
    mutate('Address_Set', setOfPod(pod), [['addresses', 'delete', address(pod)]]),
  ]);
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function megabytes(): { heap: number; resident: number } {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed / 1e6, resident: rss / 1e6 };
}

t.test('2,000 pods', { skip: missingParts() || (missingForOvn() ?? false) }, async (t) => {
  const server = await startServer(t, { schema: join(unpackedOvn(), 'usr/share/ovn/ovn-nb.ovsschema') });
  const writer = await connect(server.path, patienceMs);
  await writer.transact(database, [
    ...Array.from({ length: nodes }, (_, node) => insert('Logical_Switch', { name: `node-${node}` }, `s${node}`)),
    ...Array.from({ length: namespaces }, (_, index) =>
      insert('Address_Set', { name: `namespace-${index}` }, `a${index}`),
    ),
  ]);
  for (let pod = 0; pod < pods; pod++) await addPod(writer, pod);

  const session = openSession({ remotes: server.path, database, limitMs: patienceMs });
  t.teardown(() => session.close());
  const before = megabytes();
  const from = performance.now();
  const requests = {
    Logical_Switch: { indexes: ['name', 'ports'] },
    Logical_Switch_Port: { indexes: ['name'] },
    Address_Set: { indexes: ['name'] },
  };
  const mirror = await openMirror(session, requests, patienceMs);
  const readMs = performance.now() - from;
  const ports = mirror.table('Logical_Switch_Port');
  t.equal(ports.size, pods);
  const figures = [{ updates: 0, ...megabytes() }];
  let pod = pods;
  const started = performance.now();
  const churn = async (until: number): Promise<void> => {
    while ((pod - pods) * 2 < until) {
      await addPod(writer, pod);
      const added = portName(pod);
      await mirror.until(() => ports.find('name', added).length === 1, patienceMs);
      await removePod(writer, mirror, pod - pods);
      pod += 1;
    }
    await mirror.until(() => ports.size === pods, patienceMs);
    figures.push({ updates: until, ...megabytes() });
  };
  await churn(updates / 10);
  await churn(updates);
  const churnMs = performance.now() - started;

  await t.test('the mirror equals a full read', async (t) => {
    const [rows] = await session.transact([select('Logical_Switch_Port', [], ['_uuid', 'name', 'external_ids'])]);
    t.equal(rows.length, pods);
    for (const row of rows) {
      const [found] = ports.find('name', row.name as string);
      const owners = mirror.table('Logical_Switch').find('ports', row._uuid as ['uuid', string]);
      const isSame = isDeepStrictEqual([found?._uuid, found?.external_ids], [row._uuid, row.external_ids]);
      if (!isSame || owners.length !== 1) t.fail(`${row.name}`, { found, row, owners: owners.length });
    }
  });

  const [, early, late] = figures;
  for (const { updates, heap, resident } of figures)
    t.comment(`${updates} updates: heap ${heap.toFixed(1)} MB, resident ${resident.toFixed(1)} MB`);
  t.comment(`heap before the mirror ${before.heap.toFixed(1)} MB, first contents in ${readMs.toFixed(0)} ms`);
  t.comment(`${(churnMs / updates).toFixed(2)} ms an update, the writer and the server included`);
  // If each update left one row of a port in memory, the heap would have grown by more than 10 MB.
  t.ok((late?.heap ?? 0) < (early?.heap ?? 0) + 6, 'flat memory');
  writer.close();
});
