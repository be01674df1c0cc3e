// The D-Bus connection to a real dbus-daemon that only the test uses, and to daemons that misbehave.
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { marshallMessage } from 'dbus-next/lib/marshall-compat.js';
import { Message } from 'dbus-next/lib/message-type.js';
import t, { type Test } from 'tap';
import {
  connectBus,
  type MethodCall,
  type Signal,
  systemBusAddress,
} from '../../../agent/drivers/dbus/bus-connection.ts';
import { openNetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import { failure } from '../failure.ts';
import { connected, noDaemon, socketDirectory, startDaemon } from './private-bus.ts';

const daemonCall = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};
const named = (member: string, name: string): MethodCall => ({ ...daemonCall, member, signature: 's', body: [name] });

t.test('a bus that works', { skip: noDaemon }, async (t) => {
  const { address, process: daemon } = await startDaemon(t);
  const bus = await connected(t, address);

  await t.test('calls are answered, also many at once', async (t) => {
    const names = (await bus.call({ ...daemonCall, member: 'ListNames' }))[0] as string[];
    t.ok(names.includes('org.freedesktop.DBus'));
    const owners = await Promise.all(
      Array.from({ length: 200 }, () => bus.call(named('GetNameOwner', 'org.freedesktop.DBus'))),
    );
    t.strictSame(new Set(owners.map(([owner]) => owner)), new Set(['org.freedesktop.DBus']));
    t.equal(bus.callCount(), 202, 'the number of calls includes Hello');
  });

  await t.test('error replies are errors with their names', async (t) => {
    const reply = { name: 'DBusReplyError', errorName: 'org.freedesktop.DBus.Error.NameHasNoOwner' };
    await t.rejects(bus.call(named('GetNameOwner', 'org.example.Nobody')), reply);
    await t.rejects(bus.call({ ...daemonCall, member: 'NoSuchMethod' }), {
      errorName: 'org.freedesktop.DBus.Error.UnknownMethod',
    } as object as Error);
    await t.rejects(bus.call({ destination: 'org.example.Nobody', path: '/', interface: 'org.example', member: 'X' }), {
      // The name is not ServiceUnknown, because the call did not permit the bus to start a service.
      errorName: 'org.freedesktop.DBus.Error.NameHasNoOwner',
    } as object as Error);
  });

  await t.test('a call that cannot be encoded is refused, and the connection remains usable', async (t) => {
    await t.rejects(bus.call({ ...daemonCall, member: 'GetNameOwner', signature: 's', body: [7n] }));
    await t.rejects(bus.call({ ...daemonCall, path: 'no path', member: 'ListNames' }));
    t.ok(await bus.call({ ...daemonCall, member: 'ListNames' }));
  });

  await t.test('a call to a peer that does not answer ends at its limit', async (t) => {
    const silent = await connected(t, address);
    const [name] = (await silent.call({
      ...daemonCall,
      member: 'RequestName',
      signature: 'su',
      body: ['org.example.Silent', 0],
    })) as [number];
    t.equal(name, 1);
    const call = bus.call({
      destination: 'org.example.Silent',
      path: '/',
      interface: 'org.example',
      member: 'Wait',
      timeoutMs: 50,
    });
    await t.rejects(call, failure('dbus-timeout', { facts: { call: 'org.example.Wait', timeoutMs: 50 } }));
  });

  await t.test('every signal between the begin and the end of a subscription is delivered', async (t) => {
    const actor = await connected(t, address);
    const seen: Signal[] = [];
    const rule = "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'";
    const end = bus.subscribe(rule, 'org.freedesktop.DBus', (signal) => seen.push(signal));
    const owned = (): number => seen.filter((signal) => signal.body[0] === 'org.example.Flicker').length;
    // If the bus has answered a later call, it has applied the earlier rule.
    await bus.call({ ...daemonCall, member: 'GetId' });
    const flicker = async (): Promise<void> => {
      await actor.call({ ...daemonCall, member: 'RequestName', signature: 'su', body: ['org.example.Flicker', 0] });
      await actor.call(named('ReleaseName', 'org.example.Flicker'));
    };
    for (let round = 0; round < 20; round += 1) await flicker();
    await bus.call({ ...daemonCall, member: 'GetId' });
    t.equal(owned(), 40);
    end();
    await flicker();
    await bus.call({ ...daemonCall, member: 'GetId' });
    t.equal(owned(), 40, 'no signal is delivered after the end');
  });

  await t.test('NetworkManager is not running, and is not started', async (t) => {
    await t.rejects(
      openNetworkManager(bus),
      failure('networkmanager-not-running', { message: /^NetworkManager is not running$/ }),
    );
  });

  await t.test('NetworkManager leaves the bus', async (t) => {
    const other = await connected(t, address);
    await other.call({
      ...daemonCall,
      member: 'RequestName',
      signature: 'su',
      body: ['org.freedesktop.NetworkManager', 0],
    });
    const nm = await openNetworkManager(bus);
    const vanished = new Promise<string>((resolve) => nm.onVanished((error) => resolve(error.kind)));
    const pending = nm.profilePaths();
    pending.catch(() => undefined);
    await bus.call({ ...daemonCall, member: 'GetId' });
    other.close();
    t.equal(await vanished, 'networkmanager-not-running');
    await t.rejects(pending, failure('networkmanager-not-running'), 'an unanswered call is rejected');
  });

  await t.test('a closed connection fails at once', async (t) => {
    const closed = await connectBus(address);
    closed.close();
    await t.rejects(closed.call({ ...daemonCall, member: 'ListNames' }), failure('dbus-lost'));
    closed.close();
  });

  await t.test('a crash of the bus is reported to pending calls, later calls and watchers', async (t) => {
    await connected(t, address).then((silent) =>
      silent.call({ ...daemonCall, member: 'RequestName', signature: 'su', body: ['org.example.Deaf', 0] }),
    );
    let reported = 0;
    bus.onLost(() => {
      reported += 1;
    });
    const pending = [1, 2].map(() =>
      bus.call({ destination: 'org.example.Deaf', path: '/', interface: 'org.example', member: 'Wait' }),
    );
    const ended = Promise.allSettled(pending);
    daemon.kill('SIGKILL');
    for (const result of await ended) t.match(result, { status: 'rejected', reason: { kind: 'dbus-lost' } });
    await t.rejects(bus.call({ ...daemonCall, member: 'ListNames' }), failure('dbus-lost'));
    t.equal(reported, 1);
    bus.onLost(() => {
      reported += 1;
    });
    t.equal(reported, 2, 'a later watcher is called at once');
    await t.rejects(connectBus(address), failure('dbus-unreachable'));
  });
});

t.test('addresses without a bus', async (t) => {
  const directory = t.testdir({ file: 'no socket' });
  const table = [
    `unix:path=${directory}/absent`,
    `unix:path=${directory}/file`,
    'tcp:host=localhost,port=1',
    '',
    'unix:abstract=x',
  ];
  for (const address of table)
    await t.rejects(connectBus(address), failure('dbus-unreachable'), JSON.stringify(address));
});

t.test('the address of the system bus', (t) => {
  t.equal(systemBusAddress({}), 'unix:path=/run/dbus/system_bus_socket');
  t.equal(systemBusAddress({ DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/x' }), 'unix:path=/x');
  t.end();
});

t.test('a daemon that sends invalid bytes', async (t) => {
  const ok = 'OK 0123456789abcdef0123456789abcdef\r\n';
  const table: readonly (readonly [name: string, answer: string | Buffer | null])[] = [
    ['hangs up at once', null],
    ['refuses', 'REJECTED EXTERNAL\r\n'],
    ['speaks HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['never ends its line', 'x'.repeat(5000)],
    ['sends noise instead of messages', Buffer.concat([Buffer.from(ok), Buffer.alloc(64, 0xee)])],
    [
      'sends a message of four gigabytes',
      Buffer.concat([
        Buffer.from(ok),
        Buffer.from([0x6c, 2, 0, 1, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
      ]),
    ],
    ['sends an unfinished header', Buffer.concat([Buffer.from(ok), Buffer.from([0x6c, 2])])],
  ];
  for (const [name, answer] of table) {
    const address = await fakeDaemon(t, (socket) => {
      if (answer !== null) socket.write(answer);
      // A real dbus-daemon answers or hangs up; this one hangs up, so that the test does not wait for the time limit.
      setTimeout(() => socket.destroy(), answer === null ? 0 : 100);
    });
    await t.rejects(connectBus(address), failure('dbus-unreachable'), name);
  }
});

t.test('a daemon that hangs up in the middle of a message is not waited for', async (t) => {
  const address = await fakeDaemon(t, (socket) => {
    socket.write('OK 0123456789abcdef0123456789abcdef\r\n');
    socket.end(Buffer.from([0x6c, 2, 0, 1, 0xff, 0, 0, 0, 1, 0]));
  });
  await t.rejects(connectBus(address), failure('dbus-unreachable'));
});

t.test('a message with an array that never ends cannot be read', async (t) => {
  // A reply to Hello whose body declares an array of a gigabyte. An element of type `()` has no bytes, and a read of a
  // byte beyond the end raises no error.
  for (const signature of ['a()', 'a(y)', 'aa(())']) {
    const address = await fakeDaemon(t, (socket) => {
      socket.write('OK 0123456789abcdef0123456789abcdef\r\n');
      const fields = { type: 2, serial: 9, replySerial: 1, sender: 'org.freedesktop.DBus', flags: 1 };
      const [message] = marshallMessage(new Message({ ...fields, signature, body: [[]] }));
      const length = message.readUInt32LE(4);
      message.writeUInt32LE(0x40000000, message.length - length);
      socket.write(message);
    });
    await t.rejects(connectBus(address), failure('dbus-unreachable', { message: /array/ }), signature);
  }
});

t.test('a message that announces a file descriptor and passes none can be read', async (t) => {
  const address = await fakeDaemon(t, (socket) => {
    const fields = { type: 2, serial: 9, replySerial: 1, sender: 'org.freedesktop.DBus', flags: 1 };
    const [message] = marshallMessage(new Message({ ...fields, signature: 'u', body: [7] }));
    const text = message.toString('latin1').replace('\x01g\0\x01u\0', '\x01g\0\x01h\0');
    socket.write(Buffer.from(`OK 0123456789abcdef0123456789abcdef\r\n${text}`, 'latin1'));
  });
  t.ok(await connected(t, address));
});

/**
 * Starts a server on a unix socket, and returns its address; `answer` is called at the first bytes of each connection.
 */
async function fakeDaemon(t: Test, answer: (socket: Socket) => void): Promise<string> {
  const path = join(socketDirectory(t), 'bus');
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  return `unix:path=${path}`;
}
