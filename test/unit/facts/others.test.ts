import t from 'tap';
import { readOthers } from '../../../agent/facts/others.ts';
import { noEntries } from '../../../agent/model/kernel-entries.ts';
import type { OthersRecord } from '../../../agent/model/others.ts';

const record: OthersRecord = {
  bridge: 'br-ex',
  index: 5,
  entries: noEntries('br-ex'),
  ports: [{ name: 'patch-ex', isDevice: false }],
  lostPorts: [],
};

t.test('what a run has noted', (t) => {
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

t.test('what is damaged says nothing', (t) => {
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
