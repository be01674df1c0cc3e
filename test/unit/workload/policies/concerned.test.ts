// Policies that a change of an object affects, among many: only those whose rows the change can change.
import t from 'tap';
import type { Pod } from '../../../../agent/model/workload.ts';
import { readPolicy } from '../../../../agent/workload/policies/read-policy.ts';
import { modern } from '../../overlay/cluster.ts';
import { concernedPolicyUnits, emptyWorld, factsOf, namespaceOf, podOf, portOf } from './world.ts';

const world = emptyWorld();
for (const name of ['x', 'y', 'z']) world.namespaces.set(name, namespaceOf(name, { team: name === 'z' ? 'b' : 'a' }));
for (const namespace of ['x', 'y', 'z'])
  for (const [name, spec] of Object.entries({
    all: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
    web: {
      podSelector: { matchLabels: { app: 'web' } },
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'db' } } }] }],
    },
    team: {
      podSelector: { matchLabels: { app: 'db' } },
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'a' } } }] }],
    },
    named: {
      podSelector: { matchLabels: { app: 'dns' } },
      policyTypes: ['Egress'],
      egress: [{ ports: [{ port: 'http' }] }],
    },
  }))
    world.policies.set(`${namespace}/${name}`, readPolicy({ metadata: { namespace, name }, spec }));
const facts = factsOf(modern, world);

/** Returns the concerned object keys in a short form, without the parts that all of them share. */
function concerned(before: Pod | undefined, now: Pod | undefined): readonly string[] {
  const change = { kind: 'Pod', ...(before && { before }), ...(now && { now }) } as const;
  return concernedPolicyUnits(change, facts)
    .map((unit) => unit.replace('peers:', '').replaceAll('"', ''))
    .toSorted();
}

const ofTeam = '{namespaces:{matchLabels:{team:a}},pods:{}}';
const ofDb = '{namespaces:x,pods:{matchLabels:{app:db}}}';
const withHttp = '{namespaces:{},pods:{},port:{name:http,protocol:TCP}}';

t.test('a change of a pod', (t) => {
  const web = podOf('x/a', { labels: { app: 'web' } });
  t.strictSame(concerned(undefined, web), ['namespace:x', 'policy:x/all', 'policy:x/web', ofTeam].toSorted());
  const db = podOf('x/a', { labels: { app: 'db' } });
  t.strictSame(
    concerned(web, db),
    ['namespace:x', 'policy:x/all', 'policy:x/team', 'policy:x/web', ofDb, ofTeam].toSorted(),
    'a change of labels concerns policies that select the old or the new labels',
  );
  t.strictSame(
    concerned(podOf('z/a'), undefined),
    ['namespace:z', 'policy:z/all'],
    'a pod of another team does not concern the policy of the team',
  );
  const serving = podOf('z/a', { ports: [portOf('http', 80)] });
  t.strictSame(
    concerned(serving, undefined),
    ['namespace:z', 'policy:x/named', 'policy:y/named', 'policy:z/all', 'policy:z/named', withHttp].toSorted(),
    'a pod with a named port concerns every policy with the name',
  );
  t.end();
});

t.test('a change of a namespace', (t) => {
  const before = namespaceOf('z', { team: 'b' });
  const units = (now: typeof before) =>
    concernedPolicyUnits({ kind: 'Namespace', before, now }, facts).filter((unit) => !unit.includes('http'));
  t.strictSame(
    units(namespaceOf('z', { team: 'c' })),
    ['namespace:z', 'policy:x/named', 'policy:y/named', 'policy:z/named'],
    'labels that no policy selects concern only policies for named ports in any namespace',
  );
  t.match(units(namespaceOf('z', { team: 'a' })), ['namespace:z', /^peers:.*"team":"a"/, /named/, /named/, /named/]);
  t.end();
});

t.test('objects that policies do not depend on', (t) => {
  t.strictSame(concernedPolicyUnits({ kind: 'Service' }, facts), []);
  t.strictSame(concernedPolicyUnits({ kind: 'EndpointSlice' }, facts), []);
  t.end();
});
