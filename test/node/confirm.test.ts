// A change that waits for confirmation, during which an SSH session is lost, the node reboots, or a second run starts;
// and `undo` of any transaction.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { followJournal } from './follow-journal.ts';
import { afterStep, apply, giveBack, held, holdAfter, isOld, letGo } from './interfere.ts';
import { hasMoved } from './moved.ts';
import { bootNode } from './node.ts';
import { picture, pictureLike, withoutTimes } from './picture.ts';

const key = '/run/testnode/key';
/** Command that prints `active` while a start of the recovery is scheduled for the end of the time to confirm. */
const timer = 'systemctl is-active microshift-net-died.timer';
/** Command by which an administrator on the LAN logs in to the node. */
const ssh = `ip netns exec lan ssh -i ${key} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR root@192.0.2.50`;
const startSshd = `ssh-keygen -q -A; ssh-keygen -q -t ed25519 -N '' -f ${key}; install -d -m 700 /root/.ssh
  cp ${key}.pub /root/.ssh/authorized_keys; mkdir -p /run/sshd; /usr/sbin/sshd`;

t.test('a change that has to be confirmed', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine' });
  t.teardown(() => node.halt());
  await node.text(`${startSshd}; systemctl enable --quiet microshift-net-recover`);
  const before = await node.state();
  const old = await picture(node);

  await t.test('is rolled back if its SSH session with a terminal is killed during the run', async (t) => {
    await holdAfter(node, afterStep.attach);
    const session = node.start(`exec ${ssh} -tt ${apply} --confirm-timeout 60`);
    await session.saw(held);
    const died = await node.now();
    await session.signal('SIGKILL');
    await isOld(t, node, old, died);
    await letGo(node);
    t.match(await node.text('microshift-net history'), /rolled-back +apply .*stopped by SIGHUP/);
  });

  await t.test('waits for confirmation if its session has no terminal and is killed', async (t) => {
    await holdAfter(node, afterStep.attach);
    const session = node.start(`exec ${ssh} ${apply} --confirm-timeout 8`);
    await session.saw(held);
    await session.signal('SIGKILL');
    await letGo(node);
    const run = await node.run(
      'while pgrep -f "microshift-net [a]pply" > /dev/null; do sleep 0.1; done; microshift-net history',
    );
    t.match(run.stdout, /^\S+ +awaiting-confirm +apply /, 'the run ends and waits for confirmation');
    const log = await followJournal(node, '-t microshift-net');
    const tried = await node.now();
    await isOld(t, node, old, tried);
    await log.saw('was not confirmed and has been reverted');
    await log.signal('SIGKILL');
    t.match(await node.text('microshift-net history'), /^\S+ +reverted +apply .*not confirmed in time/);
    t.match(await node.run('microshift-net confirm'), { exitCode: 2, stderr: /not confirmed in time/ });
  });

  await t.test('is confirmed from another session after its user has logged out', async (t) => {
    const watch = node.start('exec microshift-net status --watch');
    await watch.saw('see `microshift-net plan`');
    t.equal((await node.run(`${ssh} ${apply} --confirm-timeout 30`)).exitCode, 0);
    await watch.saw('waits for confirmation');
    // Ctrl-C in a terminal sends SIGINT to the foreground process group, which does not contain `ip monitor`.
    await node.text("pkill -INT -f '[s]tatus --watch'");
    t.match(await watch.ended, { exitCode: 0, stderr: '' }, '`status --watch` shows the change, and Ctrl-C ends it');
    const status = await node.text('microshift-net status');
    t.match(status, /waits for confirmation until \S+ \(in \d+ s\).*\n.*microshift-net confirm\n.*microshift-net undo/);
    t.notMatch(status, /The node is in the desired state/);
    t.match(
      await node.run(apply),
      { exitCode: 1, stderr: /still waits to be confirmed/ },
      'another run is refused until the confirmation',
    );
    t.match(await node.run('microshift-net recover'), {
      exitCode: 0,
      stdout: 'Nothing to recover.',
      stderr: /still waits to be confirmed/,
    });
    t.match(await node.run(timer), { stdout: /^active/ }, 'the recovery at the deadline stays scheduled');
    t.match(await node.run(`${ssh} microshift-net confirm`), { exitCode: 0, stdout: /^Confirmed/ });
    hasMoved(t, before, await node.state());
    await giveBack(t, node, old);
    t.equal((await node.run(`${apply} --confirm-timeout 600`)).exitCode, 0);
    t.match(await node.run('microshift-net undo'), {
      exitCode: 0,
      stdout: /which waited for confirmation, is rolled back\.$/m,
    });
    t.strictSame(await pictureLike(node, old), old);
    t.match(await node.run(timer), { stdout: /^inactive/ });
  });

  await t.test('is reverted if the node reboots before the confirmation', async (t) => {
    t.equal((await node.run(`${apply} --confirm-timeout 600`)).exitCode, 0);
    await node.reboot();
    t.match(await node.text('microshift-net history'), /^\S+ +reverted +apply .*rebooted before it was confirmed/);
    t.match(await node.run('microshift-net confirm'), { exitCode: 2, stderr: /rebooted before/ });
    t.strictSame(await pictureLike(node, old, 60_000, withoutTimes), withoutTimes(old));
  });

  await t.test('undo restores the state before any transaction, and history shows the transaction', async (t) => {
    t.equal((await node.run(apply)).exitCode, 0);
    const first = (await node.text('microshift-net history')).split(' ')[0] ?? '';
    await node.write('/etc/microshift/ovn.yaml', 'uplink: none\n');
    t.equal((await node.run(apply)).exitCode, 0);
    const [second = ''] = (await node.text('microshift-net history')).split(' ');
    t.not(first, second);
    const shown = await node.text(`microshift-net history ${second}`);
    t.match(shown, /^ {2}before +br-ex with eth0\n {2}after +br-ex with no NIC\n/m);
    t.match(shown, /^ +1 {2}.* … \d+ ms$/m, 'history shows the time of each step');
    t.notMatch(shown, /not done/);
    t.match(await node.run(`microshift-net undo ${second}`), { exitCode: 0 });
    hasMoved(t, before, await node.state());
    t.match(await node.run(`microshift-net undo ${first}`), { exitCode: 0 });
    await node.write('/etc/microshift/ovn.yaml', '');
    t.strictSame(await pictureLike(node, old, 60_000, withoutTimes), withoutTimes(old));
    t.match(await node.text('microshift-net history'), new RegExp(`^\\S+ +committed +undo ${first} `));
    t.match(await node.run('microshift-net undo 1999'), {
      exitCode: 2,
      stderr: /no transaction has an id that begins with "1999"/,
    });
  });

  await t.test('undo also restores the tuning of Open vSwitch', async (t) => {
    const tuning = (): Promise<string> => node.text('ovs-vsctl get Open_vSwitch . other_config external_ids');
    t.match(await node.run('microshift-net disable'), { exitCode: 0 });
    const untuned = await tuning();
    t.match(await node.run(apply), { exitCode: 0 });
    const tuned = await tuning();
    t.not(tuned, untuned);
    t.match(await node.run('microshift-net undo'), { exitCode: 0 });
    t.equal(await tuning(), untuned, 'without br-ex, the daemons are not tuned');
    t.match(await node.run('microshift-net undo'), { exitCode: 0 });
    t.equal(await tuning(), tuned, 'with br-ex, they are');
    t.match(await node.run('microshift-net verify'), { exitCode: 0 });
    await node.text(`echo '  cpuAffinity: "63"' >> /etc/microshift/ovn.yaml`);
    const undone = await node.run('microshift-net undo; microshift-net undo');
    t.match(undone, { exitCode: 0, stderr: /warning: the tuning of Open vSwitch stays as it is: .*no CPU 63/ });
    t.equal(await tuning(), untuned, 'CPUs that do not exist prevent neither an undo nor the removal of the tuning');
    await node.write('/etc/microshift/ovn.yaml', 'ovs: [\n');
    t.match(await node.run('microshift-net undo; microshift-net undo'), { exitCode: 0 });
    t.equal(await tuning(), untuned, 'an invalid ovn.yaml prevents no undo, and changes no tuning');
    await node.write('/etc/microshift/ovn.yaml', '');
    t.match(await node.run('microshift-net disable'), { exitCode: 0 });
    t.strictSame(await pictureLike(node, old, 60_000, withoutTimes), withoutTimes(old));
  });
});
