// Reasons for which a node is not accepted into a cluster: each refusal reports the cause and a remedy, and changes
// nothing. The ovsdb-server of a release reports its listeners, so they are tested with each release; the agent finds
// all other reasons in rows and files, whose form does not depend on the release.
import { readFileSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { issueCertificate, type KeyPair } from '../../agent/drivers/openssl/certificates.ts';
import { type Ended, type Host, missingForHosts, startCentral, startController, startLan } from './hosts.ts';
import { stateOf } from './overlay-state.ts';
import { ovnsHere } from './ovn-of-nodes.ts';

const skip = missingForHosts() ?? false;
const own = '/etc/microshift-net/pki/node.pem';
const record = '/var/lib/microshift-net/overlay.json';

interface Bundle {
  readonly southbound: readonly string[];
  readonly pem: { readonly key: string; readonly certificate: string; readonly authority: string };
}

const issue = (central: Host, name: string, systemId = `${name}-of-the-test`): Ended =>
  central.agent('overlay', 'pki', 'issue', name, '--system-id', systemId);

/** Returns a certificate of the cluster's own authority that expired yesterday. */
function over(t: Test, central: Host, commonName: string): Promise<KeyPair> {
  const read = (file: string): string => readFileSync(central.path(`/etc/microshift-net/pki/${file}`), 'utf8');
  return issueCertificate(
    t.testdir(),
    { key: read('ca.key'), certificate: read('ca.crt') },
    commonName,
    'server and client',
    -1,
  );
}

/** Returns the state of the central node and its databases. */
const all = (host: Host): string =>
  [
    stateOf(host),
    readFileSync(host.path(record), 'utf8'),
    host.must('ovn-nbctl', 'show'),
    host.must('ovn-sbctl', 'list', 'Chassis'),
  ].join('\n');

t.test('init, pki issue and join refuse unsuitable nodes', { skip }, async (t) => {
  const [first] = ovnsHere();
  for (const which of ovnsHere())
    await t.test(`OVN: ${which}`, async (t) => {
      const lan = await startLan(t, which);
      const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
      startCentral(n1);
      for (const host of [n1, n2]) startController(host);
      if (which === first) occupied(t, n1);
      openListeners(t, n1, n2, which === first);
      if (which === first) await members(t, n1, n2);
    });
});

/** Tests databases in which another program has rows, and a node that works for another database. */
function occupied(t: Test, n1: Host): void {
  n1.must('ovn-nbctl', 'lr-add', 'ovn_cluster_router', '--', 'ls-add', 'join', '--', 'ls-add', 'n7');
  t.match(n1.agent('overlay', 'init'), {
    status: 2,
    stderr: /cluster router of an ovnkube: ovn_cluster_router, join, n7; one of the two can run the cluster/,
  });
  n1.must('ovn-nbctl', 'lr-del', 'ovn_cluster_router', '--', 'ls-del', 'join', '--', 'ls-del', 'n7');
  n1.must('ovs-vsctl', 'set', 'Open_vSwitch', '.', 'external_ids:ovn-remote=unix:/run/ovn/ovnsb_db.sock');
  t.match(n1.agent('overlay', 'init'), { status: 2, stderr: /works for unix:\/run\/ovn\/ovnsb_db.sock already/ });
  n1.must('ovs-vsctl', 'remove', 'Open_vSwitch', '.', 'external_ids', 'ovn-remote');
}

/**
 * Tests databases on which another program has opened listeners, before and after `init`. Only `isFirst` tests commands
 * that take the same findings as `init` and `verify`.
 */
function openListeners(t: Test, n1: Host, n2: Host, isFirst: boolean): void {
  // The two openings of a pair exist together after `init`, because they concern different lists.
  const pairs = [
    [
      ['ovn-nbctl', 'set-connection', 'ptcp:6641'],
      ['ovn-sbctl', 'set-connection', 'ptcp:6642'],
    ],
    [
      ['ovn-nbctl', 'set-connection', 'pssl:6651'],
      ['ovs-appctl', '-t', '/run/ovn/ovnnb_db.ctl', 'ovsdb-server/add-remote', 'ptcp:6641'],
    ],
  ] as const;
  const close = (): void => {
    n1.must('ovn-nbctl', 'del-connection');
    n1.must('ovn-sbctl', 'del-connection');
    n1.run(['ovs-appctl', '-t', '/run/ovn/ovnnb_db.ctl', 'ovsdb-server/remove-remote', 'ptcp:6641']);
  };
  for (const opening of pairs.flat()) {
    n1.must(...opening);
    const target = opening.at(-1) ?? '';
    const stderr = new RegExp(`bound database is open at ${target}: .* every row of the cluster; close it: .*`);
    t.match(n1.agent('overlay', 'init'), { status: 2, stderr }, opening.join(' '));
    close();
  }
  t.match(n1.agent('overlay', 'init'), { status: 0 });
  for (const pair of pairs) {
    for (const opening of pair) n1.must(...opening);
    if (pair === pairs[0])
      t.match(
        n2.run(['ovn-nbctl', '--db=tcp:192.0.2.11:6641', 'show']),
        { status: 0 },
        'another host of the LAN reaches the open database',
      );
    if (isFirst) t.match(n1.agent('overlay', 'apply'), { status: 0 }, 'a running overlay continues');
    const verified = n1.agent('overlay', 'verify');
    const examined = isFirst ? n1.agent('doctor').stdout : null;
    t.equal(verified.status, 3);
    for (const opening of pair) {
      const found = new RegExp(`bound database\\s+is\\s+open\\s+at\\s+${opening.at(-1)}:`);
      t.match(verified.stdout, found, `${opening.join(' ')}: verify`);
      if (examined !== null) t.match(examined, found, `${opening.join(' ')}: doctor`);
    }
    if (isFirst) t.match(n1.agent('overlay', 'init'), { status: 2, stderr: /is open at/ }, 'a second init is refused');
    close();
    t.match(n1.agent('overlay', 'apply'), { status: 0 }, 'apply works after the command of the hint');
    t.match(n1.agent('overlay', 'verify'), { status: 0 });
  }
}

/** Tests members that are refused: by the central node, or when they join. */
async function members(t: Test, n1: Host, n2: Host): Promise<void> {
  const refuses = (what: string, ended: () => Ended, stderr: RegExp): void => {
    const before = all(n1);
    t.match(ended(), { status: 2, stderr }, what);
    t.equal(all(n1), before, `${what}: the central node is as before`);
  };
  const taken = ['rtos-n7', '0a:58:0a:2a:01:01', '10.42.1.1/24'];
  n1.must('ovn-nbctl', 'lrp-add', 'ovn_cluster_router', ...taken);
  refuses('subnet taken', () => issue(n1, 'n2'), /10\.42\.1\.0\/24 of node n2 is taken by node n7; .*lrp-del rtos-n7/);
  n1.must('ovn-nbctl', 'lrp-del', 'rtos-n7');
  const kept = readFileSync(n1.path(record), 'utf8');
  writeFileSync(n1.path(record), kept.replaceAll('"10.42.0.0/24"', '"10.99.0.0/24"'));
  refuses(
    'subnet outside',
    () => n1.agent('overlay', 'apply'),
    /10\.99\.0\.0\/24 of node n1 is not in 10\.42\.0\.0\/16/,
  );
  writeFileSync(n1.path(record), kept);
  const ids = ['owner=microshift-net', 'owner-node=n2', 'owner-chassis=another'].map((one) => `external_ids:${one}`);
  n1.must('ovn-nbctl', 'ls-add', 'n2', '--', 'set', 'Logical_Switch', 'n2', ...ids);
  refuses(
    'name of another chassis',
    () => issue(n1, 'n2'),
    /n2 is chassis another, not n2-of-the-test; .*overlay leave --node n2/,
  );
  t.match(n1.agent('overlay', 'leave', '--node', 'n2'), { status: 0 }, 'the command of the message succeeds');
  n1.must('ovn-sbctl', 'chassis-add', 'n2-of-the-test', 'geneve', '192.0.2.77');
  n1.must('ovn-sbctl', 'set', 'Chassis', 'n2-of-the-test', 'hostname=n7');
  refuses(
    'system-id of another node',
    () => issue(n1, 'n2'),
    /n2 and n7 have the same system-id, n2-of-the-test; a disk/,
  );
  t.match(n1.agent('overlay', 'leave', '--node', 'n7'), { status: 0 });
  t.match(n1.agent('overlay', 'leave', '--node', 'n8'), { status: 2, stderr: /n8 is not in the cluster/ });

  const bundle = JSON.parse(issue(n1, 'n2').stdout) as Bundle;
  const other = JSON.parse(issue(n1, 'n3').stdout) as Bundle;
  const before = stateOf(n2);
  const join = (changed: Partial<Bundle> = {}): Ended =>
    n2.agentWith(JSON.stringify({ ...bundle, ...changed }), 'overlay', 'join', '-');
  const keepsOut = (what: string, changed: Partial<Bundle>, status: number, stderr: RegExp): void => {
    t.match(join(changed), { status, stderr }, what);
    t.equal(stateOf(n2), before, `${what}: the node is as before`);
  };
  const kubelet = '/var/lib/kubelet/pki/kubelet-client-current.pem';
  n2.must('mkdir', '-p', '/var/lib/kubelet/pki');
  n2.write(kubelet, (await over(t, n1, 'system:node:n9')).certificate);
  keepsOut("the kubelet's name", {}, 2, /this node is n2 here, and n9 for its kubelet; set overlay\.nodeName: n9/);
  n2.write(kubelet, (await over(t, n1, 'system:node:n2')).certificate);
  n1.must('ovn-sbctl', 'chassis-add', 'another', 'geneve', '192.0.2.12');
  keepsOut(
    'tunnel address',
    {},
    2,
    /another is registered with the tunnel address 192\.0\.2\.12 .*leave --node another/,
  );
  t.match(n1.agent('overlay', 'leave', '--node', 'another'), { status: 0 });
  n1.must('ovn-sbctl', 'chassis-add', 'n2-of-the-test', 'geneve', '192.0.2.77');
  keepsOut('system-id', {}, 2, /n2-of-the-test is registered with the system-id n2-of-the-test already/);
  n1.must('ovn-sbctl', 'chassis-del', 'n2-of-the-test');

  keepsOut(
    'certificate of n3',
    { pem: other.pem },
    2,
    /certificate in the bundle is for the system-id n3-of-the-test.*pki renew n2/,
  );
  const ended = { ...(await over(t, n1, 'n2-of-the-test')), authority: bundle.pem.authority };
  keepsOut('an expired certificate', { pem: ended }, 2, /certificate expired.*renew/is);
  n1.must('ovs-appctl', '-t', '/run/ovn/ovnsb_db.ctl', 'ovsdb-server/add-remote', 'ptcp:6650:192.0.2.11');
  keepsOut('no TLS', { southbound: ['ssl:192.0.2.11:6650'] }, 5, /listens there with TLS/);
  keepsOut(
    'without a server',
    { southbound: ['ssl:192.0.2.99:6642'] },
    5,
    /could not connect to ssl:192\.0\.2\.99:6642.*firewall/s,
  );
  n2.write('/etc/microshift-net/pki/ca.key', 'a key');
  t.match(join(), { status: 2, stderr: /this node has an authority of its own/ });
  n2.must('rm', '/etc/microshift-net/pki/ca.key');

  const good = readFileSync(n1.path(own), 'utf8');
  const { key, certificate } = await over(t, n1, 'n1-of-the-test');
  n1.write(own, key + certificate);
  keepsOut(
    'an expired certificate of the central node',
    {},
    2,
    /compare the clocks of both nodes; else renew the certificate/,
  );
  n1.write(own, good);
  t.match(join(), { status: 0 }, 'the node joins afterwards');

  const keys = ['-p', own, '-c', own, '-C', '/etc/microshift-net/pki/ca.crt'];
  const write = (...words: readonly string[]): Ended =>
    n2.run(['ovn-sbctl', '--db=ssl:192.0.2.11:6642', '--no-leader-only', ...keys, ...words]);
  t.match(
    write('set', 'Chassis', 'n2-of-the-test', 'other_config:test=1'),
    { status: 0 },
    'a node writes its own rows',
  );
  for (const words of [
    ['set', 'Chassis', 'n1-of-the-test', 'other_config:test=1'],
    ['chassis-del', 'n1-of-the-test'],
    ['del-connection'],
  ])
    t.match(
      write(...words),
      { status: 1, stderr: /RBAC rules|permission error/ },
      `a node cannot write other rows: ${words.join(' ')}`,
    );
}
