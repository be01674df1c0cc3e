// Lasting TCP connection, or UDP client with one socket, between two nodes; one end returns every line of the other.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Host } from './hosts.ts';

/** Limit of the wait for an answer, far beyond the need of a busy machine. */
const answerMs = 120_000;

const server = `
const address = process.argv[1];
require('net').createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(4000, address, () => console.log('ready'));
`;
/**
 * Program that connects until it succeeds, because the other node may not know the route yet, and then forwards lines
 * in both directions. If the connection ends with an error, the program connects again, and prints `ready` again.
 */
const client = `
const net = require('net');
const attempt = () => {
  const socket = net.connect(4000, process.argv[1]);
  socket.once('connect', () => {
    console.log('ready');
    process.stdin.pipe(socket);
    socket.pipe(process.stdout);
  });
  socket.on('error', () => setTimeout(attempt, 100));
};
attempt();
`;

const datagramServer = `
const socket = require('dgram').createSocket('udp4');
socket.on('message', (line, { address, port }) => socket.send(line, port, address));
socket.bind(4000, process.argv[1], () => console.log('ready'));
`;
/** Program that repeats each datagram until its answer arrives, always from one port. */
const datagramClient = `
const socket = require('dgram').createSocket('udp4');
let asked = null;
const send = () => asked !== null && socket.send(asked, 4000, process.argv[1], () => {});
socket.on('message', (line) => {
  if (String(line) !== asked) return;
  asked = null;
  console.log(String(line));
});
socket.bind(0, () => {
  console.log('ready');
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => { asked = line; send(); });
  setInterval(send, 200);
});
`;

export interface Talk {
  /**
   * Sends a line at one end and returns the answer. Over TCP, the answer is `ready` if the connection has ended with an
   * error and another one was made; the line is then lost.
   */
  say(line: string): Promise<string>;
}

export interface TalkOptions {
  /** Protocol; TCP by default. */
  readonly protocol?: 'tcp' | 'udp';
  /** Address at which the other end listens, if it is not the address to which the client connects. */
  readonly listensAt?: string;
}

/** Opens a connection from one node to an address of another, or starts a UDP client that keeps its socket. */
export async function talk(
  from: Pick<Host, 'start'>,
  to: Pick<Host, 'start'>,
  address: string,
  { protocol = 'tcp', listensAt = address }: TalkOptions = {},
): Promise<Talk> {
  const [answering, asking] = protocol === 'tcp' ? [server, client] : [datagramServer, datagramClient];
  const listening = to.start(process.execPath, '-e', answering, listensAt);
  await firstLine(listening);
  const speaking = from.start(process.execPath, '-e', asking, address);
  const lines = createInterface({ input: output(speaking) })[Symbol.asyncIterator]();
  await lines.next();
  return {
    say: (line) => {
      speaking.stdin?.write(`${line}\n`);
      const answer = nextOf(lines);
      // A test may send a line whose answer it does not expect.
      answer.catch(() => undefined);
      return answer;
    },
  };
}

/** Returns the next line. Fails after the limit, for example if ovs-vswitchd of a node has crashed. */
async function nextOf(lines: AsyncIterator<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${answerMs / 1000} s`)), answerMs);
  });
  const { value } = await Promise.race([lines.next(), late]).finally(() => clearTimeout(timer));
  return String(value);
}

async function firstLine(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process that answers ended with ${code}`);
  });
  await Promise.race([once(output(child), 'data'), ended]);
}

function output(child: ChildProcess): NodeJS.ReadableStream {
  if (child.stdout === null) throw new Error('the process has no output to read');
  return child.stdout;
}
