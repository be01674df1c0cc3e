// `firewall apply` with a firewalld that does not answer. The test has a separate file because it takes the full time
// limit of a change.
import { existsSync } from 'node:fs';
import t from 'tap';
import { createFirewalld, firewalldSkip } from './real-firewalld.ts';

const program = 'dist/microshift-net';
const skip = firewalldSkip() || (!existsSync(program) && 'the program is not built');

t.test('a firewalld that never answers ends the run with an error that names the cause', { skip }, async (t) => {
  const firewalld = createFirewalld();
  t.teardown(() => firewalld.remove());
  firewalld.start();
  firewalld.signal('SIGSTOP');
  t.teardown(() => firewalld.signal('SIGCONT'));
  const run = await firewalld.spawn(process.execPath, program, 'firewall', 'apply');
  t.equal(run.status, 5);
  t.match(
    run.stderr,
    /^microshift-net: firewalld did not answer within 30 s: read the zone trusted; .*timeout 10 firewall-cmd --state/,
  );
});
