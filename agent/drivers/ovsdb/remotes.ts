import { isIPv6 } from 'node:net';
import { OvsdbError, quoteExcerpt } from './ovsdb-errors.ts';

/** Address of a server, as an active connection method of ovsdb(7). */
export type Remote =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp' | 'ssl'; readonly host: string; readonly port: number };

/**
 * Servers of one database, and the id of the cluster of which they have to be members; the id is undefined if the
 * caller requires no particular cluster.
 */
export interface Remotes {
  readonly servers: readonly Remote[];
  readonly clusterId: string | undefined;
}

/** Port that applies if a connection method contains no port (ovsdb(7)). */
const defaultPort = 6640;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Parses a list of active connection methods (ovsdb(7), "Connection Methods"), or one text with commas between them:
 * `unix:FILE`, `tcp:HOST[:PORT]`, `ssl:HOST[:PORT]` and `cid:UUID`. An IPv6 address is in brackets. A text that starts
 * with a slash is the path of a unix socket. Throws OvsdbError `invalid`.
 */
export function parseRemotes(remotes: string | readonly string[]): Remotes {
  const words = typeof remotes === 'string' ? splitMethods(remotes) : remotes.flatMap(splitMethods);
  const servers: Remote[] = [];
  let clusterId: string | undefined;
  for (const word of words) {
    if (!word.startsWith('cid:')) {
      servers.push(parseRemote(word));
    } else if (clusterId === undefined && uuidPattern.test(word.slice(4))) {
      clusterId = word.slice(4).toLowerCase();
    } else {
      throw invalid(word, 'one cid: with the uuid of the cluster is allowed');
    }
  }
  if (servers.length === 0)
    throw new OvsdbError('invalid', 'no server named: unix:FILE, tcp:HOST:PORT or ssl:HOST:PORT');
  return { servers, clusterId };
}

/** Returns the connection method for a server. */
export function remoteText(remote: Remote): string {
  if (remote.kind === 'unix') return `unix:${remote.path}`;
  return `${remote.kind}:${remote.host.includes(':') ? `[${remote.host}]` : remote.host}:${remote.port}`;
}

function splitMethods(text: string): readonly string[] {
  if (text.startsWith('/')) return [text];
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function parseRemote(text: string): Remote {
  if (text.startsWith('/')) return { kind: 'unix', path: text };
  const [method, rest] = splitAt(text, text.indexOf(':'));
  if (method === 'unix' && rest !== '') return { kind: 'unix', path: rest };
  if (method === 'tcp' || method === 'ssl') return { kind: method, ...parseHostAndPort(text, rest) };
  if (['punix', 'ptcp', 'pssl'].includes(method))
    throw invalid(text, `a server listens on that, a client connects to ${method.slice(1)}:`);
  throw invalid(text, 'expected unix:FILE, tcp:HOST:PORT or ssl:HOST:PORT');
}

function parseHostAndPort(text: string, rest: string): { host: string; port: number } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(rest);
  const plain = /^([\w.-]+)(?::(.*))?$/.exec(rest);
  const [, host = '', port = ''] = bracketed ?? plain ?? [];
  // The pattern that isIPv6 compiles takes 4 ms, and an IPv6 address has at least two colons.
  if (bracketed === null && /:.*:/.test(rest) && isIPv6(rest)) throw invalid(text, 'an IPv6 address needs brackets');
  if (bracketed === null ? host === '' : !isIPv6(host)) throw invalid(text, 'not an address');
  if (port === '') return { host, port: defaultPort };
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535) throw invalid(text, 'a port is a number from 1 to 65535');
  return { host, port: number };
}

function splitAt(text: string, index: number): readonly [string, string] {
  return index === -1 ? ['', text] : [text.slice(0, index), text.slice(index + 1)];
}

function invalid(text: string, why: string): OvsdbError {
  return new OvsdbError('invalid', `${quoteExcerpt(text)} is not a server of a database: ${why}`);
}
