// `firewall check|apply` with a real firewalld.
import { existsSync } from 'node:fs';
import t from 'tap';
import { createFirewalld, firewalldSkip } from './real-firewalld.ts';

const program = 'dist/microshift-net';
const skip = firewalldSkip() || (!existsSync(program) && 'the program is not built');

t.test('firewalld', { skip, timeout: 120_000 }, async (t) => {
  const firewalld = createFirewalld();
  t.teardown(() => firewalld.remove());
  const agent = (...words: string[]) => firewalld.run(process.execPath, program, 'firewall', ...words);
  const sources = (...words: string[]): string =>
    firewalld.run('firewall-cmd', ...words, '--zone=trusted', '--list-sources').stdout.trim();

  await t.test('not running: the commands are printed, and nothing is done', (t) => {
    const run = agent('apply');
    t.equal(run.status, 5, run.stderr);
    t.match(run.stdout, 'iptables -I INPUT -s 10.42.0.0/16 -j ACCEPT');
    t.match(run.stdout, 'nft insert rule inet filter input ip saddr 169.254.169.1 accept');
    t.end();
  });

  await t.test('running: check says what is missing', (t) => {
    firewalld.start();
    const run = agent('check');
    t.equal(run.status, 3, run.stderr);
    t.match(run.stdout, /10\.42\.0\.0\/16 +not now, not after a restart of firewalld \(pods\)/);
    t.equal(sources(), '', 'and changes nothing');
    t.end();
  });

  await t.test('apply trusts it now and for good, without a reload', (t) => {
    firewalld.run('firewall-cmd', '--zone=trusted', '--add-source=192.0.2.0/24');
    firewalld.run('firewall-cmd', '--zone=public', '--add-port=9999/tcp');
    const run = agent('apply');
    t.equal(run.status, 0, run.stderr);
    t.match(run.stdout, /^Done, without a reload\./);
    t.strictSame(sources().split(' ').toSorted(), ['10.42.0.0/16', '169.254.169.1', '192.0.2.0/24']);
    t.strictSame(sources('--permanent').split(' ').toSorted(), ['10.42.0.0/16', '169.254.169.1']);
    // Only in the running configuration: a reload would have taken it away.
    t.equal(firewalld.run('firewall-cmd', '--zone=public', '--query-port=9999/tcp').status, 0);
    t.equal(agent('check').status, 0);
    t.match(agent('apply'), { status: 0, stdout: /^Nothing to do\./ });
    t.end();
  });

  await t.test('half of it: only what is missing is added', (t) => {
    firewalld.run('firewall-cmd', '--zone=trusted', '--remove-source=10.42.0.0/16');
    t.match(agent('check'), { status: 3, stdout: /10\.42\.0\.0\/16 +not now \(pods\)/ });
    t.equal(agent('apply').status, 0);
    t.equal(agent('check').status, 0);
    t.end();
  });

  await t.test('a source in another zone is for the admin to decide', (t) => {
    firewalld.run('firewall-cmd', '--zone=trusted', '--remove-source=10.42.0.0/16');
    firewalld.run('firewall-cmd', '--zone=public', '--add-source=10.42.0.0/16');
    const run = agent('apply');
    t.equal(run.status, 1);
    t.match(run.stderr, /firewalld refused to trust 10\.42\.0\.0\/16: ZONE_CONFLICT/);
    firewalld.run('firewall-cmd', '--zone=public', '--remove-source=10.42.0.0/16');
    t.end();
  });

  await t.test('after a restart of firewalld it is still there', async (t) => {
    await firewalld.stop();
    firewalld.start();
    t.equal(agent('check').status, 0);
  });
});
