// Ctrl-C before effects of `overlay init`, `overlay pki issue` and `overlay join`, on real OVN: the command reports the
// state of the node, which is exactly the old one or the new one.
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { type Ended, type Host, missingForHosts, startCentral, startController, startLan } from './hosts.ts';
import { interruptAtEffects } from './kills.ts';
import { stateOf } from './overlay-state.ts';

const skip = missingForHosts() ?? false;
const bundle = '/tmp/bundle';
const controllerPid = '/run/ovn/ovn-controller.pid';

/** Returns rows of the central databases by table, without the columns in which ovn-northd and the chassis report. */
function centralRows(host: Host): string {
  host.must('ovn-nbctl', '--timeout=60', '--wait=sb', 'sync');
  const rows = (['nb', 'sb'] as const).flatMap((short) => {
    const name = short === 'nb' ? 'OVN_Northbound' : 'OVN_Southbound';
    const dump = host.must('ovsdb-client', '-f', 'json', 'dump', `unix:/run/ovn/ovn${short}_db.sock`, name);
    const tables = dump
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { caption: string; headings: readonly string[]; data: readonly unknown[][] });
    return tables.flatMap(({ caption, headings, data }) => {
      // At each start, ovn-northd replaces rows of the RBAC tables, and the new rows have other UUIDs.
      if (data.length === 0 || /^RBAC/.test(caption)) return [];
      const kept = /_Global/.test(caption)
        ? data.map((row) => ['connections', 'ssl', 'external_ids'].map((column) => row[headings.indexOf(column)]))
        : data;
      return [`${caption}: ${JSON.stringify(kept)}`];
    });
  });
  return rows.join('\n');
}

/** Returns everything that the commands change on a node, except the process of ovn-controller. */
function everything(host: Host): string {
  const ports = ['br-ex', 'br-int'].map((bridge) => host.run(['ovs-vsctl', 'list-ports', bridge]).stdout);
  const files = host.run([
    'sh',
    '-c',
    'find /etc/microshift-net /var/lib/microshift-net -type f; nft list ruleset',
  ]).stdout;
  return [stateOf(host), ...ports, host.must('ip', '-o', 'address', 'show', 'scope', 'global'), files].join('\n');
}

/** Starts ovn-controller, even while another one is ending. */
function freshController(host: Host): void {
  host.run(['sh', '-c', `kill -KILL "$(cat ${controllerPid})"; rm -f ${controllerPid}`]);
  startController(host);
  host.must('ovs-vsctl', '--timeout=60', 'wait-until', 'Bridge', 'br-int');
}

const stoppedText = 'microshift-net: stopped by SIGINT; ';
const again = '; run it again if its change is still wanted';
const rolledBack = `${stoppedText}what was begun is rolled back, and the node is in the state before${again}`;
// Message of a rollback that had to stop ovn-controller: the nodes of this test have no systemd that starts it again.
const withoutController = [
  `${stoppedText}the rollback is incomplete${again}`,
  '  then: the old state could not be restored: the D-Bus system bus at ',
];

const notAdmitted = 'nothing was changed, and no bundle is written';
const withoutBundle = 'n2 is a member of the cluster, and its bundle is not written';

/** Checks the message of a command that Ctrl-C has stopped. */
function saysStopped(t: Test, what: string, { status, stderr }: Ended): void {
  const said = stderr.split('\n').slice(
    stderr.split('\n').findIndex((line) => line.startsWith('microshift-net: ')),
    -1,
  );
  if (status === 4) {
    t.equal(said.length, 2, `${what}: two sentences`, { stderr });
    t.equal(said[0], withoutController[0], `${what}: the first sentence`, { stderr });
    t.ok(said[1]?.startsWith(withoutController[1] ?? ''), `${what}: only ovn-controller is missing`, { stderr });
    return;
  }
  t.strictSame([status, said], [1, [rolledBack]], `${what}: one sentence`, { stderr });
}

t.test('Ctrl-C', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  startCentral(n1);
  for (const host of [n1, n2]) freshController(host);
  const before = [centralRows(n1), everything(n1)];
  const begun = interruptAtEffects(n1, ['overlay', 'init'], 4, (step, ended) => {
    const what = `init, Ctrl-C before effect ${step}`;
    if (ended.status === 0) {
      t.match(n1.agent('overlay', 'verify'), { status: 0 }, `${what}: the new state`);
      t.match(n1.agent('overlay', 'disable'), { status: 0 });
    } else {
      saysStopped(t, what, ended);
      t.strictSame([centralRows(n1), everything(n1)], before, `${what}: the old state`);
    }
    freshController(n1);
  });
  t.match(begun.last, { status: 0 });
  t.ok(begun.effects > 10, `init has ${begun.effects} effects`);

  const members = (): readonly string[] => [
    n1.must('ovn-nbctl', 'show'),
    everything(n1),
    readFileSync(n1.path('/var/lib/microshift-net/overlay.json'), 'utf8'),
  ];
  let without = members();
  const ends = new Set<string>();
  const words = ['overlay', 'pki', 'issue', 'n2', '--system-id', 'n2-of-the-test'];
  const admitted = interruptAtEffects(n1, words, 2, (step, ended) => {
    const what = `pki issue, Ctrl-C before effect ${step}`;
    const [, state = ''] = /^microshift-net: stopped by SIGINT; (.*); (?:run it|write its)/m.exec(ended.stderr) ?? [];
    ends.add(state);
    t.match(ended, { status: 1, stdout: '' }, `${what}: no bundle`);
    if (state === notAdmitted) t.strictSame(members(), without, `${what}: the old state`);
    else {
      t.equal(state, withoutBundle, `${what}: one sentence`, ended);
      t.match(n1.agent('overlay', 'verify'), { status: 0 }, `${what}: the rows of the new state`);
      t.match(n1.agent('overlay', 'pki', 'renew', 'n2'), { status: 0, stdout: /"certificate"/ }, `${what}: the hint`);
      t.match(n1.agent('overlay', 'leave', '--node', 'n2'), { status: 0 });
      without = members();
    }
  });
  t.strictSame([...ends].sort(), [withoutBundle, notAdmitted], 'both ends occur');
  t.match(admitted.last, { status: 0 });
  n2.write(bundle, admitted.last.stdout);
  const central = (): string =>
    n1.must('ovn-nbctl', 'show') + n1.must('ovn-sbctl', '--bare', '--columns=name', 'list', 'Chassis');
  const around = [central(), everything(n2)];
  const joined = interruptAtEffects(n2, ['overlay', 'join', bundle], 3, (step, ended) => {
    const what = `join, Ctrl-C before effect ${step}`;
    if (ended.status === 0) {
      t.match(n2.agent('overlay', 'verify'), { status: 0 }, `${what}: the new state`);
      t.match(n2.agent('overlay', 'leave'), { status: 0 });
    } else {
      saysStopped(t, what, ended);
      t.strictSame([central(), everything(n2)], around, `${what}: the old state`);
    }
    freshController(n2);
  });
  t.match(joined.last, { status: 0 });
  t.ok(joined.effects > 5, `join has ${joined.effects} effects`);
});
