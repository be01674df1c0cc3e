import { OvsdbError, quoteExcerpt } from './errors.ts';
import type { JsonObject } from './json.ts';

/**
 * 64 MiB: a dump of a large OVN database is tens of megabytes; without a limit a peer that never closes its message would
 * take all memory.
 */
const maxMessageBytes = 64 * 1024 * 1024;
/** Brackets that may be open at once: what ovsdb-server itself accepts, real messages stay below 12. */
const maxDepth = 1000;

export interface MessageStream {
  /** Takes the next bytes, however they were cut. Throws OvsdbError `protocol`; after that no more is to be pushed. */
  push(chunk: Buffer): void;
  /** Bytes of a message whose end has not arrived. */
  pendingBytes(): number;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const whiteSpace: readonly (number | undefined)[] = [0x20, 0x0a, 0x0d, 0x09];

/**
 * Cuts a byte stream into JSON objects (RFC 7047 section 4: messages follow each other without a separator) and hands each
 * to `onMessage` as soon as its last byte is there. Pure: no I/O, no clock; every byte is looked at once, so time is linear
 * whatever the chunking. Messages ahead of garbage are delivered before the error is thrown.
 */
export function createMessageStream(onMessage: (message: JsonObject) => void): MessageStream {
  let parts: Buffer[] = [];
  let heldBytes = 0;
  let depth = 0;
  let inString = false;
  let isEscaped = false;

  /**
   * Moves over bytes until the outermost bracket closes; returns the index after it, or -1. Bytes of a multi-byte character
   * are all above 0x7f, so none is mistaken for a quote or bracket. Mismatched brackets are left for the JSON parser to find.
   */
  function endOfMessage(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) {
        inString = true;
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
        if (depth > maxDepth) throw new OvsdbError('protocol', `message nested deeper than ${maxDepth} brackets`);
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--;
        if (depth === 0) return at + 1;
      }
    }
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
        const end = endOfMessage(chunk, at);
        const part = chunk.subarray(at, end === -1 ? chunk.length : end);
        parts.push(part);
        heldBytes += part.length;
        if (heldBytes > maxMessageBytes) {
          throw new OvsdbError('protocol', `message larger than ${maxMessageBytes} bytes`);
        }
        if (end === -1) return;
        const bytes = Buffer.concat(parts);
        parts = [];
        heldBytes = 0;
        onMessage(parseMessage(bytes));
        at = end;
      }
    },
    pendingBytes: () => heldBytes,
  };
}

// A message always starts with an open brace, so what parses is an object.
function parseMessage(bytes: Buffer): JsonObject {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as JsonObject;
  } catch (error) {
    throw new OvsdbError('protocol', `not JSON: ${quoteExcerpt(bytes.toString('utf8', 0, 200))}`, error);
  }
}

function garbage(bytes: Buffer): OvsdbError {
  return new OvsdbError(
    'protocol',
    `expected the start of a JSON object, got ${quoteExcerpt(bytes.toString('latin1', 0, 40))}`,
  );
}
