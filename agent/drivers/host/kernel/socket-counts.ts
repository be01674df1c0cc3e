import { fileText } from '../files/kernel-files.ts';

/**
 * Pattern of the lines of sockstat and sockstat6 about sockets that can receive packets for a port. `inuse` and `tw`
 * count sockets of this network namespace; `mem` and `alloc` concern the whole machine.
 */
const counted = /^(TCP6?|UDP6?): inuse (\d+)(?:.* tw (\d+))?/gm;

/**
 * Returns the numbers of TCP and UDP sockets of this network namespace, and its SCTP endpoints, as text (proc(5),
 * /proc/net/sockstat); null if the kernel has no such file. The text differs after a socket has begun to receive
 * packets for a port, unless another socket of the same protocol has ended since. /proc/net/tcp would show the sockets
 * themselves, but reading that file takes fifty times as long on a machine with much memory, because the kernel goes
 * through its whole table of connections.
 */
export function socketCounts(folder = '/proc/net'): string | null {
  const [four, six, sctp] = ['sockstat', 'sockstat6', 'sctp/eps'].map((name) => fileText(`${folder}/${name}`) ?? '');
  if (!four) return null;
  const counts = [...`${four}\n${six}`.matchAll(counted)].map(([, ...words]) => words.join(' '));
  return [...counts, sctp].join('\n');
}
