import t from 'tap';
import type { OverlayChanges } from '../../../agent/model/overlay-plan.ts';
import { certificatesText } from '../../../agent/view/overlay-pki-view.ts';
import { changesLines, countChanges, countWorkload, mendText } from '../../../agent/view/overlay-view.ts';
import { plain } from '../../../agent/view/style.ts';

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

t.test('rows that the daemon writes are counted and named apart', async (t) => {
  t.strictSame([changesLines(nothing, plain), countChanges(nothing), countWorkload(nothing)], [[], 0, 0]);
  const workload = { ...nothing, workload: plan('default_web') };
  t.strictSame([countChanges(workload), countWorkload(workload)], [0, 1]);
  t.strictSame(changesLines(workload, plain), [
    'OVN_Northbound, which the daemon writes for Kubernetes:',
    '  + Logical_Switch_Port default_web (it is new)',
  ]);
  t.strictSame(changesLines({ ...nothing, workload: plan() }, plain), [], 'nothing of it differs');
});

t.test('who mends what', async (t) => {
  const [ofNode, ofDaemon] = [/overlay apply/, /systemctl status microshift-net-overlay/];
  const own = { ...nothing, databases: [plan('n1')] };
  t.match(mendText(own), ofNode);
  t.notMatch(mendText(own), ofDaemon);
  const workload = { ...nothing, workload: plan('default_web') };
  t.match(mendText(workload), ofDaemon);
  t.notMatch(mendText(workload), ofNode, 'which would write none of it');
  const both = mendText({ ...own, workload: plan('default_web') });
  t.match(both, ofNode);
  t.match(both, ofDaemon);
  const broken = mendText({ ...nothing, faults: ['certificate n3 claims another address'] });
  t.notMatch(broken, /Repair it with/, 'which would write nothing');
  t.match(broken, /repaired where it is named/);
  t.match(mendText({ ...own, faults: ['ovn-controller does not run'] }), ofNode);
});

t.test('what is worth knowing is shown, and is no drift', async (t) => {
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
  t.match(lines[2], /^n3 .*2029-01-02 \(over\)/);
  t.match(certificatesText([], plain, null), 'no certificates on this node');
  t.end();
});
