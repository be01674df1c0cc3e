// Reading of cluster policies: fields that are not served, unknown fields, budgets; and rules that many Pass rules
// divide.
import t from 'tap';
import { clusterSets } from '../../../../agent/workload/cluster-policies/peer-sets.ts';
import { readClusterPolicy } from '../../../../agent/workload/cluster-policies/read-cluster-policy.ts';
import { decisionsOf, isDividedTooOften } from '../../../../agent/workload/cluster-policies/traffic.ts';
import { modern } from '../../overlay/cluster.ts';
import { factsOf } from '../policies/world.ts';
import { conformanceWorld } from './conformance-world.ts';

const peers = [{ namespaces: {} }];
const closed = { action: 'Deny', peers: [{ networks: ['0.0.0.0/0', '::/0'] }], protocols: [] };

function read(spec: object) {
  return readClusterPolicy({
    metadata: { name: 'one', uid: '1' },
    spec: { tier: 'Admin', priority: 5, subject: { namespaces: {} }, ...spec },
  });
}

t.test('all fields of the API', (t) => {
  const policy = read({
    subject: { pods: { namespaceSelector: { matchLabels: { a: 'b' } }, podSelector: { matchLabels: { c: 'd' } } } },
    ingress: [
      {
        name: 'first',
        action: 'Accept',
        from: peers,
        protocols: [
          { tcp: { destinationPort: { number: 80 } } },
          { udp: { destinationPort: { range: { start: 1, end: 9 } } } },
          { destinationNamedPort: 'web' },
        ],
      },
    ],
    egress: [
      { action: 'Pass', to: [{ nodes: {} }, { networks: ['10.42.1.7/24', '::/0'] }] },
      { action: 'Deny', to: [{ pods: { namespaceSelector: {}, podSelector: { matchLabels: { c: 'd' } } } }] },
    ],
  });
  t.strictSame(policy, {
    name: 'one',
    uid: '1',
    tier: 'Admin',
    priority: 5,
    subject: { namespaces: { matchLabels: { a: 'b' } }, pods: { matchLabels: { c: 'd' } } },
    ingress: [
      {
        name: 'first',
        action: 'Accept',
        peers: [{ pods: { namespaces: {}, pods: {} } }],
        protocols: [
          { protocol: 'TCP', first: 80, last: 80 },
          { protocol: 'UDP', first: 1, last: 9 },
          { namedPort: 'web' },
        ],
      },
    ],
    egress: [
      { name: '', action: 'Pass', peers: [{ nodes: {} }, { networks: ['10.42.1.0/24', '::/0'] }], protocols: [] },
      {
        name: '',
        action: 'Deny',
        peers: [{ pods: { namespaces: {}, pods: { matchLabels: { c: 'd' } } } }],
        protocols: [],
      },
    ],
  });
  t.end();
});

t.test('rules with unknown fields fail closed', (t) => {
  for (const [what, rule, ask] of [
    ['a peer', { to: [{ galaxies: {} }] }, 'unknown-fields'],
    ['one of two peers', { to: [{ namespaces: {} }, {}] }, 'unknown-fields'],
    ['a malformed range', { to: [{ networks: ['10.0.0.0/99'] }] }, 'unknown-fields'],
    ['domain names', { to: [{ domainNames: ['example.org'] }] }, 'domain-names'],
    ['a protocol', { to: peers, protocols: [{ quic: {} }] }, 'unknown-fields'],
    ['a port', { to: peers, protocols: [{ tcp: {} }] }, 'unknown-fields'],
    ['no peer', { to: [] }, 'unknown-fields'],
  ] as const) {
    for (const action of ['Accept', 'Deny', 'Pass']) {
      const { egress, asks } = read({ egress: [{ action, ...rule }] });
      t.match(egress[0], action === 'Accept' ? { action, peers: [] } : closed, `${what}: ${action}`);
      t.strictSame(asks, [ask], what);
    }
  }
  t.match(read({ ingress: [{ action: 'Log', from: peers }] }), { ingress: [closed], asks: ['unknown-fields'] });
  t.match(read({ subject: { planets: {} } }), { subject: null, asks: ['unknown-fields'] });
  t.match(read({ tier: 'Middle' }), { subject: null, asks: ['unknown-fields'] });
  t.match(readClusterPolicy({}), { subject: null });
  t.end();
});

t.test('a policy beyond its budget fails closed', (t) => {
  const terms = { action: 'Accept', from: Array.from({ length: 5_001 }, () => ({ namespaces: {} })) };
  t.match(read({ ingress: [terms] }), { ingress: [], egress: [], refusal: /none of its rules accepts anything/ });
  t.match(read({ ingress: [terms, { action: 'Pass', from: peers }], egress: [{ action: 'Accept', to: peers }] }), {
    ingress: [closed],
    egress: [],
  });
  const turns = (count: number) =>
    Array.from({ length: count }, (_, place) => ({ action: place % 2 === 0 ? 'Deny' : 'Accept', from: peers }));
  t.equal(read({ ingress: turns(16) }).refusal, undefined);
  t.match(read({ ingress: turns(17) }).refusal, /has 16 changes between rules that accept and rules that deny/);
  const passes = [...turns(16), ...Array.from({ length: 9 }, () => ({ action: 'Pass', from: peers }))];
  t.equal(read({ ingress: passes }).refusal, undefined, 'Pass rules of the Admin tier need no priority');
  t.end();
});

t.test('a rule that Pass rules divide too often fails closed', (t) => {
  const world = conformanceWorld();
  const facts = factsOf(modern, world);
  const at = (number: number) => ({ tcp: { destinationPort: { number } } });
  // Each Pass rule has the addresses of which one bit is set, so that every further rule divides all parts.
  const passes = Array.from({ length: 7 }, (_, bit) => ({
    action: 'Pass',
    to: [
      {
        networks: Array.from(
          { length: 2 ** bit },
          (_, place) => `198.51.100.${(2 * place + 1) * 2 ** (7 - bit)}/${25 + bit}`,
        ),
      },
    ],
    protocols: [at(80 + bit)],
  }));
  const rules = (action: string) => [...passes, { action, to: [{ networks: ['0.0.0.0/0'] }] }];
  const parts = (action: string) => {
    const policy = read({ egress: rules(action) });
    world.clusterPolicies.set('one', policy);
    const sets = clusterSets(facts);
    const [last] = [...decisionsOf(policy, facts, sets)].slice(-1);
    return { isTooOften: isDividedTooOften(policy, facts, sets), parts: last?.traffic.length ?? 0 };
  };
  const denied = parts('Deny');
  if (denied.isTooOften) {
    t.equal(denied.parts, 1, 'the rule denies without exceptions');
    t.strictSame(parts('Accept'), { isTooOften: true, parts: 0 }, 'the rule accepts nothing');
  } else t.fail(`the rule has only ${denied.parts} parts`);
  t.end();
});
