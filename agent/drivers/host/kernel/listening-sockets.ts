import { closeSync, openSync, readSync } from 'node:fs';
import { AgentError, messageOf } from '../../../errors.ts';
import { compressIpv6 } from '../../../net/address.ts';

/** A socket of this network namespace that receives packets for a port. */
interface ListeningSocket {
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  /** Address to which the socket is bound; null if it receives at every address. */
  readonly address: string | null;
  readonly port: number;
}

/**
 * Size limit of a file of /proc/net that lists sockets, in bytes. A line has 150 bytes, and a node has far fewer than
 * 40,000 sockets of one kind.
 */
const longestBytes = 6 * 1024 * 1024;
const chunkBytes = 16 * 1024;

/** States of include/net/tcp_states.h: LISTEN for TCP; CLOSE for a UDP socket that is bound and not connected. */
const states = { tcp: '0A', udp: '07' } as const;

/**
 * Returns the listening sockets from /proc/net (proc(5)): TCP and UDP of both families, and SCTP if the kernel supports
 * it. The kernel lists listening TCP sockets first (net/ipv4/tcp_ipv4.c, tcp_get_idx), so the possibly many connections
 * are not read. Throws `step-failed` if a file cannot be read, or is longer than that of any real node.
 */
export function readListeners(folder = '/proc/net'): readonly ListeningSocket[] {
  const found = (['tcp', 'udp'] as const).flatMap((protocol) =>
    ['', '6'].flatMap((suffix) =>
      linesOf(`${folder}/${protocol}${suffix}`, protocol === 'tcp' ? isListening : () => true).flatMap((line) => {
        const [, local = '', , state] = line.trim().split(/\s+/);
        return state === states[protocol] ? (socketOf(protocol, local) ?? []) : [];
      }),
    ),
  );
  return [...found, ...linesOf(`${folder}/sctp/eps`, () => true).flatMap(endpointOf)];
}

function isListening(line: string): boolean {
  return line.trim().split(/\s+/)[3] === states.tcp;
}

/**
 * Parses an address and port such as `0B0200C0:1F90`, whose words of 32 bits are in the byte order of the machine. An
 * address in ::ffff:0:0/96 is an IPv4 address, and a socket at `::` is assumed to receive packets of both families.
 */
function socketOf(protocol: 'tcp' | 'udp', text: string): ListeningSocket | null {
  const [words = '', hexPort = ''] = text.split(':');
  const port = Number.parseInt(hexPort, 16);
  const hex = (words.match(/.{8}/g) ?? []).map((word) => (word.match(/../g) ?? []).toReversed().join('')).join('');
  if (!(port > 0) || (hex.length !== 8 && hex.length !== 32)) return null;
  if (/^0+$/.test(hex)) return { protocol, address: null, port };
  const four = hex.length === 8 ? hex : /^0{20}f{4}(.{8})$/i.exec(hex)?.[1];
  const address =
    four === undefined
      ? compressIpv6(hex.toLowerCase())
      : (four.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.');
  return { protocol, address: address === '0.0.0.0' ? null : address, port };
}

/**
 * Parses a line of sctp/eps: endpoint, socket, style, state, hash, port, uid, inode, and its addresses
 * (net/sctp/proc.c).
 */
function endpointOf(line: string): readonly ListeningSocket[] {
  const [, , , , , port, , , ...addresses] = line.trim().split(/\s+/);
  if (!(Number(port) > 0)) return [];
  const places = addresses.map((address) => (/^(0\.0\.0\.0|::|0000(:0000){7})$/.test(address) ? null : address));
  return (places.length === 0 ? [null] : places).map((address) => ({ protocol: 'sctp', address, port: Number(port) }));
}

/**
 * Returns the lines of a file of /proc/net after its heading, up to the first for which `isWanted` is false; an empty
 * list if the file does not exist.
 */
function linesOf(path: string, isWanted: (line: string) => boolean): readonly string[] {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw unreadable(path, error);
  }
  try {
    const buffer = Buffer.alloc(chunkBytes);
    let text = '';
    for (;;) {
      const bytes = readSync(descriptor, buffer, 0, chunkBytes, null);
      text += buffer.toString('latin1', 0, bytes);
      const whole = text.split('\n').slice(1, -1);
      const end = whole.findIndex((line) => !isWanted(line));
      if (end >= 0) return whole.slice(0, end);
      if (bytes === 0) return whole;
      if (text.length > longestBytes) throw new Error(`it has more than ${longestBytes} bytes`);
    }
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(path: string, cause: unknown): AgentError {
  return new AgentError('step-failed', `${path} does not say where processes listen: ${messageOf(cause)}`, {
    hint: 'look at `ss --listening --numeric` for what holds so many sockets',
    cause,
  });
}
