import t from 'tap';
import { readOthers } from '../../../agent/facts/read-others.ts';
import { noEntries } from '../../../agent/model/kernel-entries.ts';
import type { OthersRecord } from '../../../agent/model/others.ts';

const record: OthersRecord = {
  bridge: 'br-ex',
  index: 5,
  entries: noEntries('br-ex'),
  ports: [{ name: 'patch-ex', isDevice: false }],
  lostPorts: [],
};

t.test('the record of an earlier run', (t) => {
  t.strictSame(
    readOthers(() => JSON.stringify([record])),
    [record],
  );
  t.strictSame(
    readOthers(() => null),
    [],
  );
  t.end();
});

t.test('a damaged record is ignored', (t) => {
  for (const text of ['', '{', 'null', '{}', '[null]', '[{"bridge":"br-ex"}]'])
    t.strictSame(
      readOthers(() => text),
      [],
      text,
    );
  for (const change of [{ index: '5' }, { entries: {} }, { ports: ['patch-ex'] }, { lostPorts: null }])
    t.strictSame(
      readOthers(() => JSON.stringify([{ ...record, ...change }])),
      [],
      JSON.stringify(change),
    );
  t.end();
});

t.test('recorded lifetimes are reduced by the time since the record was written', (t) => {
  const address = { metric: null, noDad: false, deprecated: false };
  const route = { gateway: null, source: null, metric: null, mtuBytes: null, table: null };
  const entries = {
    ...noEntries('br-ex'),
    addresses: [
      { ...address, address: '10.44.0.0/32' },
      { ...address, address: '10.99.0.1/24', validSeconds: 4000, preferredSeconds: 900 },
      { ...address, address: '10.99.0.2/24', validSeconds: null, preferredSeconds: 900 },
      { ...address, address: '10.99.0.3/24', validSeconds: 1000, preferredSeconds: 1000 },
    ],
    routes: [
      { ...route, destination: '2001:db8:5::/64', options: ['onlink', 'expires', '4000'] },
      { ...route, destination: '2001:db8:6::/64', options: ['expires', '1000'] },
      { ...route, destination: '2001:db8:7::/64', options: ['onlink'] },
    ],
  };
  const text = JSON.stringify([{ ...record, entries, uptimeSeconds: 100.5 }]);
  const [read] = readOthers((path) => (path === '/proc/uptime' ? '1100.60 2000.00\n' : text));
  t.strictSame(
    read?.entries.addresses.map((entry) => [entry.address, entry.validSeconds, entry.preferredSeconds]),
    [
      ['10.44.0.0/32', undefined, undefined],
      ['10.99.0.1/24', 3000, 0],
      ['10.99.0.2/24', null, 0],
    ],
  );
  t.strictSame(
    read?.entries.routes.map(({ destination, options }) => [destination, options]),
    [
      ['2001:db8:5::/64', ['onlink', 'expires', '3000']],
      ['2001:db8:7::/64', ['onlink']],
    ],
  );
  t.equal(read?.uptimeSeconds, undefined, 'the lifetimes refer to the present, so the record has no uptime');
  t.end();
});
