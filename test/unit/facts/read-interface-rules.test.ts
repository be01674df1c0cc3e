// Rules of nftables that name interfaces, as `nft -j list ruleset` of nftables 1.0.6 shows them.
import t from 'tap';
import { parseInterfaceRules } from '../../../agent/facts/read-interface-rules.ts';

const iifname = { meta: { key: 'iifname' } };
const dport = { payload: { protocol: 'tcp', field: 'dport' } };
const match = (right: unknown, left: unknown = iifname, op = '==') => ({ match: { op, left, right } });

function ruleset(...rules: readonly (readonly unknown[])[]): string {
  const filter = { family: 'inet', table: 'filter', chain: 'input' };
  return JSON.stringify({
    nftables: [
      { metainfo: { json_schema_version: 1 } },
      { set: { family: 'inet', name: 'lans', table: 'filter', type: 'ifname', elem: ['eth0', 'eth1'] } },
      { chain: { ...filter, name: 'input', type: 'filter', hook: 'input', prio: 0, policy: 'drop' } },
      ...rules.map((expr) => ({ rule: { ...filter, handle: 3, expr: [...expr, { accept: null }] } })),
    ],
  });
}

const namesIn = (...expr: readonly unknown[]): readonly (readonly string[])[] =>
  parseInterfaceRules(ruleset(expr)).map(({ names }) => names);

t.test('every way to name an interface', (t) => {
  t.strictSame(namesIn(match('eth0'), match(22, dport)), [['eth0']]);
  t.strictSame(namesIn(match('eth0', { meta: { key: 'oifname' } })), [['eth0']]);
  t.strictSame(namesIn(match('eth0', iifname, '!=')), [['eth0']]);
  t.strictSame(namesIn(match('eth*')), [['eth*']]);
  t.strictSame(namesIn(match({ set: ['eth0', 'br-ex'] })), [['br-ex', 'eth0']]);
  t.strictSame(namesIn(match('@lans')), [['eth0', 'eth1']], 'the members of a named set are read');
  t.strictSame(namesIn(match({ set: [{ concat: ['eth0', 22] }] }, { concat: [iifname, dport] })), [['eth0']]);
  const data = {
    set: [
      ['eth0', { jump: { target: 'lan' } }],
      ['lo', { accept: null }],
    ],
  };
  t.strictSame(
    namesIn({ vmap: { key: iifname, data } }),
    [['eth0']],
    'the keys of a map are read, and not its verdicts',
  );
  t.end();
});

t.test('rules that name no interface', (t) => {
  t.strictSame(namesIn(match(22, dport)), []);
  t.strictSame(namesIn(match('lo')), []);
  t.strictSame(parseInterfaceRules(''), []);
  t.end();
});

t.test('rules of one chain that name the same interface are counted', (t) => {
  t.strictSame(parseInterfaceRules(ruleset([match('eth0')], [match('eth1')], [match('eth0'), match(22, dport)])), [
    { table: 'inet filter', chain: 'input', names: ['eth0'], rules: 2 },
    { table: 'inet filter', chain: 'input', names: ['eth1'], rules: 1 },
  ]);
  t.end();
});

t.test('chains of the NIC itself and those of firewalld', (t) => {
  for (const [from, to] of [
    ['"family":"inet"', '"family":"netdev"'],
    ['"table":"filter"', '"table":"firewalld"'],
  ] as const)
    t.strictSame(parseInterfaceRules(ruleset([match('eth0')]).replaceAll(from, to)), []);
  t.end();
});
