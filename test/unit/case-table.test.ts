import t from 'tap';
import { casesOf, tableText } from './case-table.ts';

t.test('a table is read as it is written', (t) => {
  const cases = [
    {
      name: 'one',
      about: 'says: more',
      parts: { 'ovn.yaml': 'mtu:\t1\r\n\n--- \n---\n', 'config.d/1.yaml': '', error: '\ufeffx\n' },
    },
    { name: 'two', about: '', parts: { report: 'a\n\n\nb\n' } },
    { name: 'three', about: '', parts: {} },
  ];
  const text = tableText(cases);
  t.strictSame(casesOf(text), cases);
  t.match(
    text,
    '=== one: says: more\n--- ovn.yaml\nmtu:{U+9}1{U+d}\n\n--- \n---\n--- config.d/1.yaml\n--- error\n{U+feff}x\n\n=== two\n',
  );
  t.end();
});

t.test('a part without a heading', (t) => {
  const cases = [
    { name: 'one', about: '', parts: { given: 'a\nb\n', report: 'c\n' } },
    { name: 'two', about: '', parts: { given: '', report: 'c\n' } },
    { name: 'three', about: '', parts: { report: 'c\n', given: 'a\n' } },
    { name: 'four', about: '', parts: { report: 'c\n' } },
  ];
  const text = tableText(cases, 'given');
  t.match(text, '=== one\na\nb\n--- report\nc\n\n=== two\n--- given\n--- report\nc\n');
  t.strictSame(casesOf(text, 'given'), cases);
  t.end();
});

t.test('duplicate entries, and entries of no case, are refused', (t) => {
  t.throws(() => casesOf('=== one\n--- a\n\n=== one\n--- a\n'), /one is there twice/);
  t.throws(() => casesOf('=== one\n--- a\n--- a\n'), /one has a twice/);
  t.throws(() => casesOf('--- a\n'), /no case begins here/);
  t.throws(() => casesOf('=== one\nlost\n'), /one has a line outside of its parts: lost/);
  t.end();
});
