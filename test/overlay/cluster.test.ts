// `overlay init`, `join` and the other commands on real nodes: the tunnels carry packets, a second run writes nothing,
// and a removed node leaves nothing.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { initAuthority, issueFor, readAuthority } from '../../agent/run/overlay/certificates/authority.ts';
import { writesDuring } from './database-writes.ts';
import {
  type Ended,
  type Host,
  killProcess,
  missingForHosts,
  startCentral,
  startController,
  startLan,
  startNorthd,
} from './hosts.ts';
import { installPing } from './ping.ts';
import { talk } from './talk.ts';

const skip = missingForHosts() ?? false;

/** Issues a bundle for a node. */
function issue(central: Host, name: string, systemId = `${name}-of-the-test`): Ended {
  return central.agent('overlay', 'pki', 'issue', name, '--system-id', systemId);
}

function keys(host: Host): string {
  return host.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids', 'other_config', 'bridges');
}

const otherAuthority =
  /this node does not trust the authority of the bundle, although both name the\s+central node ssl:192\.0\.2\.11:6642; .*\s*pki renew n2/;

t.test('a cluster from its first node to the removal of its last', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  startCentral(n1);
  installPing(n1);
  for (const host of [n1, n2, n3]) startController(host);

  t.match(
    n1.agent('overlay', 'verify'),
    { status: 2, stderr: /this node is not in an overlay/ },
    'no overlay exists yet',
  );
  const begun = n1.agent('overlay', 'init');
  t.match(begun, {
    status: 0,
    stdout:
      /n1 has 10\.42\.0\.0\/24 of 10\.42\.0\.0\/16\.\nTo join a node.*\n {2}microshift-net overlay pki request \| ssh root@192\.0\.2\.11 /,
  });
  t.match(n1.agent('overlay', 'verify'), { status: 0, stdout: /No drift/ });

  const bundle = issue(n1, 'n2').stdout;
  t.match(n2.agentWith(bundle, 'overlay', 'join', '-'), {
    status: 0,
    stdout: /Done, \d+ changes: n2 has 10\.42\.1\.0\/24/,
  });
  for (const host of [n1, n2])
    t.match(host.agent('overlay', 'verify'), { status: 0 }, `${host.name} is in the desired state`);
  t.match(
    n1.agent('overlay', 'nodes').stdout,
    /^n1 +here +10\.42\.0\.0\/24 +192\.0\.2\.11 +- +- +now +- +1095 days +n1-of-the-test\nn2 +joined +10\.42\.1\.0\/24 +192\.0\.2\.12 +ovn-n2-of--0 up +tunnel +now /m,
  );
  t.match(
    n1.must('ovn-sbctl', '--bare', '--columns=target,role', 'list', 'Connection'),
    /^pssl:6642:192\.0\.2\.11\novn-controller\n$/,
  );
  t.equal(n1.must('ovn-nbctl', 'get-connection'), '', 'the northbound database is not on the network');

  const conversation = await talk(n2, n1, '10.42.0.2');
  t.equal(await conversation.say('from n2 to n1'), 'from n2 to n1', 'the tunnel carries a connection');

  const again = await writesDuring(n1, ['OVN_Northbound', 'OVN_Southbound', 'Open_vSwitch'], () => {
    for (const word of ['init', 'apply', 'plan'])
      t.match(n1.agent('overlay', word), { status: 0, stdout: /^Nothing to do/ }, `${word} again`);
  });
  t.strictSame(again, [], 'a second run writes nothing on the central node');
  const onNode = await writesDuring(n2, ['Open_vSwitch'], () => {
    t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
    t.match(n2.agentWith(bundle, 'overlay', 'join', '-'), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(onNode, [], 'a second run writes nothing on the other node');

  const other = t.testdir();
  await initAuthority(other);
  const pair = await issueFor(other, { name: 'n2', systemId: 'n2-of-the-test' }, 'client', 'issue');
  const pem = { ...pair, authority: readAuthority(other).certificate };
  t.match(
    n2.agentWith(JSON.stringify({ ...(JSON.parse(bundle) as object), pem }), 'overlay', 'join', '-'),
    { status: 2, stderr: otherAuthority },
    'a bundle of another authority with the same central node is refused',
  );
  t.match(n2.agent('overlay', 'verify'), { status: 0 }, 'nothing of the refused bundle is installed');

  t.match(issue(n1, 'n2'), { status: 2, stderr: /n2 is in the cluster already/ });
  t.match(issue(n1, 'n9', 'n2-of-the-test'), { status: 2, stderr: /have the same system-id/ });
  t.match(n3.agentWith(bundle, 'overlay', 'join', '-'), {
    status: 2,
    stderr: /the bundle is for n2, and this node is n3/,
  });
  t.match(n3.agentWith('{}', 'overlay', 'join', '-'), { status: 2, stderr: /format is missing/ });

  const before = keys(n3);
  const wrong = JSON.parse(issue(n1, 'n3').stdout) as { southbound: string[] };
  const nowhere = JSON.stringify({ ...wrong, southbound: ['ssl:192.0.2.11:6643'] });
  t.match(n3.agentWith(nowhere, 'overlay', 'join', '-'), {
    status: 5,
    stderr: /could not connect to ssl:192\.0\.2\.11:6643/,
  });
  t.equal(keys(n3), before, 'a node that could not join is as before');
  t.match(n3.run(['ls', '/etc/microshift-net/pki/node.pem', '/var/lib/microshift-net/overlay.json']), {
    status: 2,
    stdout: '',
  });
  t.match(n3.agentWith(JSON.stringify(wrong), 'overlay', 'join', '-'), { status: 0 }, 'the node can join later');
  t.match(await (await talk(n3, n2, '10.42.1.2')).say('from n3 to n2'), 'from n3 to n2');

  n2.must('ip', 'address', 'flush', 'dev', 'ovn-k8s-mp0');
  n2.must('ovs-vsctl', 'remove', 'Open_vSwitch', '.', 'external_ids', 'ovn-monitor-all');
  t.match(n2.agent('overlay', 'verify'), {
    status: 3,
    stdout: /~ Open_vSwitch .*\n.*\n.*ip addr replace 10\.42\.1\.2\/24/,
  });
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done, 4 changes/ });
  t.match(n2.agent('overlay', 'verify'), { status: 0 }, 'the changes by hand are repaired');

  const renewed = n1.agent('overlay', 'pki', 'renew', 'n2').stdout;
  t.not(renewed, bundle);
  t.match(n2.agentWith(renewed, 'overlay', 'join', '-'), { status: 0 });
  t.equal(readFileSync(n2.path('/etc/microshift-net/pki/node.pem'), 'utf8').includes('PRIVATE KEY'), true);
  t.match(n1.agent('overlay', 'pki', 'show').stdout, /^ca .*\nthis node .*\nn2 .*\nn3 /m);

  killProcess(n1, '/run/ovn/ovn-northd.pid');
  const early = n1.agent('overlay', 'pki', 'issue', 'n5', '--system-id', 'n5-of-the-test');
  t.match(early, { status: 0, stderr: /ovn-northd is not running on this node; until it runs, n5 has no port/ });
  startNorthd(n1);
  t.match(n1.agent('overlay', 'leave', '--node', 'n5'), { status: 0 });

  t.match(n1.agent('overlay', 'leave'), { status: 2, stderr: /n2, n3 would be without their central node/ });
  t.match(n1.agent('overlay', 'leave', '--node', 'n3'), { status: 0 });
  n1.must('ovn-nbctl', '--wait=sb', 'sync');
  const cause = /no port for n3: it was taken out\s+of the cluster there/;
  t.match(n3.agent('overlay', 'verify'), { status: 3, stdout: cause }, 'a member that was removed reports it');
  t.match(n3.agent('overlay', 'plan'), { status: 0, stdout: /^There is nothing that `overlay apply` can change/ });
  t.match(n3.agent('overlay', 'plan'), { stdout: cause });
  t.match(n3.agent('overlay', 'status'), { status: 0, stdout: cause });
  const documentOf = (...words: readonly string[]): unknown => JSON.parse(n3.agent(...words, '-o', 'json').stdout);
  const [reason] = (documentOf('overlay', 'verify') as { changes: { faults: readonly string[] } }).changes.faults;
  const applied = n3.agent('overlay', 'apply');
  t.match(applied, { status: 1, stderr: /waiting up to 15 s until the central node has a port for this node\n/ });
  t.match(documentOf('overlay', 'verify'), { outcome: 'drift', changes: { rows: [], kernel: [] } });
  t.match(reason, /^the central node has no port for n3: it was taken out of the cluster there, .*overlay leave/);
  t.match(documentOf('overlay', 'plan'), { outcome: 'problem', changes: { faults: [reason] } });
  t.match(documentOf('overlay', 'status'), { node: 'n3', isInCluster: false, controller: 'connected' });
  t.match(documentOf('overlay', 'status'), {
    membershipProblem: /^the central node has no port for n3: it was taken out/,
  });
  const installed = (): string => n3.must('sh', '-c', 'cd /etc/microshift-net/pki && ls -A && cat ca.crt node.pem');
  const member = `${keys(n3)}${installed()}`;
  t.match(
    n3.agentWith(JSON.stringify(wrong), 'overlay', 'join', '-'),
    { status: 2, stderr: /^(waiting .*\n)?microshift-net: the central node has no port for n3: .*overlay leave/ },
    'the bundle of a removed node is refused before the join waits for a port',
  );
  t.equal(`${keys(n3)}${installed()}`, member, 'nothing of the refused bundle is installed');
  t.match(n3.agent('overlay', 'leave'), { status: 0, stdout: /n3 is not in an overlay any more/ });
  t.match(n3.agent('overlay', 'leave'), { status: 0, stdout: /^Nothing to do: this node is not in an overlay/ });
  t.notMatch(keys(n3), /ovn-remote|ovn-encap/, 'n3 has no key of the overlay after leave');
  t.match(n3.agentWith(JSON.stringify(wrong), 'overlay', 'join', '-'), { status: 2, stderr: cause });
  t.notMatch(keys(n3), /ovn-remote|ovn-encap/, 'the refused bundle of the removed node adds no key');
  t.notMatch(n1.must('ovn-nbctl', 'show'), /n3/, 'no row of n3 is left');
  t.notMatch(n1.must('ovn-sbctl', 'show'), /n3/);

  for (const name of ['ovn-northd', 'ovnnb_db', 'ovnsb_db']) killProcess(n1, `/run/ovn/${name}.pid`);
  t.equal(await conversation.say('without a central node'), 'without a central node', 'running traffic goes on');
  t.match(n2.agent('overlay', 'verify'), {
    status: 3,
    stdout: /ovn-controller does not reach .*running traffic goes on/,
  });
  t.match(
    n2.agent('overlay', 'status'),
    { status: 0, stdout: /^Membership: it could not be checked whether .* n2 as a\s+member: ovn-controller does not/m },
    'status reports a central node that does not answer',
  );
  t.match(n1.agent('overlay', 'verify'), { status: 5 });
  t.match(n1.agent('overlay', 'disable', '--force'), { status: 0, stdout: /rows, in databases .* do not answer/ });
  t.notMatch(keys(n1), /ovn-remote|ovn-encap/, 'disable --force works on a central node without databases');
});
