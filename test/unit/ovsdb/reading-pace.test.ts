// A connection reads a limited number of bytes in one turn of the event loop.
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { type ConnectionOptions, openConnection } from '../../../agent/drivers/ovsdb/ovsdb-connection.ts';

const chunkBytes = 64 * 1024;

for (const size of [chunkBytes, 16 * 1024, 1_000])
  t.test(`a long message that has arrived in chunks of ${size} bytes`, async (t) => {
    const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
    const options: ConnectionOptions = { remote: 'unix:test', limitMs: 60_000 };
    const client = openConnection(socket as never, options);
    t.teardown(() => client.close());
    let [read, most, turns] = [0, 0, 0];
    socket.on('data', (chunk: Buffer) => {
      read += chunk.length;
    });
    const result = 'x'.repeat(20 * chunkBytes);
    const reply = Buffer.from(JSON.stringify({ id: 0, result: [result], error: null }));
    const answer = client.call('echo', []);
    for (let at = 0; at < reply.length; at += size) socket.push(reply.subarray(at, at + size));
    let answered: unknown;
    void answer.then((value) => {
      answered = value;
    });
    while (answered === undefined) {
      await setImmediate();
      most = Math.max(most, read);
      read = 0;
      turns += 1;
    }
    t.ok(most < 2 * chunkBytes, `at most ${most} bytes in one turn`);
    t.ok(turns >= 10, `${turns} turns`);
    t.ok((answered as readonly unknown[])[0] === result, 'the message is complete');
  });

t.test('a connection that is closed between two turns', async (t) => {
  const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  const client = openConnection(socket as never, { remote: 'unix:test', limitMs: 60_000 });
  const answer = client.call('echo', []);
  socket.push('{"id":0,"result":"');
  for (let sent = 0; sent < 3; sent++) socket.push(Buffer.alloc(chunkBytes, 'x'));
  await setImmediate();
  client.close();
  await t.rejects(answer, { name: 'OvsdbError', kind: 'closed' });
  await setImmediate();
  await setImmediate();
  t.equal((await client.ended).kind, 'closed');
});
