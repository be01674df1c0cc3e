// A policy of a hostile user: a small object that would cause many rows.
import t from 'tap';
import { foundIn } from '../../../../agent/overlay/rows/desired-rows.ts';
import { kinds } from '../../../../agent/run/overlay/watcher/followed-kinds.ts';
import { noticeOfBudget } from '../../../../agent/run/overlay/watcher/notices.ts';
import { budgets, mostNumbersOfPort } from '../../../../agent/workload/budget.ts';
import { planWorkload } from '../../../../agent/workload/plan-workload.ts';
import { readPolicy } from '../../../../agent/workload/policies/read-policy.ts';
import { emptyNorthbound, modern } from '../../overlay/cluster.ts';
import { allPolicyUnits, emptyWorld, factsOf, namespaceOf, podOf, portOf } from './world.ts';

const metadata = { namespace: 'web', name: 'one', uid: '1' };
const blocks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ipBlock: { cidr: `10.${index >> 8}.${index & 255}.0/24` } }));
const labels = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ podSelector: { matchLabels: { a: `${index}` } } }));
const names = (count: number) => Array.from({ length: count }, (_, index) => ({ port: `p${index}` }));
const numbers = (count: number) => Array.from({ length: count }, (_, index) => ({ port: index + 1 }));

const policyKind = kinds.find(({ kind }) => kind === 'NetworkPolicy');
if (policyKind === undefined) throw new Error('policies are not followed');

function read(from: readonly object[], ports: readonly object[]) {
  return readPolicy({ metadata, spec: { podSelector: {}, ingress: [{ from, ports }] } });
}

/** Returns the ACLs of a policy for pods, each of which has one of these ports. */
function listsOf(policy: ReturnType<typeof read>, ports = [portOf('p0', 80), portOf('p0', 80)]) {
  const world = emptyWorld();
  world.namespaces.set('web', namespaceOf('web'));
  for (const [index, port] of ports.entries()) world.pods.set(`web/${index}`, podOf(`web/${index}`, { ports: [port] }));
  world.policies.set('web/one', policy);
  const database = emptyNorthbound();
  const facts = factsOf(modern, world);
  const { existing, shape } = foundIn(database.rows());
  const { changes } = planWorkload(facts, existing, shape, allPolicyUnits(facts, database));
  return changes.flatMap((change) => (change.do === 'insert' && change.table === 'ACL' ? [change] : []));
}

t.test('policies of ordinary size are served', (t) => {
  const ordinary: readonly (readonly [object[], object[]])[] = [
    [blocks(300), numbers(3)],
    [blocks(900), []],
    [labels(10), names(4)],
    [labels(1), numbers(500)],
  ];
  for (const [from, ports] of ordinary) {
    const policy = read(from, ports);
    t.equal(policy.refusal, undefined);
    t.equal(noticeOfBudget(policyKind, policy), null);
    t.ok(policy.ingress.length > 0);
  }
  t.end();
});

t.test('a policy beyond its budget closes its pods, allows nothing, and has an Event', (t) => {
  const hostile: readonly (readonly [string, object[], object[]])[] = [
    ['peers times named ports', labels(100), names(100)],
    ['peers times protocols', blocks(budgets.NetworkPolicy.accessLists + 1), []],
    ['ports', labels(1), numbers(budgets.NetworkPolicy.terms)],
    [
      'exceptions',
      [{ ipBlock: { cidr: '10.0.0.0/8', except: Array(budgets.NetworkPolicy.terms).fill('10.1.0.0/16') } }],
      [],
    ],
    [
      'values of a selector',
      [
        {
          podSelector: {
            matchExpressions: [{ key: 'a', operator: 'In', values: Array(budgets.NetworkPolicy.terms).fill('x') }],
          },
        },
      ],
      [],
    ],
  ];
  for (const [name, from, ports] of hostile) {
    const policy = read(from, ports);
    t.strictSame([policy.ingress, policy.egress, policy.policyTypes], [[], [], ['Ingress']], name);
    t.match(noticeOfBudget(policyKind, policy), {
      regarding: { kind: 'NetworkPolicy', namespace: 'web', name: 'one', uid: '1' },
      type: 'Warning',
      reason: 'TooLarge',
      note: /^the policy has \d+ .*divide it into several policies/,
    });
    const actions = listsOf(policy).map(({ row, title }) => `${row.action} ${title}`);
    t.ok(
      actions.some((action) => action.startsWith('drop ')),
      `${name}: the rows contain the default deny`,
    );
    t.notOk(
      actions.some((action) => / 0 /.test(action)),
      `${name}: the rows contain no rule of the policy`,
    );
  }
  t.end();
});

t.test('the cost of a policy is limited, regardless of its named ports in the pods', (t) => {
  const ports = Array.from({ length: 200 }, (_, index) => portOf('p0', 1000 + index));
  const policy = read(labels(10), names(1));
  const rules = listsOf(policy, ports).filter(({ title }) => / 0 /.test(title));
  t.equal(
    rules.length,
    10 * mostNumbersOfPort,
    'the policy has an ACL for each peer and each of the smallest port numbers',
  );
  t.end();
});
