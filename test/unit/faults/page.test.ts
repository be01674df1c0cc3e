// The record of the fault matrix and the page made from it.
import t from 'tap';
import { tables } from '../../node/faults/page.ts';
import { type Cell, merged } from '../../node/faults/record.ts';

const cell: Cell = {
  shape: 'dhcp',
  point: 'after step 5',
  after: 'attachUplink eth0',
  fault: 'kill',
  state: 'old',
  awayMs: 700,
  end: 'SIGKILL',
  endedAfterMs: 1200,
  hands: 0,
  version: '0.1.0 (abc)',
  date: '2026-01-02',
};
const faults = [
  { name: 'kill', title: 'agent SIGKILL', action: 'kill' as const },
  { name: 'power', title: 'power cut', action: 'hold' as const },
];

t.test('a later result replaces the earlier result of the same cell, and cells are in the order of steps', (t) => {
  const tenth = { ...cell, point: 'after step 10' };
  const again = { ...cell, awayMs: 800 };
  t.strictSame(merged([tenth, cell], [again]), [again, tenth]);
  t.end();
});

t.test('the page counts states and shows every cell', (t) => {
  const cells: Cell[] = [
    { ...cell, point: 'after step 10', after: 'commit', state: 'new', awayMs: 0 },
    cell,
    { ...cell, fault: 'power', endedAfterMs: null, awayMs: 4500 },
    { ...cell, point: 'at 50 ms', after: 'blind', state: 'mixed', hands: 1 },
  ];
  const page = tables(cells, faults);
  t.match(page, /^4 cells: 2 ended in the old state, 1 in the new one, 1 in neither; repaired by hand: 1\./m);
  t.match(page, /^\| agent SIGKILL \| old 0\.7 \| new 0\.0 \|$/m);
  t.match(page, /^\| power cut \| old 4\.5 \| {2}\|$/m, 'a cell that was not run is empty');
  t.match(page, /^1\. after step 5: attachUplink eth0\n2\. after step 10: commit$/m);
  t.match(page, /^\| dhcp \| agent SIGKILL \| 50 to 50 \| 1 \| 0 \| 0 \| 1 \| 0\.7 \|$/m);
  t.end();
});
