// Peers and overlay ports are added and removed by commands that are killed or interrupted before their effects: after
// the next run, the peer or the port is there completely or not at all.
import t, { type Test } from 'tap';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { interruptAtEffects, killInTurn } from './kills.ts';
import { ovnsHere } from './ovn-of-nodes.ts';
import { peerState } from './peer-state.ts';
import { makeTap, portState } from './port-guests.ts';
import { vtepState } from './vtep-state.ts';

/** A peer or a port that a node adds and removes. */
interface Addition {
  readonly title: string;
  readonly kind: 'peer' | 'port';
  readonly name: string;
  /** Options of the command that adds the peer or the port. */
  readonly options: readonly string[];
  /** Returns everything that the two commands may change, as text for a comparison. */
  state(): string;
  /** Least number of effects of the command that adds the peer or the port. */
  readonly effects: number;
  /** Reason why this machine cannot run the case; false or absent if it can. */
  readonly skip?: string | false;
}

/**
 * Adds and removes a peer or a port, kills both commands before each effect, and then interrupts the command that adds
 * it before some effects.
 */
function interruptedOn(t: Test, n1: Host, { kind, name, options, state, effects }: Addition): void {
  const add = ['overlay', kind, 'add', name, ...options];
  const remove = ['overlay', kind, 'remove', name];
  const without = state();
  t.match(n1.agent(...add), { status: 0, stdout: /^Done/ });
  const complete = state();
  t.not(complete, without);
  t.match(n1.agent(...remove), { status: 0, stdout: /^Done/ });
  t.equal(state(), without);
  const isThere = (): boolean => n1.must('cat', '/var/lib/microshift-net/overlay.json').includes(`"${name}"`);
  const change = (words: readonly string[], end: string) => ({
    words,
    killed: (step: number) => {
      const title = `${words[2]}, killed at ${step}`;
      t.match(n1.agent('overlay', 'apply'), { status: 0 }, `${title}: the next apply`);
      const after = state();
      t.equal(after, isThere() ? complete : without, `${title}: ${name} is there or not`);
      if (after !== end) t.match(n1.agent(...words), { status: 0 }, `${title}: the same command`);
    },
    complete: (ended: object, count: number) => {
      t.match(ended, { status: 0 });
      t.ok(count >= effects, `${words[2]} has ${count} effects`);
      t.equal(state(), end);
    },
  });
  killInTurn(n1, [change(add, complete), change(remove, without)]);

  const interrupted = interruptAtEffects(n1, add, 3, (step, { status, stderr }) => {
    if (status === 0) t.match(n1.agent(...remove), { status: 0 }, `add, interrupted at ${step}, has come to its end`);
    else t.match(stderr, /rolled back/, `add, interrupted at ${step}`);
    t.equal(state(), without, 'the cluster is as before');
  });
  t.match(interrupted.last, { status: 0 });
  t.equal(state(), complete);
  t.match(n1.agent(...remove), { status: 0 });
}

t.test('peers and a port', { skip: missingForHosts() ?? false }, async (t) => {
  const exchangesVxlan = ovnsHere().includes('newer');
  const lan = await startLan(t, exchangesVxlan ? 'newer' : 'own');
  const n1 = await lan.host('n1', 11);
  form(t, [n1]);
  t.match(n1.agent('overlay', 'gateway'), { status: 0 });
  await makeTap(n1, 'tap7', 'guest', '52:54:00:00:00:0a');

  const additions: readonly Addition[] = [
    {
      title: 'a peer',
      kind: 'peer',
      name: 'west',
      options: ['--next-hop', '192.0.2.60', '--subnet', '10.45.0.0/16', '--service-subnet', '10.46.0.0/16'],
      state: () => peerState(n1, [n1]),
      effects: 4,
    },
    {
      title: 'a peer in VXLAN',
      kind: 'peer',
      name: 'f5',
      options: ['--vtep', '192.0.2.60', '--subnet', '10.60.0.0/24'],
      state: () => vtepState(n1, [n1]),
      effects: 5,
      skip: exchangesVxlan ? false : 'an OVN that exchanges VXLAN packets is missing',
    },
    {
      title: 'an overlay port',
      kind: 'port',
      name: 'line',
      options: [
        ...['--interface', 'tap7', '--vlan', '100', '--mac', '52:54:00:00:00:0a,52:54:00:00:00:0b'],
        ...['--label', 'app=db'],
      ],
      state: () => portState(n1, [n1]),
      effects: 3,
    },
  ];
  for (const addition of additions) {
    t.test(addition.title, { skip: addition.skip ?? false }, async (t) => interruptedOn(t, n1, addition));
  }
});
