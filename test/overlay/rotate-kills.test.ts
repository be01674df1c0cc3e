// The command that replaces the authority is killed before each of its lasting effects. Afterwards the nodes trust one
// of the authorities or both, and the next run completes the replacement.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { certificatesIn } from '../../agent/drivers/openssl/read-certificate.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { killAtEveryEffect } from './kills.ts';

const skip = missingForHosts() ?? false;
const pki = '/etc/microshift-net/pki';
const southbound = 'ssl:192.0.2.11:6642';
/** Limit for the end of a connection, in seconds, far beyond the need of a busy machine. */
const endSeconds = '60';

/** Connects with a certificate of the old authority, and stays connected in the background. */
function hold(member: Host): void {
  const keys = ['-p', '/root/old.pem', '-c', '/root/old.pem', '-C', `${pki}/ca.crt`];
  const background = ['--detach', '--no-chdir', '--pidfile=/root/held.pid', '--log-file=/root/held.log'];
  const words = [
    'ovsdb-client',
    ...background,
    ...keys,
    'monitor',
    southbound,
    'OVN_Southbound',
    'SB_Global',
    'nb_cfg',
  ];
  // A process in the background would keep the test's pipes open, so its output goes to a file.
  member.must('sh', '-c', '"$@" > /root/held.out 2>&1', 'sh', ...words);
}

/** Returns true as soon as the connection has ended, which makes its program exit. */
function hasEnded(member: Host): boolean {
  const wait = 'test -e /root/held.pid || exit 0; exec timeout "$1" pidwait -F /root/held.pid';
  return member.run(['sh', '-c', wait, 'sh', endSeconds]).status !== 124;
}

/**
 * Returns true if the southbound database still accepts a client with the old certificate; the client trusts the same
 * authorities as the central node.
 */
function isTaken(central: Host, member: Host): boolean {
  member.write('/root/trusted.crt', readFileSync(central.path(`${pki}/ca.crt`), 'utf8'));
  const keys = ['-p', '/root/old.pem', '-c', '/root/old.pem', '-C', '/root/trusted.crt'];
  return member.run(['ovsdb-client', '-t', '10', ...keys, 'list-dbs', southbound]).status === 0;
}

t.test('the authority', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  form(t, [n1, n2]);
  n2.must('cp', `${pki}/node.pem`, '/root/old.pem');
  const trusted = (): number => certificatesIn(readFileSync(n1.path(`${pki}/ca.crt`), 'utf8')).length;
  const keep = (name: string): void => void n1.must('cp', '-a', pki, `/root/${name}`);
  const restore = (name: string): void => void n1.must('sh', '-c', `rm -r ${pki} && cp -a /root/${name} ${pki}`);
  const words = ['overlay', 'pki', 'rotate'];

  keep('before');
  const begun = killAtEveryEffect(
    n1,
    words,
    (step) => {
      const { stdout, stderr } = n1.agent(...words);
      t.match(
        stdout + stderr,
        /signs from now on|is being replaced already/,
        `rotate, killed at ${step}: the next rotate`,
      );
      t.match(n1.agent('overlay', 'apply'), { status: 0 });
      t.equal(trusted(), 2, 'both authorities are trusted');
      t.ok(isTaken(n1, n2), 'the certificate of the member is accepted');
      restore('before');
    },
    true,
  );
  t.match(begun.last, { status: 0 });
  t.ok(begun.effects >= 3, `rotate has ${begun.effects} effects`);
  t.equal(trusted(), 2);

  keep('begun');
  hold(n2);
  const ended = killAtEveryEffect(
    n1,
    [...words, '--finish'],
    (step) => {
      const { stdout, stderr } = n1.agent(...words, '--finish');
      const said = /signs from now on|no authority is being replaced/;
      t.match(stdout + stderr, said, `rotate --finish, killed at ${step}: the next rotate --finish`);
      t.match(n1.agent('overlay', 'apply'), { status: 0 });
      t.equal(trusted(), 1, 'only the new authority is trusted');
      t.ok(hasEnded(n2), 'a connection with the old certificate has ended');
      t.notOk(isTaken(n1, n2), 'the old certificate of the member is no longer accepted');
      restore('begun');
      hold(n2);
    },
    true,
  );
  t.match(ended.last, { status: 0 });
  t.ok(ended.effects >= 4, `rotate --finish has ${ended.effects} effects`);
  t.ok(hasEnded(n2));
  t.notOk(isTaken(n1, n2));
});
