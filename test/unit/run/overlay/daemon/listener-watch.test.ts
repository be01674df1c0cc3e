// The list of listening sockets is read only when the kernel's numbers of sockets have changed, and regularly.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { socketCounts } from '../../../../../agent/drivers/host/kernel/socket-counts.ts';
import { createListenerCheck } from '../../../../../agent/run/overlay/daemon/listener-watch.ts';

/** Returns a check for new listening sockets, whose numbers and list of sockets the test sets. */
function checks() {
  const now = { counts: '1' as string | null, list: 'a' as string | null, reads: 0 };
  const hasNews = createListenerCheck(
    () => now.counts,
    () => {
      now.reads += 1;
      return now.list;
    },
  );
  return { now, hasNews };
}

t.test('an idle node has its list read in every fourth check', (t) => {
  const { now, hasNews } = checks();
  const reads = Array.from({ length: 9 }, () => {
    t.notOk(hasNews());
    return now.reads;
  });
  t.strictSame(reads, [1, 1, 1, 2, 2, 2, 2, 3, 3]);
  t.end();
});

t.test('a process that begins to listen is noticed in the next check', (t) => {
  const { now, hasNews } = checks();
  Object.assign(now, { counts: '2', list: 'a b' });
  t.ok(hasNews());
  t.notOk(hasNews());
  Object.assign(now, { counts: '3' });
  t.notOk(hasNews(), 'another socket causes no report');
  t.equal(now.reads, 3);
  t.end();
});

t.test('a process that takes the place of another socket is noticed in the fourth check', (t) => {
  const { now, hasNews } = checks();
  now.list = 'b';
  t.strictSame([hasNews(), hasNews(), hasNews(), hasNews()], [false, false, false, true]);
  t.end();
});

t.test('without numbers, every check reads the list', (t) => {
  const { now, hasNews } = checks();
  now.counts = null;
  hasNews();
  hasNews();
  now.list = 'b';
  t.ok(hasNews());
  t.equal(now.reads, 4);
  t.end();
});

t.test('numbers of this network namespace, as the kernel writes them', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'socket-counts-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  t.equal(socketCounts(folder), null, 'null is returned if the kernel lacks the file');
  const write = (tcp: string, six: string): string | null => {
    writeFileSync(join(folder, 'sockstat'), `sockets: used 34\nTCP: ${tcp}\nUDP: inuse 4 mem 0\nRAW: inuse 0\n`);
    writeFileSync(join(folder, 'sockstat6'), `TCP6: inuse ${six}\nUDP6: inuse 1\nUDPLITE6: inuse 0\n`);
    return socketCounts(folder);
  };
  const first = write('inuse 2 orphan 0 tw 3 alloc 5 mem 21', '7');
  t.equal(first, 'TCP 2 3\nUDP 4 \nTCP6 7 \nUDP6 1 \n');
  t.equal(
    write('inuse 2 orphan 1 tw 3 alloc 9 mem 40', '7'),
    first,
    'orphans, memory and other namespaces do not change the result',
  );
  t.not(write('inuse 3 orphan 0 tw 3 alloc 5 mem 21', '7'), first, 'another IPv4 socket changes the result');
  t.not(write('inuse 2 orphan 0 tw 4 alloc 5 mem 21', '7'), first, 'a connection that has ended changes the result');
  t.not(write('inuse 2 orphan 0 tw 3 alloc 5 mem 21', '8'), first, 'another IPv6 socket changes the result');
  mkdirSync(join(folder, 'sctp'));
  const sctp = 'ENDPT SOCK STY SST HBKT LPORT UID INODE LADDRS\n 0 1 2 10 29 9899 0 53 192.0.2.11';
  writeFileSync(join(folder, 'sctp/eps'), sctp);
  t.match(write('inuse 2 orphan 0 tw 3 alloc 5 mem 21', '7'), '9899', 'the result contains an endpoint of SCTP');
  t.end();
});
