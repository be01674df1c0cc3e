// Tables on a terminal, and times in the form for people.
import t from 'tap';
import { plain } from '../../../agent/view/style.ts';
import { fitted, tableLines, wrapped } from '../../../agent/view/table.ts';
import { durationText, relativeTime } from '../../../agent/view/time.ts';

const rows = [
  { cells: ['20261120T214719Z-03d9', 'committed', 'br-ex with eth0'], below: null },
  {
    cells: ['20261120T213012Z-01c4', 'rolled-back', 'no bridge of microshift-net'],
    below: 'a long reason that has more than one line',
  },
];

t.test('a table fits the width, without its last columns first', (t) => {
  t.strictSame(tableLines(['ID', 'STATE', 'BRIDGES'], rows, 80, plain), [
    'ID                     STATE        BRIDGES',
    '20261120T214719Z-03d9  committed    br-ex with eth0',
    '20261120T213012Z-01c4  rolled-back  no bridge of microshift-net',
    '    a long reason that has more than one line',
  ]);
  t.strictSame(
    tableLines(['ID', 'STATE', 'BRIDGES'], [...rows, { cells: ['x', 'committed', '-'], below: null }], 36, plain),
    [
      'ID                     STATE',
      '20261120T214719Z-03d9  committed',
      '    bridges: br-ex with eth0',
      '20261120T213012Z-01c4  rolled-back',
      '    bridges: no bridge of',
      '      microshift-net',
      '    a long reason that has more than',
      '    one line',
      'x                      committed',
    ],
    'values of the columns that have no room are below their row',
  );
  for (const width of [40, 60, 80, 150])
    t.ok(
      tableLines(['ID', 'STATE', 'BRIDGES'], rows, width, plain).every((line) => line.length <= width),
      String(width),
    );
  const coloured = [{ cells: ['\u001b[32mon\u001b[39m', 'b'], below: null }];
  t.strictSame(
    tableLines(['STATE', 'NAME'], coloured, 80, plain)[1],
    '\u001b[32mon\u001b[39m     b',
    'the sequences of a colour have no width',
  );
  t.strictSame(wrapped('a verylongword b', 5), ['a', 'verylongword', 'b']);
  t.end();
});

t.test('times', (t) => {
  for (const [atMs, expected] of [
    [18_000, 'in 18 s'],
    [17_001, 'in 18 s'],
    [-3_999, '3 s ago'],
    [-180_000, '3 minutes ago'],
    [3 * 3_600_000, 'in 3 hours'],
    [-3 * 86_400_000, '3 days ago'],
  ] as const)
    t.equal(relativeTime(atMs, 0), expected);
  t.strictSame([412, 2_120, 180_000].map(durationText), ['412 ms', '2.1 s', '3 minutes']);
  t.end();
});

t.test('prose fits the width, and continues with an indent', (t) => {
  const text =
    'microshift-net: one two three\n  ended  now  rolled-back: four five\n/a/path/that/is/longer/than/the/line';
  t.equal(
    fitted(text, 20),
    [
      'microshift-net: one',
      '  two three',
      '  ended  now',
      '    rolled-back:',
      '    four five',
      '/a/path/that/is/longer/than/the/line',
    ].join('\n'),
  );
  t.equal(fitted(text, null), text, 'text for a file or a pipe is not wrapped');
  t.end();
});
