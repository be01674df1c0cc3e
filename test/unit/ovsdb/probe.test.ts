import { once } from 'node:events';
import { createConnection } from 'node:net';
import t from 'tap';
import { type OvsdbClient, openConnection } from '../../../agent/drivers/ovsdb/ovsdb-connection.ts';
import { type FakeServer, type Script, startFakeServer } from './fake-server.ts';

async function open(script: Script, limitMs: number): Promise<[FakeServer, OvsdbClient]> {
  const server = await startFakeServer(script);
  const socket = createConnection(server.path);
  await once(socket, 'connect');
  return [server, openConnection(socket, { remote: 'tcp:h:1', limitMs, probeMs: 10 })];
}

t.test('a silent server is queried, and the connection ends if it does not answer', async (t) => {
  const [server, client] = await open(() => {}, 50);
  t.match(await client.ended, { kind: 'lost', message: /^connection to tcp:h:1 lost: the server is silent, echo not/ });
  t.match(server.received, [{ method: 'echo' }]);
  await server.stop();
});

t.test('a server that answers is queried periodically', async (t) => {
  let asked = 0;
  let enough: () => void = () => {};
  const often = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const [server, client] = await open((message, peer) => {
    asked += 1;
    if (asked === 3) enough();
    peer.reply(message, []);
  }, 60_000);
  await often;
  client.close();
  t.match(await client.ended, { kind: 'closed' });
  await server.stop();
});
