import t from 'tap';
import { compareOthers, isOfOthers, lostEntries, lostPorts, othersNow } from '../../../agent/compare/compare-others.ts';
import { inWords } from '../../../agent/compare/in-words.ts';
import type { KernelEntries } from '../../../agent/model/kernel-entries.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { OthersRecord } from '../../../agent/model/others.ts';
import { planApply } from '../../../agent/plan/make-plan.ts';
import { appliedCase } from '../plan/cases.ts';
import { changed } from '../plan/change.ts';

const { config, observation } = appliedCase('static4');
const decision = planApply(config, observation, true);
if (decision.kind !== 'planned') throw new TypeError('static4 can be planned');
const [wanted] = decision.plan.wanted.bridges;
if (wanted === undefined) throw new TypeError('static4 has a bridge');
const index = observation.links.find(({ name }) => name === 'br-ex')?.index ?? 0;

const route = {
  destination: '10.43.0.0/16',
  gateway: '169.254.169.4',
  source: null,
  metric: null,
  mtuBytes: 1400,
  table: null,
};
const entries: KernelEntries = {
  interface: 'br-ex',
  addresses: [
    { address: '10.44.0.0/32', metric: null, noDad: false, deprecated: false },
    { address: '192.0.2.50/24', metric: null, noDad: false, deprecated: false },
  ],
  routes: [route],
  neighbours: [{ address: '169.254.169.4', mac: '0a:58:a9:fe:a9:04' }],
};
const ports = [
  { name: 'patch-ex', isDevice: false },
  { name: 'tap0', isDevice: true },
];

/** Returns a node that has a record of an interface with this index. */
function noted(number: number, more: Partial<OthersRecord> = {}, change: Record<string, unknown> = {}): Observation {
  const record: OthersRecord = { bridge: 'br-ex', index: number, entries, ports, lostPorts: [], ...more };
  return { ...changed(observation, change), others: [record] };
}

const words = (seen: Observation): readonly string[] => compareOthers(wanted, seen).map((one) => inWords(one).subject);

t.test('an entry that is missing on the same interface was removed by its owner', (t) => {
  t.strictSame(words(noted(index)), []);
  t.strictSame(words({ ...observation }), [], 'without recorded entries, none is reported as missing');
  t.end();
});

t.test('an entry that is missing on a new interface was lost with the previous interface', (t) => {
  const seen = noted(index + 1);
  t.strictSame(words(seen), [
    '10.44.0.0/32 of another program on br-ex',
    '10.43.0.0/16 via 169.254.169.4 of another program on br-ex',
    '169.254.169.4 at 0a:58:a9:fe:a9:04 of another program on br-ex',
    'port patch-ex of another program in br-ex',
  ]);
  t.ok(compareOthers(wanted, seen).every(isOfOthers));
  const without = noted(index, {}, { '-links/[name=br-ex]': true });
  t.equal(
    lostEntries('br-ex', without).addresses.length,
    2,
    'all addresses are lost while the interface does not exist',
  );
  t.end();
});

t.test('a restored entry is not missing', (t) => {
  const seen = { ...noted(index + 1), foreign: [{ ...entries, addresses: [] }] };
  t.strictSame(lostEntries('br-ex', seen).routes, []);
  t.strictSame(lostEntries('br-ex', seen).neighbours, []);
  t.end();
});

t.test('ports of other programs', (t) => {
  const names = (seen: Observation): readonly string[] => lostPorts('br-ex', seen).map(({ name }) => name);
  t.strictSame(
    names(noted(index + 1)),
    ['patch-ex'],
    'a port of a guest that no longer exists is not reported as lost',
  );
  const tap = { 'links/[+]': { ...observation.links[0], name: 'tap0' } };
  t.strictSame(names(noted(index + 1, {}, tap)), ['patch-ex', 'tap0'], 'a port that exists again is listed');
  const lost = { ports: [], lostPorts: [{ name: 'patch-ex', isDevice: false }] };
  t.strictSame(names(noted(index, lost)), ['patch-ex'], 'a lost port is reported until it exists again');
  const port = { ...observation.ovs.bridges[0]?.ports[0], name: 'patch-ex' };
  t.strictSame(names(noted(index, lost, { 'ovs/bridges/[name=br-ex]/ports/[+]': port })), []);
  t.end();
});

t.test('the record of foreign entries after a run', (t) => {
  const [record] = othersNow([wanted], { ...noted(index + 1), foreign: [entries] });
  t.match(record, { bridge: 'br-ex', index, entries, ports: [], lostPorts: [{ name: 'patch-ex' }] });
  t.strictSame(othersNow([wanted], changed(observation, { '-links/[name=br-ex]': true })), []);
  t.end();
});

t.test('the plan restores the entries of the interface, and names the programs of the ports', (t) => {
  const again = planApply(config, noted(index + 1), true);
  if (again.kind !== 'planned') throw new TypeError('static4 can be planned');
  const { steps, notes } = again.plan;
  t.match(steps, [
    { do: 'changeKernel', required: false, entries: { addresses: [{ address: '10.44.0.0/32' }], routes: [route] } },
  ]);
  t.match(notes.at(-1)?.message, /port patch-ex was in br-ex until another program made the bridge again/);
  t.end();
});

t.test(
  'an address that MicroShift has added to lo in place of a missing bridge is removed when the bridge gets it',
  (t) => {
    const [address] = entries.addresses;
    if (address === undefined) throw new TypeError('there is an address of another program');
    const onLo: KernelEntries = { interface: 'lo', addresses: [address], routes: [], neighbours: [] };
    const seen = { ...noted(index + 1), foreign: [onLo] };
    t.match(words(seen), ['10.44.0.0/32 of another program on br-ex'], 'an address that the bridge lacks is reported');
    const decision = planApply(config, seen, true);
    if (decision.kind !== 'planned') throw new TypeError('it can be planned');
    const changes = decision.plan.steps.flatMap((step) => (step.do === 'changeKernel' ? [step] : []));
    t.match(
      changes.map(({ entries: { interface: name, addresses }, removed = [] }) => [name, addresses.length, removed]),
      [
        ['br-ex', 1, []],
        ['lo', 0, ['10.44.0.0/32']],
      ],
      'the run that restores the address also removes it from lo, because its proof would fail otherwise',
    );
    t.strictSame(
      othersNow([wanted], { ...seen, foreign: [onLo, { ...entries, addresses: [address] }] }).map(
        ({ entries: { interface: name, addresses } }) => [name, addresses.length],
      ),
      [['br-ex', 1]],
      'addresses of lo are not recorded',
    );
    t.end();
  },
);
