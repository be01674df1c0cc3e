import { isUtf8 } from 'node:buffer';
import { OvsdbError, quoteExcerpt } from './errors.ts';
import { type JsonObject, parseJson } from './json.ts';

export interface StreamLimits {
  /** Bytes one message may have. */
  readonly maxMessageBytes: number;
  /** Brackets that may be open at once. */
  readonly maxDepth: number;
}

/**
 * 64 MiB: a dump of a large OVN database is tens of megabytes; without a limit a peer that never closes its message would
 * take all memory. Depth 1000 is what ovsdb-server itself accepts, real messages stay below 12.
 */
export const defaultStreamLimits: StreamLimits = { maxMessageBytes: 64 * 1024 * 1024, maxDepth: 1000 };

export interface MessageStream {
  /** Takes the next bytes, however they were cut. Throws OvsdbError `protocol`, from then on at every call. */
  push(chunk: Uint8Array): void;
  /** Bytes of a message whose end has not arrived. */
  pendingBytes(): number;
}

/**
 * Cuts a byte stream into JSON objects (RFC 7047 section 4: messages follow each other without a separator) and hands each
 * to `onMessage` as soon as its last byte is there. Pure: no I/O, no clock; every byte is looked at once, so time is linear
 * whatever the chunking. Messages ahead of garbage are delivered before the error is thrown.
 */
export function createMessageStream(
  onMessage: (message: JsonObject) => void,
  limits: Partial<StreamLimits> = {},
): MessageStream {
  const { maxMessageBytes, maxDepth } = { ...defaultStreamLimits, ...limits };
  const scan: Scan = { depth: 0, inString: false, escaped: false };
  const held = createByteBuffer();
  let failure: unknown;

  function consume(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (scan.depth === 0) {
        at = skipWhitespace(chunk, at);
        if (at === chunk.length) return;
        if (chunk[at] !== openBrace) throw garbage(chunk.subarray(at));
      }
      const end = scanMessage(scan, chunk, at, maxDepth);
      const part = chunk.subarray(at, end === -1 ? chunk.length : end);
      if (held.size() + part.length > maxMessageBytes) throw tooLarge(maxMessageBytes);
      if (end === -1) {
        held.append(part);
        return;
      }
      onMessage(decodeMessage(held.takeWith(part)));
      at = end;
    }
  }

  return {
    push(chunk) {
      if (failure !== undefined) throw failure;
      try {
        consume(chunk);
      } catch (error) {
        failure = error;
        throw error;
      }
    },
    pendingBytes: () => held.size(),
  };
}

interface Scan {
  depth: number;
  inString: boolean;
  escaped: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Moves over bytes until the outermost bracket closes; returns the index after it, or -1. Bytes of a multi-byte character
 * are all above 0x7f, so none is mistaken for a quote or bracket. Mismatched brackets are left for the JSON parser to find.
 */
function scanMessage(scan: Scan, chunk: Uint8Array, from: number, maxDepth: number): number {
  let { depth, inString, escaped } = scan;
  let end = -1;
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at];
    if (inString) {
      if (escaped) escaped = false;
      else if (byte === backslash) escaped = true;
      else if (byte === quote) inString = false;
    } else if (byte === quote) {
      inString = true;
    } else if (byte === openBrace || byte === openBracket) {
      depth++;
      if (depth > maxDepth) throw new OvsdbError('protocol', `message nested deeper than ${maxDepth} brackets`);
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (depth === 0) {
        end = at + 1;
        break;
      }
    }
  }
  scan.depth = depth;
  scan.inString = inString;
  scan.escaped = escaped;
  return end;
}

function skipWhitespace(chunk: Uint8Array, from: number): number {
  let at = from;
  while (at < chunk.length && isWhitespace(chunk[at])) at++;
  return at;
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

// A message always starts with an open brace, so what parses is an object.
function decodeMessage(bytes: Uint8Array): JsonObject {
  if (!isUtf8(bytes)) throw new OvsdbError('protocol', 'message is not valid UTF-8');
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) as JsonObject;
}

function garbage(bytes: Uint8Array): OvsdbError {
  const seen = quoteExcerpt(Buffer.from(bytes.subarray(0, 40)).toString('latin1'));
  return new OvsdbError('protocol', `expected the start of a JSON object, got ${seen}`);
}

function tooLarge(maxMessageBytes: number): OvsdbError {
  return new OvsdbError('protocol', `message larger than ${maxMessageBytes} bytes`);
}

interface ByteBuffer {
  append(bytes: Uint8Array): void;
  takeWith(last: Uint8Array): Uint8Array;
  size(): number;
}

// Doubling keeps copying linear; holding on to the chunks themselves would pin a whole pool slab for every tiny chunk.
function createByteBuffer(): ByteBuffer {
  let storage = Buffer.alloc(0);
  let used = 0;
  function append(bytes: Uint8Array): void {
    if (used + bytes.length > storage.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(2 * storage.length, used + bytes.length));
      storage.copy(grown, 0, 0, used);
      storage = grown;
    }
    storage.set(bytes, used);
    used += bytes.length;
  }
  function takeWith(last: Uint8Array): Uint8Array {
    if (used === 0) return last;
    append(last);
    const taken = storage.subarray(0, used);
    storage = Buffer.alloc(0);
    used = 0;
    return taken;
  }
  return { append, takeWith, size: () => used };
}
