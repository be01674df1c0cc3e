// Datagrams that a pod sends to the distant host at short intervals, and their answers.
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Host } from './hosts.ts';
import { outside } from './outside.ts';

/** Counts of the requests of a pod since the last call. */
export interface Answered {
  readonly sent: number;
  readonly unanswered: number;
  /** Longest time in ms between two answers. */
  readonly longestMs: number;
}

/**
 * Starts a pod that sends a numbered datagram to the distant host every 20 ms, and a server there that returns each of
 * them. The returned functions begin a count, and end it when every request has been answered or is ten seconds old.
 */
export async function askOften(
  far: Host,
  pod: Pick<Host, 'start'>,
): Promise<{ begin(): void; end(): Promise<Answered> }> {
  const server = `
    const socket = require('dgram').createSocket('udp4');
    socket.on('message', (bytes, { address, port }) => socket.send(bytes, port, address));
    socket.bind(4006, '${outside}', () => console.log('ready'));`;
  await once(far.start(process.execPath, '-e', server).stdout as Readable, 'data');
  const client = `
    const socket = require('dgram').createSocket('udp4');
    const [open, said] = [new Set(), { sent: 0, longestMs: 0 }];
    let [number, timer, last] = [0, undefined, 0];
    socket.on('message', (bytes) => {
      open.delete(Number(bytes));
      said.longestMs = Math.max(said.longestMs, Date.now() - last);
      last = Date.now();
    });
    const ask = () => {
      open.add(++number);
      said.sent += 1;
      socket.send(String(number), 4006, '${outside}', () => {});
    };
    process.stdin.on('data', (word) => {
      if (String(word) === 'begin') {
        open.clear();
        Object.assign(said, { sent: 0, longestMs: 0 });
        last = Date.now();
        timer = setInterval(ask, 20);
        return;
      }
      clearInterval(timer);
      const until = Date.now() + 10000;
      const look = setInterval(() => {
        if (open.size > 0 && Date.now() < until) return;
        clearInterval(look);
        console.log(JSON.stringify({ ...said, unanswered: open.size }));
      }, 50);
    });
    socket.bind(0, () => console.log('ready'));`;
  const child = pod.start(process.execPath, '-e', client);
  const next = async (): Promise<string> => String(await once(child.stdout as Readable, 'data')).trim();
  await next();
  return {
    begin: () => void child.stdin?.write('begin'),
    end: async () => {
      child.stdin?.write('end');
      return JSON.parse(await next()) as Answered;
    },
  };
}
