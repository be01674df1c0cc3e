import { readOwnFile, replaceFile } from '../drivers/host/files.ts';
import type { Settled } from '../model/settled.ts';

/*
 * The answers are kept as bytes behind one line of JSON that says how long each is: reading them must take no longer than asking for
 * them again.
 */

const format = 1;
/** A node with hundreds of devices answers with some megabytes; what is larger is faster asked for than read. */
const limitBytes = 8 * 1024 * 1024;
const newline = 0x0a;

interface FirstLine {
  readonly format: number;
  readonly agent: string;
  readonly inputs: string;
  readonly busAddress: string;
  /** Lengths of what follows: sent to the bus, sent to and received from ovsdb-server, then the bodies of the bus's replies. */
  readonly lengths: readonly number[];
}

/** Writes the file, for root alone: profiles are in it. Fails with `state-unwritable`. */
export function writeSettled(path: string, { agent, inputs, bus, ovsdb }: Settled): void {
  const parts = [bus.sent, ovsdb.sent, ovsdb.received, ...bus.replies];
  const first: FirstLine = {
    format,
    agent,
    inputs,
    busAddress: bus.address,
    lengths: parts.map((part) => part.length),
  };
  replaceFile(path, Buffer.concat([Buffer.from(`${JSON.stringify(first)}\n`), ...parts]), 0o600);
}

/** What the file says; null when there is none, or it is damaged, of another version, or not ours. */
export function readSettled(path: string): Settled | null {
  const bytes = readOwnFile(path, limitBytes);
  const end = bytes?.indexOf(newline) ?? -1;
  if (bytes === null || end < 0) return null;
  const first = parse(bytes.toString('utf8', 0, end));
  if (first?.format !== format || !Array.isArray(first.lengths)) return null;
  let at = end + 1;
  const parts = first.lengths.map((length) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  const [busSent, ovsdbSent, ovsdbReceived, ...replies] = parts;
  if (at !== bytes.length || busSent === undefined || ovsdbSent === undefined || ovsdbReceived === undefined)
    return null;
  return {
    agent: first.agent,
    inputs: first.inputs,
    bus: { address: first.busAddress, sent: busSent, replies },
    ovsdb: { sent: ovsdbSent, received: ovsdbReceived },
  };
}

function parse(line: string): FirstLine | null {
  try {
    return JSON.parse(line) as FirstLine | null;
  } catch {
    return null;
  }
}
