import type { JsonObject } from './json.ts';
import { createPieces, deepest } from './message-pieces.ts';
import { OvsdbError, quoteExcerpt } from './ovsdb-errors.ts';

/**
 * Size limit of a message: 64 MiB, because a dump of a large OVN database is tens of megabytes. Without a limit, a
 * server that never ends its message would use up the memory.
 */
const maxMessageBytes = 64 * 1024 * 1024;
/** Largest depth of nested brackets, the same as in ovsdb-server. Real messages have a depth below 12. */
const maxDepth = 1000;

export interface MessageStream {
  /**
   * Processes the next bytes, in chunks of any size. Throws OvsdbError `protocol` or `too-large`, after which no more
   * bytes may be pushed.
   */
  push(chunk: Buffer): void;
  /** Returns the number of received bytes that belong to an incomplete message. */
  pendingBytes(): number;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const comma = 0x2c;
/** Built-in search for a byte, without the conversions of Buffer.indexOf(). */
const indexOfByte = Uint8Array.prototype.indexOf;
const whiteSpace: readonly (number | undefined)[] = [0x20, 0x0a, 0x0d, 0x09];

/**
 * Splits a byte stream into JSON objects (RFC 7047 section 4: messages follow each other without a separator) and
 * passes each to `onMessage` as soon as it is complete. A long message is parsed in pieces while it arrives
 * (message-pieces.ts). The function is pure: no I/O, no clock. It reads every byte once, so the time is linear for
 * chunks of any size. Messages before an invalid one are delivered before the error is thrown.
 */
export function createMessageStream(onMessage: (message: JsonObject) => void): MessageStream {
  const pieces = createPieces();
  let messageBytes = 0;
  let depth = 0;
  let inString = false;
  let isEscaped = false;

  /**
   * Returns the index after the quote that ends a string, or the length of the chunk if the string does not end in it.
   * Most bytes of a message are in strings. Node.js runs without its just-in-time compiler (--jitless), so a built-in
   * search for a quote is much faster than a loop in JavaScript, and than Buffer's own search, which is a function in
   * JavaScript.
   */
  function afterString(chunk: Buffer, start: number): number {
    for (let from = isEscaped ? start + 1 : start; ; ) {
      const found = indexOfByte.call(chunk, quote, from);
      const end = found === -1 ? chunk.length : found;
      let first = end;
      while (first > from && chunk[first - 1] === backslash) first--;
      isEscaped = (end - first) % 2 === 1;
      inString = found === -1 || isEscaped;
      if (found === -1) return chunk.length;
      from = found + 1;
      if (!isEscaped) return from;
      isEscaped = false;
    }
  }

  /**
   * Adds the bytes of the current message up to the bracket that ends it. Returns the index after that bracket, or -1
   * if the message continues. All bytes of a multi-byte character are above 0x7f, so none can be mistaken for a quote,
   * bracket or comma. Mismatched brackets are reported by the JSON parser.
   */
  function readMessage(chunk: Buffer, start: number): number {
    let from = start;
    let at = inString ? afterString(chunk, start) : start;
    while (at < chunk.length) {
      const byte = chunk[at];
      at++;
      if (byte === quote) {
        at = afterString(chunk, at);
      } else if (byte === comma) {
        if (depth > deepest || !pieces.isLong(depth, at - from)) continue;
        pieces.add(chunk.subarray(from, at - 1));
        from = at;
        pieces.cut(depth);
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
        if (depth > maxDepth) throw new OvsdbError('protocol', `message nested deeper than ${maxDepth} brackets`);
        if (depth <= deepest) pieces.open(byte === openBrace, depth, at - from);
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--;
        if (depth > 0) continue;
        pieces.add(chunk.subarray(from, at));
        return at;
      }
    }
    pieces.add(chunk.subarray(from));
    return -1;
  }

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (depth === 0 && whiteSpace.includes(chunk[at])) {
          at++;
          continue;
        }
        if (depth === 0 && chunk[at] !== openBrace) throw garbage(chunk.subarray(at));
        const end = readMessage(chunk, at);
        messageBytes += (end === -1 ? chunk.length : end) - at;
        if (messageBytes > maxMessageBytes) {
          throw new OvsdbError('too-large', `a message is larger than ${maxMessageBytes} bytes`);
        }
        if (end === -1) return;
        messageBytes = 0;
        onMessage(pieces.end());
        at = end;
      }
    },
    pendingBytes: () => messageBytes,
  };
}

function garbage(bytes: Buffer): OvsdbError {
  return new OvsdbError(
    'protocol',
    `expected the start of a JSON object, got ${quoteExcerpt(bytes.toString('latin1', 0, 40))}`,
  );
}
