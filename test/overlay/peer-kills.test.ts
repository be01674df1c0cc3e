// `overlay peer add` and `overlay peer remove` that are killed or interrupted before any of their effects: after the
// next run, the cluster has the peer completely or not at all.
import t from 'tap';
import { form } from './form.ts';
import { missingForHosts, startLan } from './hosts.ts';
import { interruptAtEffects, killAtEveryEffect } from './kills.ts';
import { peerState } from './peer-state.ts';

const ranges = ['--subnet', '10.45.0.0/16', '--service-subnet', '10.46.0.0/16'];
const add = ['overlay', 'peer', 'add', 'west', '--next-hop', '192.0.2.60', ...ranges];
const remove = ['overlay', 'peer', 'remove', 'west'];

t.test('a peer is added and removed, with interruptions', { skip: missingForHosts() ?? false }, async (t) => {
  const lan = await startLan(t);
  const n1 = await lan.host('n1', 11);
  form(t, [n1]);
  t.match(n1.agent('overlay', 'gateway'), { status: 0 });
  const without = peerState(n1, [n1]);
  t.match(n1.agent(...add), { status: 0, stdout: /^Done/ });
  const complete = peerState(n1, [n1]);
  t.match(n1.agent(...remove), { status: 0, stdout: /^Done/ });
  t.equal(peerState(n1, [n1]), without);
  const hasPeer = (): boolean => n1.must('cat', '/var/lib/microshift-net/overlay.json').includes('"west"');
  const isWhole = (title: string): void => {
    t.match(n1.agent('overlay', 'apply'), { status: 0 }, `${title}: the next apply`);
    t.equal(peerState(n1, [n1]), hasPeer() ? complete : without, `${title}: the peer is there or not`);
  };

  const added = killAtEveryEffect(n1, add, (step) => {
    isWhole(`add, killed at ${step}`);
    t.match(n1.agent(...remove), { status: 0 });
  });
  t.match(added.last, { status: 0 });
  t.ok(added.effects > 3, `add has ${added.effects} effects`);
  t.equal(peerState(n1, [n1]), complete);
  const removed = killAtEveryEffect(n1, remove, (step) => {
    isWhole(`remove, killed at ${step}`);
    t.match(n1.agent(...add), { status: 0 });
  });
  t.match(removed.last, { status: 0 });
  t.equal(peerState(n1, [n1]), without);

  const interrupted = interruptAtEffects(n1, add, 2, (step, { status, stderr }) => {
    if (status === 0) t.match(n1.agent(...remove), { status: 0 }, `add, interrupted at ${step}, has come to its end`);
    else t.match(stderr, /rolled back/, `add, interrupted at ${step}`);
    t.equal(peerState(n1, [n1]), without, 'the cluster is as before');
  });
  t.match(interrupted.last, { status: 0 });
  t.equal(peerState(n1, [n1]), complete);
});
