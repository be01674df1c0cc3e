// Input of logger(1). test/node shows that journald accepts it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ownService } from '../../../agent/drivers/host/process/control-group.ts';
import { enterInJournal } from '../../../agent/drivers/host/process/journal-entry.ts';
import { replacePrograms } from '../replaced-programs.ts';

const path = process.env.PATH ?? '';
t.afterEach(() => {
  process.env.PATH = path;
});

t.test('a line inside a value does not become a field of the entry', async (t) => {
  const folder = replacePrograms(t, { logger: 'cat > "$0.input"' });
  t.ok(await enterInJournal({ MESSAGE: 'first\nPRIORITY=0', MICROSHIFT_NET_ERROR: 'a\nUNIT=b' }));
  t.strictSame(
    readFileSync(join(folder, 'logger.input'), 'utf8')
      .replace(/^OBJECT_SYSTEMD_UNIT=.*\n/m, '')
      .split('\n'),
    ['MESSAGE=first', 'MESSAGE=PRIORITY=0', 'MICROSHIFT_NET_ERROR=a UNIT=b', 'SYSLOG_IDENTIFIER=microshift-net', ''],
  );
});

t.test('a logger that is missing, fails or hangs causes the result false and no error', async (t) => {
  process.env.PATH = t.testdir({});
  t.notOk(await enterInJournal({ MESSAGE: 'text' }), 'a missing logger returns false');
  process.env.PATH = path;
  for (const logger of ['exit 1', 'exec sleep 60']) {
    replacePrograms(t, { logger });
    t.notOk(await enterInJournal({ MESSAGE: 'text' }), logger);
  }
});

t.test('a process finds the service to which it belongs', (t) => {
  const folder = t.testdir({
    unit: '0::/system.slice/microshift-ovs-init.service\n',
    session: '0::/user.slice/user-0.slice/session-4.scope\n',
    v1: '12:pids:/system.slice/a.service\n1:name=systemd:/system.slice/a.service\n',
  });
  t.equal(ownService(join(folder, 'unit')), 'microshift-ovs-init.service');
  t.equal(ownService(join(folder, 'session')), undefined);
  t.equal(ownService(join(folder, 'v1')), 'a.service');
  t.equal(ownService(join(folder, 'missing')), undefined);
  t.end();
});
