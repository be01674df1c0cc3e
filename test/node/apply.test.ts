// The main task of the agent: a NIC becomes the uplink of br-ex, remains the uplink, and returns to its own profile.
// The nodes have the userspace data path. With the kernel's data path, shapes.test.ts tests the same with DHCP and
// with another MTU, boot.test.ts with router advertisements, and default-route.test.ts with fixed addresses of both
// families.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { hasMoved, ownProfiles } from './moved.ts';
import { bootNode, type TestNode } from './node.ts';
import { picture, pictureLike } from './picture.ts';
import { stayedReachable } from './reachability.ts';
import { type WatchedRun, watchWrites } from './writes.ts';

interface Case {
  lan: string;
  /** Addresses that must answer the LAN during and after the move of the NIC. */
  kept: string[];
  mtu?: number;
  /** Connection over which `apply` is started. */
  through?: 'console' | 'ssh';
}

const cases: Case[] = [
  { lan: 'mtu9000', kept: ['192.0.2.50'], mtu: 9000, through: 'ssh' },
  { lan: 'static-dual', kept: ['192.0.2.50', '2001:db8::50'] },
  { lan: 'slaac', kept: ['192.0.2.50'] },
];
const ssh =
  'ip netns exec lan ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR 192.0.2.50';

for (const { lan, kept, mtu = 1500, through = 'console' } of cases) {
  t.test(`${lan}: a NIC becomes the uplink of br-ex and comes back`, { skip: nodeSkip }, async (t) => {
    const node = await bootNode({ lan, kernel: 'of this machine' });
    t.teardown(() => node.halt());
    const before = await node.state();
    const untouched = await picture(node);

    await t.test('plan shows the change and makes none', async (t) => {
      const plan = await watchWrites(node, 'microshift-net plan');
      t.match(plan, { exitCode: 0, stderr: '' });
      t.strictSame(writesOf(plan), unwritten);
      t.match(plan.stdout, /eth0/);
      t.match(plan.stdout, /After\n.*br-ex/);
      t.strictSame(await picture(node), untouched);
      t.match(await node.run('microshift-net verify'), { exitCode: 3, stdout: /^Drift:/ });
    });

    await t.test('apply moves everything without an interruption for the LAN', async (t) => {
      await startSsh(node);
      const session = await openSession(node);
      const command = through === 'ssh' ? `${ssh} microshift-net apply` : 'microshift-net apply';
      const run = await node.measure(command);
      t.match(run, { exitCode: 0, stdout: /Done: transaction \S+ committed/ });
      t.comment(`${lan}: apply ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
      stayedReachable(t, run, kept);
      await session.says('after the move');
      await session.close();
      const after = await node.state();
      hasMoved(t, before, after);
      t.equal(after.link('eth0')?.mtu, mtu);
      t.equal(after.file('/var/lib/ovnk/iface_default_hint'), 'eth0\n');
      t.strictSame(
        (await picture(node)).etc,
        untouched.etc,
        'no file in /etc was written, not even the profile of eth0',
      );
    });

    await t.test('a second apply writes nothing', async (t) => {
      const run = await node.measure('microshift-net apply');
      t.match(run, { exitCode: 0, stdout: 'Nothing to do: the node is in the desired state.\n', stderr: '' });
      t.comment(`${lan}: second apply ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
      const moved = await picture(node);
      const watched = await watchWrites(node, 'microshift-net apply');
      t.strictSame(writesOf(watched), unwritten);
      t.ok(watched.busReads > 0 && watched.databaseReads > 0, 'the monitors recorded the queries of the run');
      t.strictSame(await picture(node), moved);
      t.match(await node.run('microshift-net verify'), {
        exitCode: 0,
        stdout: 'No drift: the node is in the desired state.\n',
      });
    });

    await t.test('disable returns the NIC to its own profile, and leaves no trace', async (t) => {
      const run = await node.measure('microshift-net disable');
      t.equal(run.exitCode, 0, run.stderr);
      t.comment(`${lan}: disable ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
      t.strictSame(await pictureLike(node, untouched), untouched);
      const shown = await node.text('ip -4 address show dev eth0');
      t.match(shown, ' brd 192.0.2.255 ', 'the address has its broadcast address again');
      const after = await node.state();
      t.strictSame(after.bridges(), []);
      t.notOk(after.profileNames().some((name) => ownProfiles.includes(name)));
      const history = await node.text('microshift-net history');
      t.match(history, /^\S+ +committed +disable .*\n\S+ +committed +apply .*br-ex with eth0$/);
      t.match(await node.run('microshift-net disable'), { exitCode: 0, stdout: /Nothing to do/ });
    });
  });
}

const unwritten: Pick<WatchedRun, 'busWrites' | 'busSignals' | 'databaseWrites' | 'databaseSame'> = {
  busWrites: [],
  busSignals: [],
  databaseWrites: [],
  databaseSame: true,
};

function writesOf(run: WatchedRun): typeof unwritten {
  const { busWrites, busSignals, databaseWrites, databaseSame } = run;
  return { busWrites, busSignals, databaseWrites, databaseSame };
}

async function startSsh(node: TestNode): Promise<void> {
  await node.text(`set -e; mkdir -p /run/sshd /root/.ssh; rm -f /root/.ssh/id_ed25519
    ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519; cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
    /usr/sbin/sshd`);
}

/** Opens an SSH session from the LAN that repeats its input. */
async function openSession(node: TestNode): Promise<{ says(text: string): Promise<void>; close(): Promise<void> }> {
  await node.text('mkfifo /run/talk');
  const session = node.start(`exec 3<> /run/talk; ${ssh} cat < /run/talk`);
  const says = async (text: string): Promise<void> => {
    await node.text(`echo '${text}' > /run/talk`);
    await session.saw(text);
  };
  await says('before the move');
  return {
    says,
    close: async () => {
      await session.signal('SIGTERM');
      await session.ended;
    },
  };
}
