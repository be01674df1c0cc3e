// The list of Kubernetes' end-to-end tests, Ginkgo's report on one of them, and the page made from the results.
import t from 'tap';
import { tablesOf } from '../../kubelet/conformance/conformance-page.ts';
import { outcomeIn, type Result } from '../../kubelet/conformance/results.ts';
import { listedTests, runsAlone, testsOf } from '../../kubelet/conformance/selection.ts';

const service = '[sig-network] Services should serve endpoints [Conformance]';
const policy = '[sig-network] Netpol NetworkPolicy between server and client should deny [Feature:NetworkPolicy]';
const other = '[sig-node] Pods should start [Conformance]';
const spec = {
  ContainerHierarchyTexts: ['[sig-network] Services'],
  LeafNodeType: 'It',
  LeafNodeText: 'should serve endpoints [Conformance]',
  State: 'passed',
  RunTime: 12_600_000_000,
};
const before = { ContainerHierarchyTexts: null, LeafNodeType: 'SynchronizedBeforeSuite', LeafNodeText: '' };

t.test('tests are in the group that their name matches, and in one group only', async (t) => {
  const printed = [
    'The following spec names can be used:',
    `    a/b.go:12: ${service}`,
    `    c.go:3: ${policy}`,
    `    d.go:4: ${other}`,
  ];
  const names = listedTests(printed.join('\n'));
  t.strictSame(names, [service, policy, other]);
  t.strictSame(testsOf('conformance', names), [service]);
  t.strictSame(testsOf('policies', names), [policy]);
  t.strictSame(testsOf('networking', names), [], 'the service belongs to the first group already');
  t.equal(runsAlone(service), false);
  t.equal(runsAlone('[sig-network] Services should be evicted [Serial]'), true);
});

t.test('the outcome of a test is that of the test with exactly this name in the report', async (t) => {
  const outcome = (specs: object[]) => outcomeIn([{ SuiteSucceeded: true, SpecReports: specs as [] }], service);
  const skipped = { ...spec, LeafNodeText: 'another', State: 'skipped', RunTime: 0 };
  t.strictSame(outcome([skipped, spec]), { state: 'passed', seconds: 13, said: '' });
  const failed = { ...spec, State: 'timedout', Failure: { Message: ' no answer\n' } };
  t.strictSame(outcome([failed]), { state: 'failed', seconds: 13, said: 'no answer' });
  const byItself = { ...spec, State: 'skipped', Failure: { Message: 'needs SSH' } };
  t.match(outcome([byItself]), { state: 'skipped', said: 'needs SSH' });
  t.match(outcome([skipped]), { state: 'unfinished' });
});

t.test(
  'a test that could not start because the suite failed is unfinished, with the failure of the suite',
  async (t) => {
    const suite = { ...before, State: 'failed', RunTime: 1, Failure: { Message: 'no nodes' } };
    const own = { ...spec, State: 'skipped', RunTime: 0 };
    const outcome = outcomeIn([{ SuiteSucceeded: false, SpecReports: [suite, own] }], service);
    t.strictSame(outcome, { state: 'unfinished', seconds: 0, said: 'no nodes' });
  },
);

t.test('the page has a row for each test, and the reason where one is known', async (t) => {
  const releases = { kubernetes: 'v1.2.3', ovn: '26.3.0', date: '2026-01-02' };
  const results: Result[] = [
    { name: service, state: 'passed', seconds: 5, said: '', ...releases },
    { name: policy, state: 'failed', seconds: 70, said: 'first line\nsecond line', ...releases },
  ];
  const known = [{ verdict: 'impossible' as const, test: /should deny/, why: 'no | here' }];
  const page = tablesOf(results, known);
  t.match(page, '### conformance\n\n1 tests: 1 passed. Kubernetes v1.2.3, OVN 26.3.0, 2026-01-02.');
  t.match(page, '| Services should serve endpoints | passed |  | 5 |');
  t.match(page, '| Netpol NetworkPolicy between server and client should deny | impossible | no \\| here | 70 |');
  t.match(tablesOf(results, []), '| failed | first line | 70 |');
  t.notMatch(page, '### networking', 'a group without results has no table');
});
