import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { startDeadline } from '../../../agent/deadline.ts';
import { AgentError } from '../../../agent/errors.ts';
import { armedFault } from '../../../agent/run/fault-points.ts';

const hold = { point: 'after step 3' };

t.test('no fault point is armed without the file', async (t) => {
  const { point, said } = armed(t, null);
  await point('before journal');
  t.strictSame(said, []);
});

t.test('a run is held at a fault point until the file is removed', async (t) => {
  const { file, point, said } = armed(t, JSON.stringify(hold));
  await point('before step 3');
  t.strictSame(said, [], 'a run is not held at a point with another name');
  const held = point('after step 3');
  t.match(said, [new RegExp(`^armed fault: held after step 3 until .*fault\\.json\\.${process.pid} is removed$`)]);
  t.notOk(fs.existsSync(file), 'the file is removed, so that the next run is not held');
  fs.rmSync(`${file}.${process.pid}`);
  await held;
});

t.test('a run continues from a fault point when it is stopped', async (t) => {
  const { point, deadline } = armed(t, JSON.stringify(hold));
  const held = point('after step 3');
  deadline.interrupt(new AgentError('interrupted', 'stopped'));
  await held;
  t.ok(deadline.signal.aborted);
});

t.test('a file that another user could have written is ignored and reported', async (t) => {
  const text = JSON.stringify(hold);
  const link = (file: string): void => {
    fs.renameSync(file, `${file}.real`);
    fs.symlinkSync(`${file}.real`, file);
  };
  const cases: [string, string, (file: string) => void, RegExp][] = [
    ['readable by others', text, (file) => fs.chmodSync(file, 0o644), /mode must be 0600/],
    ['a symbolic link', text, link, /ELOOP/],
    ['a directory', text, (file) => [fs.rmSync(file), fs.mkdirSync(file, { mode: 0o700 })], /not a regular file/],
    ['broken', '{"point":', () => {}, /JSON/],
    ['not an object', 'null', () => {}, /"point" names none/],
    ['an unknown point', '{"point":"after lunch"}', () => {}, /"point" names none/],
    ['too long', `{"point":"${'x'.repeat(5000)}"}`, () => {}, /more than 1024 bytes/],
  ];
  if (process.getuid?.() === 0)
    cases.push(['foreign', text, (file) => fs.chownSync(file, 65534, 65534), /another user/]);
  for (const [name, content, spoil, why] of cases) {
    const { point, said } = armed(t, content, spoil);
    t.match(said, [why], name);
    await point('after step 3');
  }
});

function armed(t: Test, text: string | null, spoil: (file: string) => void = () => {}) {
  const file = path.join(fs.mkdtempSync(path.join(t.testdir(), 'run-')), 'fault.json');
  if (text !== null) fs.writeFileSync(file, text, { mode: 0o600 });
  if (text !== null) spoil(file);
  const said: string[] = [];
  const deadline = startDeadline(10_000);
  t.teardown(() => deadline.clear());
  return { file, said, deadline, point: armedFault(file, deadline, (message) => said.push(message)) };
}
