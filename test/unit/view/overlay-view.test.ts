import t from 'tap';
import { missingPortText } from '../../../agent/model/missing-port.ts';
import type { OverlayChanges } from '../../../agent/model/overlay-plan.ts';
import {
  overlayApplyDocument,
  overlayPlanDocument,
  overlayVerifyDocument,
} from '../../../agent/view/json/overlay-json.ts';
import { certificatesText } from '../../../agent/view/overlay-pki-view.ts';
import {
  appliedText,
  changesLines,
  countChanges,
  countWorkload,
  mendText,
  overlayPlanText,
  overlayVerifyText,
} from '../../../agent/view/overlay-view.ts';
import { plain } from '../../../agent/view/style.ts';
import { modern, nodeOf } from '../overlay/cluster.ts';

const database = 'OVN_Northbound';
const row = (title: string) =>
  ({
    do: 'insert',
    table: 'Logical_Switch_Port',
    title,
    name: 'row0',
    row: {},
    place: null,
    why: 'it is new',
  }) as const;
const plan = (...titles: readonly string[]) => ({ database, guards: [], changes: titles.map(row), trace: [] });
const nothing: OverlayChanges = {
  databases: [plan()],
  managementPort: [],
  demux: [],
  workload: null,
  faults: [],
  notices: [],
};

t.test('rows that the daemon writes are counted and named separately', async (t) => {
  t.strictSame([changesLines(nothing, plain), countChanges(nothing), countWorkload(nothing)], [[], 0, 0]);
  const workload = { ...nothing, workload: plan('default_web') };
  t.strictSame([countChanges(workload), countWorkload(workload)], [0, 1]);
  t.strictSame(changesLines(workload, plain), [
    'OVN_Northbound, which the daemon writes for Kubernetes:',
    '  + Logical_Switch_Port default_web (it is new)',
  ]);
  t.strictSame(
    changesLines({ ...nothing, workload: plan() }, plain),
    [],
    'rows of the daemon are not shown as changes',
  );
});

t.test('the command that repairs each difference', async (t) => {
  const [ofNode, ofDaemon] = [/overlay apply/, /systemctl status microshift-net-overlay/];
  const own = { ...nothing, databases: [plan('n1')] };
  t.match(mendText(own), ofNode);
  t.notMatch(mendText(own), ofDaemon);
  const workload = { ...nothing, workload: plan('default_web') };
  t.match(mendText(workload), ofDaemon);
  t.notMatch(mendText(workload), ofNode, 'rows of the daemon are not repaired by the command of the node');
  const both = mendText({ ...own, workload: plan('default_web') });
  t.match(both, ofNode);
  t.match(both, ofDaemon);
  const broken = mendText({ ...nothing, faults: ['certificate n3 claims another address'] });
  t.notMatch(broken, /Repair it with/, 'a command that would write nothing is not shown');
  t.match(broken, /repaired where it is named/);
  t.match(mendText({ ...own, faults: ['ovn-controller is not running'] }), ofNode);
});

t.test('notices are shown, and are not drift', async (t) => {
  const known = { ...nothing, notices: ['certificate n9 is registered, but belongs to no member'] };
  t.strictSame(changesLines(known, plain), [
    'Worth knowing:',
    '  certificate n9 is registered, but belongs to no member',
  ]);
  t.equal(countChanges(known), 0);
});

t.test('certificates and the time for which they are valid', (t) => {
  const certificate = { name: 'n2', commonName: 'n2-id', notAfter: '2029-01-02T03:04:05.000Z', file: 'issued/n2.pem' };
  const lines = certificatesText(
    [
      { ...certificate, days: 400 },
      { ...certificate, name: 'n3', days: -1 },
    ],
    plain,
    null,
  ).split('\n');
  t.match(lines[1], /^n2 +n2-id +2029-01-02 \(400 days\) +issued\/n2\.pem$/);
  t.match(lines[2], /^n3 .*2029-01-02 \(expired\)/);
  t.match(certificatesText([], plain, null), 'This node has no certificates of an overlay');
  t.end();
});

t.test('plan and verify beside a fault, such as a member that was taken out of the cluster', (t) => {
  const expelled = { ...nothing, faults: [missingPortText('n2')] };
  const fault =
    'the central node has no port for n2: it was taken out of the cluster there, or its rows are not written yet';
  t.equal(
    overlayPlanText(expelled, plain),
    `There is nothing that \`overlay apply\` can change.\nDoes not work:\n  ${fault}`,
  );
  t.match(overlayPlanDocument(expelled), { outcome: 'problem', changes: { rows: [], faults: [fault] } });
  const { outcome } = overlayVerifyDocument(expelled);
  t.equal(outcome, 'drift');
  const verified = overlayVerifyText(expelled, false, plain);
  t.match(verified, `Drift:\nDoes not work:\n  ${fault}\n`);
  t.notMatch(verified, /No drift|desired state/);

  const both = { ...expelled, databases: [plan('n1')] };
  t.match(overlayPlanText(both, plain), /^1 change:[\s\S]*Does not work:/);
  t.match(overlayPlanDocument(both), { outcome: 'changes', changes: { faults: [fault] } });
  t.equal(overlayPlanText(nothing, plain), 'Nothing to do.');
  t.match(overlayPlanDocument(nothing), { outcome: 'as-wanted' });
  t.end();
});

t.test('verify lists the compared parts, and other facts worth knowing', (t) => {
  const known = { ...nothing, notices: ['n2 does not answer at 192.0.2.12, where its tunnel ends'] };
  t.match(overlayVerifyDocument(known), { outcome: 'as-wanted', changes: { notices: known.notices } });
  t.equal(
    overlayVerifyText(known, true, plain),
    [
      'No drift: the rows, certificates, kernel settings and flows of this node are in the desired state.',
      'Worth knowing:',
      '  n2 does not answer at 192.0.2.12, where its tunnel ends',
    ].join('\n'),
  );
  t.end();
});

t.test('an apply that starts ovn-controller and writes nothing', (t) => {
  const node = nodeOf(1);
  const record = { format: 1, layout: modern, southbound: [], node, members: null } as const;
  t.match(appliedText(record, nothing, true), /^Done, and ovn-controller is started: n1 has /);
  t.match(overlayApplyDocument(nothing, true), { outcome: 'changed', isStarted: true });
  t.match(appliedText(record, nothing, false), /^Nothing to do: n1 has /);
  t.match(overlayApplyDocument(nothing, false), { outcome: 'unchanged', isStarted: false });
  t.end();
});
