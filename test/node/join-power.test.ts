// Power cuts before effects of `overlay join`: the node boots, and the same command completes the work. `npm run
// power-cuts` tests all effects (docs/lab/measurements.md).
import t from 'tap';
import { countdown, stopped } from '../overlay/kills.ts';
import { nodeSkip } from './availability.ts';
import type { TestNode } from './node.ts';
import { bootTwoNodes, identity, reach } from './overlay-cluster.ts';
import { onSecond, second } from './second-node.ts';

const isWhole = process.env.POWER_CUTS === 'all';
/**
 * Paths on the second node's disk, which keeps its content after a power cut, of the bundle and of the module that
 * counts effects.
 */
const [bundle, preload] = ['/var/tmp/bundle', '/var/tmp/countdown.cjs'];
const record = '/var/lib/microshift-net/overlay.json';
const units = 'ovn-host ovn-controller microshift-net-overlay';
/** Shell text that prints the state of a node that a join changes: keys, bridges, ports, files and units. */
const remains = `ovs-vsctl get Open_vSwitch . external_ids other_config ssl; ovs-vsctl list-br
  ovs-vsctl show | grep -oE 'ovn-k8s-mp0|type: geneve' || true
  ls -A /etc/microshift-net/pki ${record} /var/lib/microshift-net/overlay-units.json 2>&1
  systemctl is-enabled ${units}; systemctl is-active ${units} | sed s/failed/inactive/; ip -o link show ovn-k8s-mp0 2>&1`;

const join = `microshift-net overlay join ${bundle}`;

/** Runs shell text on the second node, and returns its exit code and output. */
function there(node: TestNode, text: string) {
  return node.run(`${onSecond} sh -s <<'THERE'\n${text}\nTHERE`);
}

/**
 * Starts to join, stops before an effect, cuts the power and boots again; returns false if the command has fewer
 * effects.
 */
async function cutBefore(node: TestNode, step: number): Promise<boolean> {
  const run = node.start(
    `${onSecond} env KILL_BEFORE=${step} KILL_WITH=SIGSTOP node --require ${preload} /usr/bin/${join}`,
  );
  const isHeld = await run.saw(stopped).then(
    () => true,
    () => false,
  );
  if (!isHeld) return false;
  await node.text('systemctl stop second-node');
  // The command has ended together with the second node; the signal ends the program that runs it on the first node.
  await run.signal('SIGKILL');
  await run.ended;
  await node.text('systemctl start second-node');
  return true;
}

t.test('the power of a node that joins is cut', { skip: nodeSkip }, async (t) => {
  const node = await bootTwoNodes();
  t.teardown(() => node.halt());
  t.match(await node.run('microshift-net overlay init'), { exitCode: 0 });
  const issue = `microshift-net overlay pki issue ${second.name} --system-id "$(${onSecond} ${identity})"`;
  await node.text(`set -o pipefail; ${issue} | ${onSecond} tee ${bundle}`);
  await node.text(`${onSecond} tee ${preload} <<'COUNTDOWN'\n${countdown}\nCOUNTDOWN`);
  t.match(await there(node, join), { exitCode: 0 });
  t.match(await there(node, 'microshift-net overlay disable'), { exitCode: 0 });
  const clear = (await there(node, remains)).stdout;

  const isClear = async (what: string): Promise<void> => {
    t.match(await there(node, 'microshift-net overlay disable'), { stderr: /^$|this node is not in an overlay/ }, what);
    t.equal((await there(node, remains)).stdout, clear, `${what}: the node is as before the join`);
  };
  const took: number[] = [];
  // The short form cuts before every seventh effect, without the first one, before which the join has changed nothing.
  let step = isWhole ? 1 : 8;
  for (; ; step += isWhole ? 1 : 7) {
    const since = performance.now();
    if (!(await cutBefore(node, step))) break;
    const what = `before effect ${step}`;
    const isMember = (await there(node, `test -e ${record}`)).exitCode === 0;
    const state = (await there(node, remains)).stdout;
    if (!isMember) t.notMatch(state, /ovn-remote|ovn-encap|geneve/, `${what}: no row without a record`);
    if (step % 2 === 0) await isClear(`${what}, given up`);
    const again = await there(node, join);
    t.match(again, { exitCode: 0 }, `${what}: the same command completes the join`);
    t.match(await there(node, 'microshift-net overlay verify'), { exitCode: 0, stdout: /^No drift/ }, what);
    t.match(await node.text(reach('10.42.1.2')), /ttl=63/, `${what}: the member is reachable`);
    t.match(
      await node.run('microshift-net overlay verify'),
      { exitCode: 0 },
      `${what}: the central node is in the desired state`,
    );
    await isClear(what);
    took.push(Math.round(performance.now() - since));
    t.comment(`${what}: ${isMember ? 'a member' : 'not yet a member'}, ${took.at(-1)} ms`);
  }
  t.ok(step > 10, `join has at most ${step - 1} effects`);
  t.match(
    await there(node, 'microshift-net overlay verify'),
    { exitCode: 0 },
    'a member after a join without a power cut',
  );
  await isClear('joined');
});
