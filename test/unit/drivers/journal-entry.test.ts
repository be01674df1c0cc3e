// What is handed to logger(1); that journald takes it is seen in the booted node.
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { enterInJournal } from '../../../agent/drivers/host/journal-entry.ts';

const path = process.env.PATH ?? '';
t.afterEach(() => {
  process.env.PATH = path;
});

t.test('text from elsewhere does not become a field', async (t) => {
  const folder = t.testdir({ logger: '#!/bin/sh\ncat > "$0.input"\n' });
  chmodSync(join(folder, 'logger'), 0o755);
  process.env.PATH = `${folder}:${path}`;
  t.ok(await enterInJournal({ MESSAGE: 'first\nPRIORITY=0', MICROSHIFT_NET_ERROR: 'a\nUNIT=b' }));
  t.strictSame(readFileSync(join(folder, 'logger.input'), 'utf8').split('\n'), [
    'MESSAGE=first',
    'MESSAGE=PRIORITY=0',
    'MICROSHIFT_NET_ERROR=a UNIT=b',
    'SYSLOG_IDENTIFIER=microshift-net',
    `OBJECT_PID=${process.pid}`,
    '',
  ]);
});

t.test('a logger that is missing, fails or hangs is a no, not an error', async (t) => {
  process.env.PATH = t.testdir({});
  t.notOk(await enterInJournal({ MESSAGE: 'text' }), 'missing');
  for (const [name, text] of [
    ['fails', '#!/bin/sh\nexit 1\n'],
    ['hangs', '#!/bin/sh\nexec sleep 60\n'],
  ] as const) {
    const folder = t.testdir({ logger: text });
    chmodSync(join(folder, 'logger'), 0o755);
    process.env.PATH = `${folder}:${path}`;
    const start = performance.now();
    t.notOk(await enterInJournal({ MESSAGE: 'text' }), name);
    t.ok(performance.now() - start < 5_000, 'and soon');
  }
});
