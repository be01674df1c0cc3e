// What a member can do with its certificate to the others: nothing, whatever it writes of itself, also after it was taken out.
import t, { type Test } from 'tap';
import { form } from './form.ts';
import { type Ended, type Host, missingForHosts, startLan } from './hosts.ts';
import { answerTo, outside, startOutside, startPod } from './outside.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';

const reason = missingForHosts();
const id = 'n3-of-the-test';

interface Bundle {
  readonly pem: { readonly key: string; readonly certificate: string; readonly authority: string };
}

/** A machine with a member's certificate and ovn-sbctl(8), on which no ovn-controller runs. */
function liarOn(host: Host, { pem }: Bundle): (...words: readonly string[]) => Ended {
  for (const [file, text] of [
    ['key', pem.key],
    ['certificate', pem.certificate],
    ['authority', pem.authority],
  ] as const)
    host.write(`/root/${file}`, text);
  const keys = ['-p', '/root/key', '-c', '/root/certificate', '-C', '/root/authority'];
  return (...words) => host.run(['ovn-sbctl', '--db=ssl:192.0.2.11:6642', '--no-leader-only', ...keys, ...words]);
}

/** Registers with these columns, in place of what it said before. */
function register(write: ReturnType<typeof liarOn>, hostname: string, encap: string, options = ''): Ended {
  write('--if-exists', 'destroy', 'Chassis', id);
  return write(
    ...['--id=@end', 'create', 'Encap', `chassis_name=${id}`, ...encap.split(' '), '--'],
    ...[
      'create',
      'Chassis',
      `name=${id}`,
      `hostname=${hostname}`,
      'encaps=@end',
      `other_config:ovn-cms-options="${options}"`,
    ],
    'other_config:ovn-bridge-mappings="physnet:br-ex"',
  );
}

/** A member's certificate is not taken for the central node's by another member, whatever answers at an address. */
function poses(t: Test, liar: Host, member: Host): void {
  const files = ['--private-key=/root/key', '--certificate=/root/certificate', '--ca-cert=/root/authority'];
  const places = ['--unixctl=/root/posing.ctl', '--pidfile=/root/posing.pid', '--log-file=/root/posing.log'];
  liar.must('ovsdb-tool', 'create', '/root/posing.db', '/usr/share/ovn/ovn-sb.ovsschema');
  liar.must('ovsdb-server', '/root/posing.db', '--remote=pssl:6642', ...files, ...places, '--detach', '--no-chdir');
  const own = '/etc/microshift-net/pki/node.pem';
  const ask = (address: string): Ended =>
    member.run([
      'ovsdb-client',
      '-p',
      own,
      '-c',
      own,
      '-C',
      '/etc/microshift-net/pki/ca.crt',
      'list-dbs',
      `ssl:${address}:6642`,
    ]);
  t.match(ask('192.0.2.11'), { status: 0, stdout: /OVN_Southbound/ }, 'the central node is one');
  t.match(ask('192.0.2.13'), { status: 1, stderr: /failed to connect/ }, 'a member is none');
}

const announced = (address: string): string =>
  ['kind=shared', 'network=physnet', 'mac=52:54:00:00:00:99', `address=${address}`]
    .map((entry) => `microshift-net:${entry}`)
    .join();

if (reason !== null) t.plan(0, reason);
else for (const which of ovnsHere()) t.test(`a member that lies, OVN: ${which}`, (t) => hostile(t, which));

async function hostile(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  await startOutside(lan);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  form(t, [n1, n2]);
  t.match(n1.agent('overlay', 'gateway', '--next-hop', '192.0.2.254'), { status: 0 });
  const pod = startPod(n1, n2, '10.42.1.9');
  const reached = (when: string): void => {
    t.equal(answerTo(n2, '10.42.1.9', ...pod), n1.address, `what is far away is reached ${when}`);
  };
  reached('before');
  const rows = (): string =>
    ['Logical_Router_Policy', 'Logical_Router_Static_Route', 'NAT', 'Logical_Router']
      .map((table) => n1.must('ovn-nbctl', 'list', table))
      .join();
  const issued = n1.agent('overlay', 'pki', 'issue', 'n3', '--system-id', id);
  const write = liarOn(n3, JSON.parse(issued.stdout) as Bundle);
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  poses(t, n3, n2);
  const before = rows();

  const holds = (what: string, fault: RegExp): void => {
    for (const command of ['plan', 'apply', 'nodes'])
      t.match(n1.agent('overlay', command), { status: 0 }, `${what}: ${command} works`);
    t.match(
      n1.agent('overlay', 'verify'),
      { status: 3, stdout: /certificate n3-of-the-test/ },
      `${what}: it is reported`,
    );
    t.match(n1.agent('overlay', 'verify').stdout.replaceAll(/\s+/g, ' '), fault, what);
    t.equal(rows(), before, `${what}: no row is another one`);
  };
  const own = 'type=geneve ip="192.0.2.13"';
  t.match(register(write, 'n2', own), { status: 0 });
  holds("another's name", /registers under the name of n2/);
  t.match(register(write, 'n3', 'type=vxlan ip="192.0.2.12"'), { status: 0 });
  holds("another's address", /claims the tunnel address 192\.0\.2\.12 of n2-of-the-test/);
  t.match(register(write, 'n3', own, announced(`${outside}/32`)), { status: 0 });
  holds('an address far away', /--gateway 198\.51\.100\.1/);
  reached('with a member that claims it');

  t.match(n1.agent('overlay', 'leave', '--node', 'n3'), { status: 0 });
  t.match(register(write, 'n2', 'type=vxlan ip="192.0.2.12"', announced(`${outside}/32`)), { status: 0 });
  for (const command of ['plan', 'apply', 'nodes'])
    t.match(n1.agent('overlay', command), { status: 0 }, `${command} works with one that was taken out`);
  t.match(n1.agent('overlay', 'verify'), {
    status: 3,
    stdout: /certificate n3-of-the-test is registered, and is of no\s+member/,
  });
  reached('with one that was taken out');
}
