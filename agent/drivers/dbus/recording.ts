import type { MessageStream } from 'dbus-next/lib/message.js';
import type { BusExchange } from '../../model/settled.ts';
import { inPieces } from './pieces.ts';
import { openTransport } from './transport.ts';

/** Gets a copy of what a connection sends and receives, message by message. */
export interface BusTap {
  sent(member: string, message: Uint8Array): void;
  /** In turns the fixed part of a message's header, and the rest of the message. */
  received(part: Uint8Array): void;
}

/** The fixed part of a header (D-Bus specification, "Message Format"): byte order, type, flags, version, then three 32-bit numbers. */
const fixedHeaderBytes = 16;
const littleEndian = 'l'.charCodeAt(0);
const methodReturn = 2;
const signal = 4;

/** Calls that change nothing and have no secrets in their answers; a connection that made any other cannot be asked again. */
const harmless = new Set(['Hello', 'GetNameOwner', 'GetManagedObjects', 'GetSettings']);

/** Records a connection from its start. */
export function recordBus(address: string): BusRecording {
  const calls: { readonly member: string; readonly message: Uint8Array }[] = [];
  const replies: Uint8Array[] = [];
  let repeatable = true;
  let header: Buffer | null = null;
  return {
    tap: {
      sent: (member, message) => {
        repeatable &&= harmless.has(member);
        if (repeatable) calls.push({ member, message });
      },
      received: (part) => {
        if (!repeatable) return;
        if (header === null) {
          header = Buffer.from(part);
          return;
        }
        if (header[1] !== signal) replies.push(bodyOf(header, part));
        repeatable &&= header[1] === signal || isReply(header);
        header = null;
      },
    },
    exchange: (without) => {
      if (!repeatable || replies.length !== calls.length) return null;
      const wanted = calls.map(({ member }) => !without.includes(member));
      return {
        address,
        sent: Buffer.concat(calls.filter((_, index) => wanted[index]).map(({ message }) => message)),
        replies: replies.filter((_, index) => wanted[index]),
      };
    },
  };
}

export interface BusRecording {
  readonly tap: BusTap;
  /** What to repeat, without some methods; null when there was a call that must not be repeated, or one is still unanswered. */
  readonly exchange: (without: readonly string[]) => BusExchange | null;
}

/**
 * Sends recorded calls once more, all at once, and tells whether every answer is the recorded one, byte for byte. The first is the
 * answer to Hello, our name on the bus, which is another one each time. False as well when anything goes wrong or takes longer than
 * limitMs: whoever asks then has to look for himself.
 */
export async function busAnswersAsRecorded(recorded: BusExchange, limitMs: number): Promise<boolean> {
  const socket = await openTransport(recorded.address, limitMs).catch(() => null);
  if (socket === null) return false;
  return new Promise((resolve) => {
    const end = (same: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(same);
    };
    const timer = setTimeout(() => end(false), limitMs);
    let answered = 0;
    const compare = (header: Buffer, body: Uint8Array): void => {
      if (header[1] === signal) return;
      const same = isReply(header) && (answered === 0 || isSame(recorded.replies[answered], body));
      answered += 1;
      if (!same) end(false);
      else if (answered === recorded.replies.length) end(true);
    };
    for (const event of ['error', 'end', 'close']) socket.on(event, () => end(false));
    readMessages(
      inPieces(socket, () => end(false)),
      compare,
    );
    socket.write(recorded.sent);
  });
}

function isSame(recorded: Uint8Array | undefined, body: Uint8Array): boolean {
  return recorded !== undefined && Buffer.compare(recorded, body) === 0;
}

/** Hands out the fixed part of the header and the body of every message. */
function readMessages(pieces: MessageStream, onMessage: (header: Buffer, body: Uint8Array) => void): void {
  let header: Buffer | null = null;
  pieces.on('readable', () => {
    for (;;) {
      header ??= pieces.read(fixedHeaderBytes);
      if (header === null) return;
      const rest = pieces.read(restBytes(header));
      if (rest === null) return;
      const own = header;
      header = null;
      onMessage(own, bodyOf(own, rest));
    }
  });
}

function isReply(header: Buffer): boolean {
  return header[1] === methodReturn;
}

/** Header fields, padded to eight bytes, and the body. */
function restBytes(header: Buffer): number {
  const fields = header[0] === littleEndian ? header.readUInt32LE(12) : header.readUInt32BE(12);
  return Math.ceil(fields / 8) * 8 + bodyBytes(header);
}

function bodyBytes(header: Buffer): number {
  return header[0] === littleEndian ? header.readUInt32LE(4) : header.readUInt32BE(4);
}

function bodyOf(header: Buffer, rest: Uint8Array): Buffer {
  return Buffer.from(rest.subarray(rest.length - bodyBytes(header)));
}
