// Several programs change the node at the same time: one succeeds, the others report the reason, the node is never in
// a mixed state, and the runs leave nothing behind. The test runs on this machine's kernel, where a run takes a fifth
// of the time; only runs of the agent are concurrent, so the data path does not matter.
import t from 'tap';
import { armFault, letGoOfRun } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { followJournal } from './follow-journal.ts';
import { afterStep, apply, giveBack, held, holdAfter, letGo } from './interfere.ts';
import { hasMoved } from './moved.ts';
import { bootNode, type TestNode } from './node.ts';
import { type Picture, picture, pictureLike } from './picture.ts';
import { type Usage, usageOf } from './soak/usage.ts';

const nm = 'org.freedesktop.NetworkManager /org/freedesktop/NetworkManager org.freedesktop.NetworkManager';
const unit = 'microshift-ovs-init.service';
/**
 * Shell text that sends forged signals of the bus daemon, as an unprivileged user, to every connection of the bus, and
 * prints the number of these connections.
 */
const spoofed = `owner=$(busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus GetNameOwner s org.freedesktop.NetworkManager | cut -d'"' -f2)
test -n "$owner"
for peer in $(busctl list --unique --no-legend | cut -d' ' -f1); do
  setpriv --reuid=65534 --regid=65534 --clear-groups busctl --destination="$peer" emit /org/freedesktop/DBus org.freedesktop.DBus \
    NameOwnerChanged sss org.freedesktop.NetworkManager "$owner" '' && echo "$peer"
done | grep -c :`;

t.test('several at once', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine' });
  t.teardown(() => node.halt());
  const before = await node.state();
  const old = await picture(node);
  let used: Usage = {};

  await t.test('of three runs that start at the same time, one moves the NIC', async (t) => {
    const runs = await Promise.all([node.run(apply), node.run(apply), node.run(apply)]);
    const won = runs.filter((run) => /^Done: .* committed/m.test(run.stdout));
    t.equal(won.length, 1, JSON.stringify(runs.map((run) => [run.exitCode, run.stdout, run.stderr])));
    for (const run of runs.filter((one) => !won.includes(one))) {
      // A run that started after the end of the first had nothing to do.
      const reported =
        run.exitCode === 1 && /^microshift-net: another run is in progress: .*process \d+; wait/.test(run.stderr);
      t.ok(reported || /^Nothing to do/.test(run.stdout), `${run.exitCode} ${run.stdout}${run.stderr}`);
    }
    hasMoved(t, before, await node.state());
    await giveBack(t, node, old);
  });

  await t.test('while the unit runs at boot, other commands report it', async (t) => {
    await armFault(node, 'after step 5', 'hold');
    const log = await followJournal(node, `-u ${unit}`);
    const start = node.start(`systemctl restart ${unit}`);
    await log.saw('armed fault: held after step 5');
    const run = await node.run(apply);
    const disable = await node.run('microshift-net disable');
    await node.text(letGoOfRun);
    t.match(disable, { exitCode: 1, stderr: /another run is in progress/ });
    t.match(run, {
      exitCode: 1,
      stderr: /another run is in progress: `microshift-net apply --boot`, process \d+; wait/,
    });
    t.equal((await start.ended).exitCode, 0);
    hasMoved(t, before, await node.state());
    await log.signal('SIGKILL');
    await node.text(`systemctl stop ${unit}`);
    await giveBack(t, node, old);
    used = await counted(node, null);
  });

  await t.test("another program's checkpoint is respected", async (t) => {
    const made = await node.text(`busctl call ${nm} CheckpointCreate aouu 0 300 0`);
    const checkpoint = /"(.*)"/.exec(made)?.[1] ?? '';
    const untouched = await picture(node);
    for (const command of [apply, `${apply} --confirm-timeout 30`]) {
      const run = await node.run(command);
      t.equal(run.exitCode, 1, run.stderr);
      t.match(
        run.stderr,
        /^microshift-net: another program \(Cockpit, nmstate\) is trying a change of .*eth0.*300 s; let it/m,
      );
    }
    t.strictSame(await picture(node), untouched, 'the node is untouched');
    t.match(await node.text(`busctl get-property ${nm} Checkpoints`), checkpoint, 'the checkpoint still exists');
    t.equal(
      (await node.run('microshift-net plan')).exitCode,
      0,
      'plan succeeds during the change of the other program',
    );
    await node.text(`busctl call ${nm} CheckpointDestroy o ${checkpoint}`);
    t.match(await node.run(apply), { exitCode: 0, stdout: /committed/ });
  });

  await t.test('another program gets no checkpoint during a run', async (t) => {
    await giveBack(t, node, old);
    await holdAfter(node, afterStep.bridge);
    const run = node.start(apply);
    await run.saw(held);
    const other = await node.run(`busctl call ${nm} CheckpointCreate aouu 0 300 0`);
    await letGo(node);
    t.not(other.exitCode, 0, other.stdout);
    t.match(await run.ended, { exitCode: 0, stdout: /committed/ });
  });

  await t.test('a run ignores forged signals by which NetworkManager has ended', async (t) => {
    await giveBack(t, node, old);
    await holdAfter(node, afterStep.bridge);
    const run = node.start(apply);
    await run.saw(held);
    const reported = await node.text(spoofed);
    await letGo(node);
    t.match(await run.ended, { exitCode: 0, stdout: /committed/ }, reported);
  });

  await t.test('an edit of the profile during a run takes effect with the next run', async (t) => {
    await giveBack(t, node, old);
    const profile = await node.text('nmcli -g GENERAL.CONNECTION device show eth0');
    await holdAfter(node, afterStep.bridge);
    const run = node.start(apply);
    await run.saw(held);
    const edit = await node.run(`nmcli connection modify '${profile}' ipv4.dns-search edited.example`);
    t.equal(edit.exitCode, 0, edit.stderr);
    await letGo(node);
    t.equal((await run.ended).exitCode, 0);
    t.match(
      await node.run('microshift-net verify'),
      { exitCode: 3, stdout: /edited\.example/ },
      'verify reports the edit',
    );
    t.match(await node.run(apply), { exitCode: 0 });
    t.match((await node.state()).file('/etc/resolv.conf'), /edited\.example/);
    t.equal((await node.run('microshift-net verify')).exitCode, 0);
    await node.text(`nmcli connection modify '${profile}' ipv4.dns-search ''`);
    t.equal((await node.run('microshift-net disable')).exitCode, 0);
    // nmcli has written the profile again, with its own order of the lines.
    const withoutFiles = (shown: Picture): Picture => ({ ...shown, etc: [], files: {} });
    t.strictSame(await pictureLike(node, old, 60_000, withoutFiles), withoutFiles(old));
  });

  await t.test('a run fails and is rolled back if an administrator activates the NIC meanwhile', async (t) => {
    const profile = await node.text('nmcli -g GENERAL.CONNECTION device show eth0');
    const before = await picture(node);
    await holdAfter(node, afterStep.attach);
    const run = node.start(apply);
    await run.saw(held);
    await node.run(`nmcli --wait 5 connection up '${profile}'`);
    await letGo(node);
    const { exitCode, stderr } = await run.ended;
    if (exitCode === 0) {
      t.match(await node.run('microshift-net verify'), { exitCode: 0 }, 'the run ended before the activation');
      t.equal((await node.run('microshift-net disable')).exitCode, 0);
    } else {
      t.equal(exitCode, 1, stderr);
      t.match(stderr, /^microshift-net: .*; /m);
    }
    const now = await pictureLike(node, before, 30_000);
    t.strictSame(now, before, 'the node is as it was');
  });

  // `npm run soak` also observes memory and open files, which need more runs than this test has.
  await t.test('the runs leave no profile, row, checkpoint, connection, file or process behind', async (t) => {
    const now = await counted(node, used);
    t.ok(Object.keys(used).length > 10, 'the figures were taken');
    for (const [name, count] of Object.entries(now))
      t.ok(count <= (used[name] ?? 0), `${name}: ${used[name]}, then ${count}`);
  });
});

/** Returns the figures of a node that grow by one with each run if the run leaves something behind. */
async function counted(node: TestNode, before: Usage | null): Promise<Usage> {
  const figures = Object.entries(await usageOf(node, before));
  return Object.fromEntries(figures.filter(([name]) => !/^(KiB|fds|journals)/.test(name)));
}
