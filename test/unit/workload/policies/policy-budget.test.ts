// A policy of a hostile user: a small object that would cause many rows.
import t from 'tap';
import { foundIn } from '../../../../agent/overlay/rows/desired-rows.ts';
import { kinds } from '../../../../agent/run/overlay/watcher/followed-kinds.ts';
import { noticeOfBudget } from '../../../../agent/run/overlay/watcher/notices.ts';
import { budgets, mostNumbersOfPort } from '../../../../agent/workload/budget.ts';
import { readClusterPolicy } from '../../../../agent/workload/cluster-policies/read-cluster-policy.ts';
import { planWorkload } from '../../../../agent/workload/plan-workload.ts';
import { readNamespace } from '../../../../agent/workload/policies/read-namespace.ts';
import { readPolicy } from '../../../../agent/workload/policies/read-policy.ts';
import { selectsNamespace } from '../../../../agent/workload/policies/selections.ts';
import { emptyNorthbound, modern } from '../../overlay/cluster.ts';
import { allPolicyUnits, concernedPolicyUnits, emptyWorld, factsOf, namespaceOf, podOf, portOf } from './world.ts';

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
function listsOf(policy: ReturnType<typeof read>, ports = [portOf('p0', 80), portOf('p0', 80)], world = emptyWorld()) {
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

t.test('the pods of a hostile namespace do not displace the numbers of a named port in another one', (t) => {
  const world = emptyWorld();
  world.namespaces.set('mallory', namespaceOf('mallory'));
  for (let index = 0; index < 50; index += 1)
    world.pods.set(`mallory/${index}`, podOf(`mallory/${index}`, { ports: [portOf('p0', 1 + index)] }));
  const to = [{ namespaceSelector: {} }];
  const spec = { podSelector: {}, policyTypes: ['Egress'], egress: [{ to, ports: names(1) }] };
  const lists = listsOf(readPolicy({ metadata, spec }), [portOf('p0', 8080)], world);
  const rules = lists.filter(({ title }) => / 0 /.test(title)).map(({ row }) => String(row.match));
  t.equal(
    rules.filter((match) => / tcp\.dst == 8080 /.test(match)).length,
    1,
    'the policy allows the number of its pods',
  );
  t.equal(rules.length, 1 + mostNumbersOfPort, 'the hostile namespace has no more numbers than others');

  world.policies.clear();
  const policy = {
    metadata: { name: 'closed', uid: '2' },
    spec: {
      tier: 'Admin',
      subject: { namespaces: {} },
      ingress: [{ action: 'Deny', from: [{ namespaces: {} }], protocols: [{ destinationNamedPort: 'p0' }] }],
    },
  };
  world.clusterPolicies.set('closed', readClusterPolicy(policy));
  for (const [index, key] of [...world.pods.keys()].entries()) world.addresses.set(key, [`10.42.1.${index + 3}/24`]);
  const database = emptyNorthbound();
  const facts = factsOf(modern, world);
  const { existing, shape } = foundIn(database.rows());
  const { changes } = planWorkload(facts, existing, shape, allPolicyUnits(facts, database));
  const matches = changes.flatMap((change) =>
    change.do === 'insert' && change.table === 'ACL' && change.row.action === 'drop' ? [String(change.row.match)] : [],
  );
  t.equal(
    matches.filter((match) => /tcp\.dst == 8080$/.test(match)).length,
    1,
    'the rule denies the number of each pod',
  );
  t.equal(matches.length, 1 + mostNumbersOfPort);
  t.end();
});

t.test('a namespace beyond its budget is selected by its name, by an empty selector, and for rules that deny', (t) => {
  const large = readNamespace({
    metadata: { name: 'mallory', uid: '3', labels: { team: 'a', more: 'x'.repeat(budgets.Namespace.letters) } },
  });
  t.type(large.refusal, 'string');
  const key = 'kubernetes.io/metadata.name';
  const is = (operator: 'In' | 'NotIn', value: string) => ({ matchExpressions: [{ key, operator, values: [value] }] });
  for (const [selector, known] of [
    [{}, [true, true]],
    [{ matchLabels: { [key]: 'mallory' } }, [true, true]],
    [is('In', 'mallory'), [true, true]],
    [is('NotIn', 'web'), [true, true]],
    [{ matchLabels: { [key]: 'web' } }, [false, false]],
    [is('NotIn', 'mallory'), [false, false]],
    [{ matchLabels: { [key]: 'web', team: 'a' } }, [false, false]],
    [{ matchLabels: { team: 'a' } }, [false, true]],
    [{ matchExpressions: [{ key: 'other', operator: 'DoesNotExist' as const }] }, [false, true]],
    [{ matchLabels: { constructor: 'a' } }, [false, true]],
  ] as const)
    t.strictSame(
      [selectsNamespace(selector, large), selectsNamespace(selector, large, true)],
      known,
      JSON.stringify(selector),
    );

  const world = emptyWorld();
  for (const [name, namespace] of [
    ['web', namespaceOf('web')],
    ['mallory', large],
  ] as const) {
    world.namespaces.set(name, namespace);
    world.pods.set(`${name}/0`, podOf(`${name}/0`));
    world.addresses.set(`${name}/0`, [`10.42.1.${name.length}/24`]);
  }
  const rule = (action: string) => ({ action, from: [{ namespaces: { matchLabels: { team: 'a' } } }] });
  const spec = { tier: 'Admin', subject: { namespaces: {} }, ingress: [rule('Accept'), rule('Deny')] };
  world.clusterPolicies.set('team', readClusterPolicy({ metadata: { name: 'team', uid: '4' }, spec }));
  const facts = factsOf(modern, world);
  const change = { kind: 'Pod', now: podOf('mallory/0') } as const;
  t.ok(concernedPolicyUnits(change, facts).includes('cluster-policy:team'), 'a change of its pods concerns the policy');
  const { existing, shape } = foundIn(emptyNorthbound().rows());
  const { changes } = planWorkload(facts, existing, shape, allPolicyUnits(facts, emptyNorthbound()));
  const rows = (table: string) =>
    changes.flatMap((one) => (one.do === 'insert' && one.table === table ? [one.row] : []));
  t.strictSame(
    rows('Address_Set')
      .filter(({ external_ids: ids }) => JSON.stringify(ids).includes('ClusterNetworkPolicy'))
      .map(({ addresses }) => String(addresses)),
    ['10.42.1.7'],
    'the rule that denies has the pod of the namespace, and the rule that accepts has none',
  );
  t.equal(rows('ACL').filter(({ action }) => action === 'drop').length, 1);
  t.end();
});
