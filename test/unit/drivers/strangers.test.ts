// Forged signals: every user of the machine can send one directly to the agent's bus connection, and none may affect a
// run.
import { marshallMessage } from 'dbus-next/lib/marshall-compat.js';
import { unmarshalMessages } from 'dbus-next/lib/message.js';
import { Message } from 'dbus-next/lib/message-type.js';
import t, { type Test } from 'tap';
import { type Bus, daemonCall } from '../../../agent/drivers/dbus/bus-connection.ts';
import { inPieces } from '../../../agent/drivers/dbus/pieces.ts';
import { openTransport } from '../../../agent/drivers/dbus/transport.ts';
import { openNetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import { openSystemd } from '../../../agent/drivers/systemd/systemd-units.ts';
import { failure } from '../failure.ts';
import { connected, noDaemon, startDaemon } from './private-bus.ts';

const networkManager = 'org.freedesktop.NetworkManager';
const systemd = 'org.freedesktop.systemd1';
const agent = 'org.example.Agent';

/** Client of the bus that sends arbitrary messages. */
interface Speaker {
  /** Sends a signal to the agent; with signature `h`, it announces a file descriptor and passes none. */
  signal(sent: Partial<Message>): void;
  /** Resolves when the bus has delivered all earlier messages. */
  heard(by: Bus): Promise<void>;
}

/** Connects a client to the bus; `answers` are the client's answers to calls, by the names of the methods. */
async function speaker(
  t: Test,
  address: string,
  name?: string,
  answers: Record<string, object> = {},
): Promise<Speaker> {
  const socket = await openTransport(address, 5000);
  t.teardown(() => socket.destroy());
  let serial = 0;
  const replied = new Map<number | undefined, () => void>();
  const write = (fields: Partial<Message>): Buffer => {
    serial += 1;
    return marshallMessage(new Message({ flags: 1, serial, ...fields }))[0];
  };
  const receive = (wire: unknown): void => {
    const { type, serial, sender, member, replySerial } = wire as Message;
    if (type === 1) socket.write(write({ type: 2, replySerial: serial, destination: sender, ...answers[member] }));
    else replied.get(replySerial)?.();
  };
  unmarshalMessages(
    inPieces(socket, () => undefined),
    receive,
    {},
  );
  const call = (member: string, signature = '', body: unknown[] = []): Promise<void> =>
    new Promise((resolve) => {
      socket.write(write({ ...daemonCall(member), type: 1, flags: 0, signature, body }));
      replied.set(serial, resolve);
    });
  await call('Hello');
  if (name !== undefined) await call('RequestName', 'su', [name, 0]);
  return {
    signal: (sent) => {
      const fields = { type: 4, destination: agent, path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
      let bytes = write({ ...fields, ...sent, signature: sent.signature?.replace('h', 'u') ?? '' });
      if (sent.signature === 'h') bytes = replaced(bytes, '\x01g\0\x01u\0', '\x01g\0\x01h\0');
      // The signal claims to be a reply: REPLY_SERIAL (5) gets the number of an unknown header field.
      if (sent.replySerial !== undefined) bytes = replaced(bytes, '\x05\x01u\0', '\xc8\x01h\0');
      socket.write(bytes);
    },
    heard: async (by) => {
      await call('GetId');
      await by.call(daemonCall('GetId'));
    },
  };
}

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  const text = bytes.toString('latin1');
  if (!text.includes(from)) throw new Error('the message is not what it should be');
  return Buffer.from(text.replace(from, to), 'latin1');
}

/** Opens the agent's connection, with a name by which the client finds it. */
async function agentOn(t: Test, address: string): Promise<Bus> {
  const bus = await connected(t, address);
  await bus.call({ ...daemonCall('RequestName'), signature: 'su', body: [agent, 0] });
  return bus;
}

t.test('a foreign signal does not report the end of NetworkManager', { skip: noDaemon }, async (t) => {
  const { address } = await startDaemon(t);
  const bus = await agentOn(t, address);
  const real = await connected(t, address);
  await real.call({ ...daemonCall('RequestName'), signature: 'su', body: [networkManager, 0] });
  const owner = (await bus.call(daemonCall('GetNameOwner', networkManager)))[0];
  const nm = await openNetworkManager(bus);
  const reported: string[] = [];
  nm.onVanished((error) => reported.push(error.kind));
  nm.onSignal((signal) => reported.push(signal.member));
  const stranger = await speaker(t, address);

  stranger.signal({ member: 'NameOwnerChanged', signature: 'sss', body: [networkManager, owner, ''] });
  stranger.signal({ member: 'StateChanged', interface: `${networkManager}.Device`, signature: 'u', body: [120] });
  await stranger.heard(bus);
  t.strictSame(reported, []);

  real.close();
  await stranger.heard(bus);
  t.strictSame(
    reported,
    ['networkmanager-not-running'],
    'the end of NetworkManager is reported only after the signal of the daemon',
  );
});

t.test('a signal that cannot be read does not end the connection', { skip: noDaemon }, async (t) => {
  const { address } = await startDaemon(t);
  const bus = await agentOn(t, address);
  const stranger = await speaker(t, address);
  stranger.signal({ member: 'File', signature: 'h', body: [0] });
  stranger.signal({ member: 'Field', replySerial: 7 });
  await stranger.heard(bus);
  t.ok(await bus.call(daemonCall('ListNames')));
});

t.test('a foreign signal does not report the end of a job of systemd', { skip: noDaemon }, async (t) => {
  const { address } = await startDaemon(t);
  const bus = await agentOn(t, address);
  const job = '/org/freedesktop/systemd1/job/7';
  let asked: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (asked = resolve));
  const real = await speaker(t, address, systemd, {
    get StartUnit() {
      asked();
      return { signature: 'o', body: [job] };
    },
  });
  const stranger = await speaker(t, address);
  const removed = { member: 'JobRemoved', path: '/org/freedesktop/systemd1', interface: `${systemd}.Manager` };
  const ended = (result: string) => ({ ...removed, signature: 'uoss', body: [7, job, 'x.service', result] });

  let outcome = '';
  const run = openSystemd(bus)
    .startUnit('x.service')
    .then(
      () => (outcome = 'done'),
      (error: Error) => (outcome = error.message),
    );
  await started;
  stranger.signal(ended('failed'));
  real.signal({ ...ended('failed'), path: '/elsewhere' });
  real.signal({ ...ended('failed'), interface: `${systemd}.Other` });
  await stranger.heard(bus);
  await real.heard(bus);
  t.equal(outcome, '');
  real.signal(ended('done'));
  await run;
  t.equal(outcome, 'done');
});

t.test('the loss of the bus during a job is reported as dbus-lost', { skip: noDaemon }, async (t) => {
  const { address, process: daemon } = await startDaemon(t);
  const bus = await agentOn(t, address);
  let asked: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (asked = resolve));
  const real = await speaker(t, address, systemd, {
    get StartUnit() {
      asked();
      return { signature: 'o', body: ['/org/freedesktop/systemd1/job/7'] };
    },
  });
  const run = t.rejects(openSystemd(bus).startUnit('x.service'), failure('dbus-lost'));
  await started;
  await real.heard(bus);
  daemon.kill('SIGKILL');
  await run;
});
