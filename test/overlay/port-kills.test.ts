// `overlay port add` and `overlay port remove` that are killed or interrupted before any of their effects: after the
// next run, the cluster has the port completely or not at all.
import t from 'tap';
import { form } from './form.ts';
import { missingForHosts, startLan } from './hosts.ts';
import { interruptAtEffects, killAtEveryEffect } from './kills.ts';
import { makeTap, portState } from './port-guests.ts';

const options = ['--vlan', '100', '--mac', '52:54:00:00:00:0a,52:54:00:00:00:0b', '--label', 'app=db'];
const add = ['overlay', 'port', 'add', 'line', '--interface', 'tap7', ...options];
const remove = ['overlay', 'port', 'remove', 'line'];

t.test('a port is added and removed, with interruptions', { skip: missingForHosts() ?? false }, async (t) => {
  const lan = await startLan(t);
  const n1 = await lan.host('n1', 11);
  form(t, [n1]);
  await makeTap(n1, 'tap7', 'guest', '52:54:00:00:00:0a');
  const without = portState(n1, [n1]);
  t.match(n1.agent(...add), { status: 0, stdout: /^Done/ });
  const complete = portState(n1, [n1]);
  t.match(n1.agent(...remove), { status: 0, stdout: /^Done/ });
  t.equal(portState(n1, [n1]), without);
  const hasPort = (): boolean => n1.must('cat', '/var/lib/microshift-net/overlay.json').includes('"line"');
  const isWhole = (title: string): void => {
    t.match(n1.agent('overlay', 'apply'), { status: 0 }, `${title}: the next apply`);
    t.equal(portState(n1, [n1]), hasPort() ? complete : without, `${title}: the port is there or not`);
  };

  const added = killAtEveryEffect(n1, add, (step) => {
    isWhole(`add, killed at ${step}`);
    t.match(n1.agent(...remove), { status: 0 });
  });
  t.match(added.last, { status: 0 });
  t.ok(added.effects > 3, `add has ${added.effects} effects`);
  t.equal(portState(n1, [n1]), complete);
  const removed = killAtEveryEffect(n1, remove, (step) => {
    isWhole(`remove, killed at ${step}`);
    t.match(n1.agent(...add), { status: 0 });
  });
  t.match(removed.last, { status: 0 });
  t.equal(portState(n1, [n1]), without);

  const interrupted = interruptAtEffects(n1, add, 2, (step, { status, stderr }) => {
    if (status === 0) t.match(n1.agent(...remove), { status: 0 }, `add, interrupted at ${step}, has come to its end`);
    else t.match(stderr, /rolled back/, `add, interrupted at ${step}`);
    t.equal(portState(n1, [n1]), without, 'the cluster is as before');
  });
  t.match(interrupted.last, { status: 0 });
  t.equal(portState(n1, [n1]), complete);
});
