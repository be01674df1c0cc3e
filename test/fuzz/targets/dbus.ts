// Messages on the D-Bus connection: arbitrary bytes from a peer that completes the handshake.
import type { Socket } from 'node:net';
import { marshallMessage } from 'dbus-next/lib/marshall-compat.js';
import { Message } from 'dbus-next/lib/message-type.js';
import { connectBus } from '../../../agent/drivers/dbus/bus-connection.ts';
import { openNetworkManager } from '../../../agent/drivers/networkmanager/nm-client.ts';
import { encodeSettings } from '../../../agent/drivers/networkmanager/nm-settings.ts';
import { observeNetworkManager } from '../../../agent/facts/network-manager.ts';
import { dhcpNode } from '../corpus.ts';
import { expectedFailure } from '../expect.ts';
import { managedObjects } from '../managed-objects.ts';
import { cutAnyhow, listenOn, type PrivateSocket } from '../private-socket.ts';
import { scratchFolder } from '../scratch.ts';
import type { FuzzTarget, Random } from '../target.ts';

/** Separator between the peer's answers to one request and those to the next. */
const nextRequest = '=NEXT=';
/** Time in ms for which the peer waits, if it has no answer for a request, before it closes the connection. */
const patienceMs = 2;
/** Largest number of parts of an input: with a thousand separators, the target would only wait. */
const mostParts = 12;

function reply(serial: number, signature: string, body: unknown[]): Buffer {
  const fields = { type: 2, serial: 100 + serial, replySerial: serial, sender: ':1.1', destination: ':1.9' };
  return marshallMessage(new Message({ ...fields, signature, body, flags: 1 }))[0];
}

function failure(serial: number, errorName: string): Buffer {
  const fields = { type: 3, serial: 100 + serial, replySerial: serial, sender: ':1.1', destination: ':1.9' };
  return marshallMessage(new Message({ ...fields, errorName, signature: 's', body: ['no'], flags: 1 }))[0];
}

function signal(member: string): Buffer {
  const fields = {
    type: 4,
    serial: 7,
    path: '/org/freedesktop/NetworkManager',
    interface: 'org.freedesktop.x',
    member,
  };
  return marshallMessage(new Message({ ...fields, sender: ':1.1', signature: 'uu', body: [1, 2], flags: 1 }))[0];
}

function conversations(): readonly Buffer[] {
  const hello = reply(1, 's', [':1.9']);
  const owner = reply(2, 's', [':1.1']);
  const node = dhcpNode();
  const objects = reply(3, 'a{oa{sa{sv}}}', [managedObjects(node)]);
  const settings = node.networkManager.profiles.map((profile, index) =>
    reply(4 + index, 'a{sa{sv}}', [encodeSettings(profile.settings)]),
  );
  const said = (...parts: Buffer[]): Buffer => Buffer.concat(parts.flatMap((part) => [part, Buffer.from(nextRequest)]));
  return [
    said(hello, owner, objects, Buffer.concat(settings)),
    said(Buffer.concat([hello, signal('StateChanged')]), owner, Buffer.concat([signal('x'), objects]), ...settings),
    said(hello, failure(2, 'org.freedesktop.DBus.Error.NameHasNoOwner')),
    said(hello, owner, failure(3, 'org.freedesktop.DBus.Error.UnknownMethod')),
    said(hello, owner, objects, failure(4, 'org.freedesktop.NetworkManager.PermissionDenied')),
  ];
}

export const dbus: FuzzTarget = {
  corpus: conversations,
  words: [
    nextRequest,
    'l\x02\x01\x01',
    'B\x02\x01\x01',
    'l\x03\x01\x01',
    '\0\0\0\0',
    '\xff\xff\xff\xff',
    '\xff\xff\xff\x07',
    'a{sv}',
    '(((((((((',
    'v',
  ],
  form: 'bytes',
  open: async () => {
    const folder = scratchFolder('dbus');
    const server = await listenOn(`${folder.path}/bus`);
    return {
      feed: (input, random) => converse(server, input, random),
      close: async () => {
        await server.close();
        folder.remove();
      },
    };
  },
};

async function converse(server: PrivateSocket, input: Buffer, random: Random): Promise<string> {
  server.serve = (socket) => speak(socket, input, random);
  try {
    const bus = await connectBus(`unix:path=${server.path}`);
    try {
      const found = await observeNetworkManager(await openNetworkManager(bus));
      JSON.stringify(found);
      return found.profiles.length > 0 ? 'observed with profiles' : 'observed';
    } finally {
      bus.close();
    }
  } catch (error) {
    return expectedFailure(error);
  }
}

function speak(socket: Socket, input: Buffer, random: Random): void {
  const parts = input.toString('latin1').split(nextRequest).slice(0, mostParts);
  let timer: NodeJS.Timeout | undefined;
  let greeted = false;
  const next = (): void => {
    clearTimeout(timer);
    const part = parts.shift();
    if (part === undefined) socket.end();
    else {
      for (const piece of cutAnyhow(Buffer.from(part, 'latin1'), random)) socket.write(piece);
      timer = setTimeout(next, patienceMs);
    }
  };
  socket.on('data', () => {
    if (!greeted) socket.write('OK 0123456789abcdef0123456789abcdef\r\n');
    greeted = true;
    next();
  });
  socket.on('close', () => clearTimeout(timer));
}
