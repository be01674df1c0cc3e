// Every kind of uplink and of address: a move, a run without changes, and the return of the NIC. Kinds of uplinks use
// the kernel's data path, and kinds of addresses that of userspace. bond-kills.test.ts moves a bond.
import t, { type Test } from 'tap';
import { addressShapes } from './address-shapes.ts';
import { nodeSkip } from './availability.ts';
import { afterStep, interfered } from './interfere.ts';
import { keyfileText } from './keyfiles.ts';
import { areSame, hasMoved } from './moved.ts';
import { bootNode, type TestNode } from './node.ts';
import { stayedReachable } from './reachability.ts';
import { type Shape, uplinkShapes } from './shapes.ts';
import type { NodeState, Route } from './state.ts';

// Limit with SHAPES=all, which takes some minutes longer than `make test`.
t.setTimeout(1_200_000);

/**
 * Value of SHAPES: `all`, or names separated by semicolons; if it is not set, the test has the shapes that are
 * `common`.
 */
const asked = process.env.SHAPES;
const isWanted = (name: string, shape: Shape): boolean =>
  asked === undefined ? shape.common === true : asked === 'all' || asked.split(';').includes(name);
for (const [kernel, shapes] of [
  ['user-mode', uplinkShapes],
  ['of this machine', addressShapes],
] as const) {
  const wanted = Object.entries(shapes).filter(([name, shape]) => isWanted(name, shape));
  if (wanted.length === 0) continue;
  t.test(`shapes, kernel ${kernel}`, { timeout: 1_190_000, skip: nodeSkip }, async (t) => {
    const node = await bootNode({ lan: 'shapes', waitReady: false, kernel });
    t.teardown(() => node.halt());
    await node.text('systemctl start NetworkManager openvswitch');
    for (const [name, shape] of wanted) await t.test(name, (t) => movesOrIsRefused(t, node, shape));
  });
}

/** Asserts that a NIC of a kind moves and returns, or that its move is refused. */
async function movesOrIsRefused(t: Test, node: TestNode, shape: Shape): Promise<void> {
  try {
    await inLan(node, shape.lan);
    await furnishWith(node, shape);
    await inLan(node, shape.before);
    if (shape.fails !== undefined) {
      await refused(t, node, shape, shape.fails);
      return;
    }
    const before = await movedAndBack(t, node, shape);
    if (shape.stopped === true) await stoppedAndBack(t, node, shape, before);
  } finally {
    await clear(node, shape);
  }
}

/** Asserts that `apply` fails with this message and that the uplink is unchanged afterwards. */
async function refused(t: Test, node: TestNode, shape: Shape, says: RegExp): Promise<void> {
  const before = await node.state('whole');
  const run = await node.run('microshift-net apply');
  t.match(run.stderr, says);
  t.ok([1, 2, 5].includes(run.exitCode ?? 0), `exit code ${run.exitCode}: the node is as before`);
  await answers(node, shape.address);
  isBack(t, before, await node.state('whole'), shape);
}

/** Asserts that a run that is stopped in the middle returns the uplink to its own profile. */
async function stoppedAndBack(t: Test, node: TestNode, shape: Shape, before: NodeState): Promise<void> {
  const run = await interfered(node, afterStep.move, (command) => command.signal('SIGTERM'));
  t.match(run, { exitCode: 1, stderr: /^microshift-net: stopped by SIGTERM; /m });
  await answers(node, shape.address);
  isBack(t, before, await node.state('whole'), shape);
}

/** Asserts that a NIC moves and returns; returns the state before. */
async function movedAndBack(t: Test, node: TestNode, shape: Shape): Promise<NodeState> {
  const { uplink, address } = shape;
  const before = await node.state('whole');
  const run = await node.measure('microshift-net apply --verbose', { settleMs: 500 });
  t.equal(run.exitCode, 0, run.stderr);
  if (run.exitCode !== 0) t.comment(await node.journal('NetworkManager'));
  t.comment(`apply ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
  if (run.exitCode !== 0) return before;
  if (address !== null) {
    stayedReachable(t, run, [address]);
  }
  const after = await node.state('whole');
  hasMoved(t, before, after, uplink);
  areSame(t, waysOf(after, 'br-ex'), waysOf(before, uplink), 'br-ex has every route');
  const rules = JSON.stringify(before.data.rules).replaceAll(`"${uplink}"`, '"br-ex"');
  t.equal(
    JSON.stringify(after.data.rules),
    rules,
    'the routing rules are the same, with br-ex in the place of the uplink',
  );
  const [own, still] = [settingsOf(before, uplink), settingsOf(after, uplink)];
  for (const key of shape.kept ?? []) {
    t.ok(own?.[key], `${key} is set`);
    t.equal(still?.[key], own?.[key], `${key} stays with the device`);
  }
  const again = await node.run('microshift-net apply');
  t.match(again, { exitCode: 0, stdout: /Nothing to do: the node is in the desired state\./ });
  const back = await node.measure('microshift-net disable --verbose', { settleMs: 500 });
  t.equal(back.exitCode, 0, back.stderr);
  if (back.exitCode !== 0) t.comment(await node.journal('NetworkManager'));
  t.comment(`disable ${Math.round(back.wallMs)} ms, away ${JSON.stringify(back.outageMs)}`);
  await answers(node, address);
  isBack(t, before, await node.state('whole'), shape);
  return before;
}

/**
 * Returns the routes of a device and routes that reject packets, without those that the kernel adds for every address.
 */
function routesOf({ data }: NodeState, device: string): Route[] {
  return [...data.routes4, ...data.routes6]
    .filter((route) => route.table !== 'local' && !/^(multicast |fe80:)/.test(route.dst))
    .filter((route) => route.dev === device || /^(blackhole|unreachable|prohibit) /.test(route.dst));
}

/** Returns the routes of a device as text, without the metric, which differs on the bridge. */
function waysOf(state: NodeState, device: string): string[] {
  return routesOf(state, device)
    .map(({ dst, gateway, table }) => `${dst} via ${gateway} table ${table}`)
    .sort();
}

/** Returns the settings of the profile that a device runs. */
function settingsOf(state: NodeState, device: string): Record<string, string> | undefined {
  const profile = state.data.profiles.find((entry) => entry.device === device && entry.active);
  return state.data.settings[profile?.name ?? ''];
}

function isBack(t: Test, before: NodeState, after: NodeState, { uplink, leaves }: Shape): void {
  areSame(t, after.addressesOf(uplink), before.addressesOf(uplink), 'the uplink has its addresses again');
  // A device that ip(8) has configured gets a profile when it is returned. Its routes then have another protocol, and
  // its connected route has the metric of the profile.
  const shown = (route: Route): Route =>
    leaves === undefined ? route : { ...route, protocol: '', metric: route.protocol === 'kernel' ? 0 : route.metric };
  const ordered = (state: NodeState): string[] =>
    routesOf(state, uplink)
      .map((route) => JSON.stringify(shown(route)))
      .sort();
  areSame(t, ordered(after), ordered(before), 'the uplink has its routes again');
  t.strictSame(after.data.rules, before.data.rules, 'the routing rules are unchanged');
  t.strictSame(after.profileNames(), leaves ?? before.profileNames(), 'no profile is left behind');
  t.strictSame(after.bridges(), []);
  const members = (state: NodeState): string[] =>
    state.data.links.filter((link) => link.master === uplink && link.state === 'UP').map((link) => link.name);
  t.strictSame(members(after), members(before), 'the uplink has its ports');
}

async function writeProfiles(node: TestNode, profiles: Shape['profiles']): Promise<void> {
  for (const [name, keyfile] of Object.entries(profiles)) {
    const path = `/etc/NetworkManager/system-connections/${name}.nmconnection`;
    await node.write(path, keyfileText(keyfile));
    await node.text(`chmod 600 ${path}`);
  }
  await node.text('nmcli connection reload');
}

async function furnishWith(node: TestNode, { profiles, address }: Shape): Promise<void> {
  await writeProfiles(node, profiles);
  // NetworkManager does not repeat an activation that has failed under the same UUID.
  const [first] = Object.values(profiles);
  if (
    first?.connection?.type === 'ethernet' &&
    first.connection.controller === undefined &&
    first.connection.master === undefined
  )
    await node.run(`nmcli --wait 45 connection up ${first.connection.uuid}`);
  await answers(node, address);
  // Advertised addresses and LACP settle after the first answer.
  await node.text('sleep 2');
}

async function clear(node: TestNode, { profiles, after }: Shape): Promise<void> {
  await node.run('[ -z "$(ovs-vsctl list-br)" ] || microshift-net disable');
  const uuids = Object.values(profiles).map((keyfile) => keyfile.connection?.uuid);
  await node.run(`nmcli connection delete ${uuids.join(' ')}; rm -f /var/lib/ovnk/iface_default_hint`);
  await inLan(node, after);
}

async function answers(node: TestNode, address: string | null): Promise<void> {
  if (address === null) return;
  const ping = `until ip netns exec lan ping -n -q -c 1 -W 1 ${address} > /dev/null; do sleep 0.1; done`;
  await node.text(`timeout 110 sh -c '${ping}'`, { timeoutMs: 70_000 });
}

async function inLan(node: TestNode, shell: string | undefined): Promise<void> {
  if (shell !== undefined) await node.text(`. /testnode/lib.sh; . /testnode/lan.sh; ${shell}`);
}
