import { closeSync, openSync, readSync } from 'node:fs';
import { AgentError, messageOf } from '../../errors.ts';
import { compressIpv6 } from '../../net/address.ts';

/** A socket of this network namespace that takes what arrives at a port. */
interface ListeningSocket {
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  /** null: every address. */
  readonly address: string | null;
  readonly port: number;
}

/** A line has 150 bytes; 40,000 sockets of one kind are more than a node has ports for. */
const longestBytes = 6 * 1024 * 1024;
const chunkBytes = 16 * 1024;

/** States of include/net/tcp_states.h: LISTEN; CLOSE, which is a socket of UDP that is bound and not connected. */
const states = { tcp: '0A', udp: '07' } as const;

/**
 * The listening sockets, as /proc/net has them (proc(5)): TCP and UDP of both families, SCTP where the kernel has it. The kernel lists those of TCP that
 * listen first (net/ipv4/tcp_ipv4.c, tcp_get_idx), so that connections, of which there may be many, are not read. Throws `step-failed` where a table cannot
 * be read, or is longer than any that a node can have.
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

/** `0B0200C0:1F90`, words of 32 bits in the byte order of the machine; ::ffff:0:0/96 is IPv4, and :: takes both families. */
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

/** A line of sctp/eps: endpoint, socket, style, state, hash, port, uid, inode, and its addresses (net/sctp/proc.c). */
function endpointOf(line: string): readonly ListeningSocket[] {
  const [, , , , , port, , , ...addresses] = line.trim().split(/\s+/);
  if (!(Number(port) > 0)) return [];
  const places = addresses.map((address) => (/^(0\.0\.0\.0|::|0000(:0000){7})$/.test(address) ? null : address));
  return (places.length === 0 ? [null] : places).map((address) => ({ protocol: 'sctp', address, port: Number(port) }));
}

/** The lines of a table behind its heading, as long as they are wanted; none where the kernel has no such table. */
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
