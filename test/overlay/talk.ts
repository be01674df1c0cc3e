// Lasting TCP connection between two nodes; one end returns every line of the other.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Host } from './hosts.ts';

const server = `
const address = process.argv[1];
require('net').createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(4000, address, () => console.log('ready'));
`;
/**
 * Program that connects until it succeeds, because the other node may not know the route yet, and then forwards lines
 * in both directions.
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

export interface Talk {
  /** Sends a line at one end and returns the answer. */
  say(line: string): Promise<string>;
}

/** Opens a connection from one node to an address of another. */
export async function talk(from: Pick<Host, 'start'>, to: Pick<Host, 'start'>, address: string): Promise<Talk> {
  const listening = to.start(process.execPath, '-e', server, address);
  await firstLine(listening);
  const speaking = from.start(process.execPath, '-e', client, address);
  const lines = createInterface({ input: output(speaking) })[Symbol.asyncIterator]();
  await lines.next();
  return {
    say: async (line) => {
      speaking.stdin?.write(`${line}\n`);
      const { value } = await lines.next();
      return String(value);
    },
  };
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
