import t from 'tap';
import { bugsOf, networkManagerBugs, openVSwitchBugs } from '../../../agent/doctor/known-bugs.ts';

const table: readonly (readonly [version: string, count: number])[] = [
  ['1.58.1', 0],
  ['1.56.0', 0],
  ['1.54.3-2.el10', 1],
  ['1.52', 1],
  ['1.44.0', 4],
  ['1.42.2', 3],
  ['1.40', 4],
];

t.test('known bugs of NetworkManager', (t) => {
  for (const [version, count] of table) t.equal(bugsOf(version, networkManagerBugs).length, count, version);
  t.end();
});

t.test('known bugs of Open vSwitch', (t) => {
  for (const [version, count] of [
    ['4.0.0', 0],
    ['3.7.1', 0],
    ['3.7.0', 1],
    ['3.5.4', 0],
    ['3.5.3', 1],
    ['3.2.2', 1],
    ['3.2.1', 2],
    ['3.1.4', 1],
    ['3.1.0', 3],
    ['2.17.9', 1],
    ['2.17.8', 2],
    ['2.16.0', 3],
    ['2.17.3', 3],
  ] as const)
    t.equal(bugsOf(version, openVSwitchBugs).length, count, version);
  t.end();
});

t.test('a release branch without a listed fix has the bug if a later branch has a fix for it', (t) => {
  const bugs = [{ fixedIn: ['1.4.2', '1.6.1'], what: 'it crashes' }];
  t.equal(bugsOf('1.5.9', bugs).length, 1);
  t.equal(bugsOf('1.7.0', bugs).length, 0);
  t.end();
});

t.test('an unknown version', (t) => {
  t.strictSame(bugsOf('', networkManagerBugs), []);
  t.strictSame(bugsOf('unknown', openVSwitchBugs), []);
  t.end();
});
