// `overlay peer add --vtep` and `overlay peer remove` that are killed or interrupted before any of their effects: after
// the next run, the node has the rows, devices, settings and flows of the peer completely or not at all.
import t from 'tap';
import { form } from './form.ts';
import { missingForHosts, startLan } from './hosts.ts';
import { interruptAtEffects, killAtEveryEffect } from './kills.ts';
import { ovnsHere } from './ovn-of-nodes.ts';
import { vtepState } from './vtep-state.ts';

const add = ['overlay', 'peer', 'add', 'f5', '--vtep', '192.0.2.60', '--subnet', '10.60.0.0/24'];
const remove = ['overlay', 'peer', 'remove', 'f5'];
const missing = ovnsHere().includes('newer') ? missingForHosts() : 'an OVN that exchanges VXLAN packets is missing';

t.test('a peer in VXLAN is added and removed, with interruptions', { skip: missing ?? false }, async (t) => {
  const lan = await startLan(t, 'newer');
  const n1 = await lan.host('n1', 11);
  form(t, [n1]);
  t.match(n1.agent('overlay', 'gateway'), { status: 0 });
  const without = vtepState(n1, [n1]);
  t.match(n1.agent(...add), { status: 0, stdout: /^Done/ });
  const complete = vtepState(n1, [n1]);
  t.not(complete, without);
  t.match(n1.agent(...remove), { status: 0, stdout: /^Done/ });
  t.equal(vtepState(n1, [n1]), without);
  const hasPeer = (): boolean => n1.must('cat', '/var/lib/microshift-net/overlay.json').includes('"f5"');
  const isWhole = (title: string): void => {
    t.match(n1.agent('overlay', 'apply'), { status: 0 }, `${title}: the next apply`);
    t.equal(vtepState(n1, [n1]), hasPeer() ? complete : without, `${title}: the peer is there or not`);
  };

  const added = killAtEveryEffect(n1, add, (step) => {
    isWhole(`add, killed at ${step}`);
    t.match(n1.agent(...remove), { status: 0 });
  });
  t.match(added.last, { status: 0 });
  t.ok(added.effects > 5, `add has ${added.effects} effects`);
  t.equal(vtepState(n1, [n1]), complete);
  const removed = killAtEveryEffect(n1, remove, (step) => {
    isWhole(`remove, killed at ${step}`);
    t.match(n1.agent(...add), { status: 0 });
  });
  t.match(removed.last, { status: 0 });
  t.equal(vtepState(n1, [n1]), without);

  const interrupted = interruptAtEffects(n1, add, 2, (step, { status, stderr }) => {
    if (status === 0) t.match(n1.agent(...remove), { status: 0 }, `add, interrupted at ${step}, has come to its end`);
    else t.match(stderr, /rolled back/, `add, interrupted at ${step}`);
    t.equal(vtepState(n1, [n1]), without, 'the cluster is as before');
  });
  t.match(interrupted.last, { status: 0 });
  t.equal(vtepState(n1, [n1]), complete);
});
