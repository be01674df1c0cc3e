import { readFileSync } from 'node:fs';
import { effectiveConfig } from '../config/effective.ts';
import { AgentError, type ExitCode, exitCode, messageOf } from '../errors.ts';
import { withLock } from '../run/lock.ts';
import { applyOverlay, overlayChanges } from '../run/overlay/apply.ts';
import { startDaemon } from '../run/overlay/daemon/unit.ts';
import { initOverlay } from '../run/overlay/init.ts';
import { joinOverlay } from '../run/overlay/join.ts';
import { expelNode, leaveOverlay } from '../run/overlay/leave.ts';
import { listNodes } from '../run/overlay/nodes.ts';
import { parseBundle, requireRecord } from '../run/overlay/record.ts';
import {
  appliedText,
  changesLines,
  countChanges,
  countWorkload,
  joinText,
  mendText,
  nodesText,
} from '../view/overlay-view.ts';
import { joinLines } from '../view/style.ts';
import type { Output } from './output.ts';
import { placesFor } from './overlay-places.ts';
import { requireRoot } from './root.ts';

/** `overlay init`: makes this node the central one of a new cluster. */
export async function init(output: Output): Promise<void> {
  const command = 'overlay init';
  requireRoot(command);
  const { config } = await effectiveConfig();
  const { record, changes } = await withLock(command, () =>
    initOverlay(config, crypto.randomUUID(), placesFor(config), output.say),
  );
  await startDaemon(output.say);
  const text = joinLines([appliedText(record, changes), ...joinText(record).split('\n')]);
  output.result(text, { command, outcome: outcomeOf(changes), node: record.node, layout: record.layout, changes });
}

/** `overlay join BUNDLE`: makes this node a member; `-` reads the bundle from standard input. */
export async function join(file: string, output: Output): Promise<void> {
  const command = 'overlay join';
  requireRoot(command);
  const { config } = await effectiveConfig();
  const bundle = parseBundle(bundleText(file), file === '-' ? 'standard input' : file);
  const { record, changes } = await withLock(command, () => joinOverlay(bundle, config, placesFor(config), output.say));
  await startDaemon(output.say);
  output.result(appliedText(record, changes), { command, outcome: outcomeOf(changes), node: record.node, changes });
}

function bundleText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new AgentError('bundle-unusable', `${file} cannot be read: ${messageOf(cause)}`, {
      hint: 'name the file that `overlay pki issue` has made on the central node',
      cause,
    });
  }
}

/** `overlay plan`: everything `overlay apply` would do. Touches nothing. */
export async function plan(output: Output): Promise<void> {
  const { changes } = await look('overlay plan');
  const count = countChanges(changes) + countWorkload(changes);
  const first = count === 0 ? 'Nothing to do.' : `${count} ${count === 1 ? 'change' : 'changes'}:`;
  const text = joinLines([first, ...changesLines(changes, output.style)]);
  output.result(text, { command: 'overlay plan', outcome: count === 0 ? 'as-wanted' : 'changes', changes });
}

/** `overlay verify`: compares this node with its part in the cluster. Exit code 3 when it differs, or something does not work. */
export async function verify(output: Output): Promise<ExitCode> {
  const { changes } = await look('overlay verify');
  const isWanted = countChanges(changes) + countWorkload(changes) + changes.faults.length === 0;
  const text = isWanted
    ? 'No drift: the overlay of this node is as wanted.'
    : joinLines(['Drift:', ...changesLines(changes, output.style), mendText(changes)]);
  output.result(text, { command: 'overlay verify', outcome: isWanted ? 'as-wanted' : 'drift', changes });
  return isWanted ? exitCode.done : exitCode.drift;
}

async function look(command: string) {
  requireRoot(command);
  const { config } = await effectiveConfig();
  const places = placesFor(config);
  return { changes: await overlayChanges(requireRecord(places.record), config, places) };
}

/** `overlay apply`: brings this node to its part in the cluster. Nothing is written where nothing differs. */
export async function apply(output: Output): Promise<void> {
  const command = 'overlay apply';
  requireRoot(command);
  const { config } = await effectiveConfig();
  const places = placesFor(config);
  const result = await withLock(command, async () => {
    const record = requireRecord(places.record);
    return { record, changes: await applyOverlay(record, places, output.say) };
  });
  const { record, changes } = result;
  output.result(appliedText(record, changes), { command, outcome: outcomeOf(changes), changes });
}

/** `overlay nodes`: the nodes of the cluster, on the central one. */
export async function nodes(output: Output): Promise<void> {
  requireRoot('overlay nodes');
  const { config } = await effectiveConfig();
  const now = Date.now();
  const found = await listNodes(placesFor(config), now);
  output.result(nodesText(found, now, output.style), { command: 'overlay nodes', nodes: found });
}

/** `overlay leave`: takes this node out of its cluster; with a name, on the central node, another one. */
export async function leave(name: string | undefined, output: Output): Promise<void> {
  const command = 'overlay leave';
  requireRoot(command);
  const { config } = await effectiveConfig();
  const places = placesFor(config);
  if (name !== undefined) {
    await withLock(command, () => expelNode(name, places));
    const text = `${name} is out of the cluster. If the machine still runs, run there: microshift-net overlay leave`;
    output.result(text, { command, outcome: 'changed', node: name });
    return;
  }
  const { record, leftOver } = await withLock(command, () => leaveOverlay(places, output.say));
  const first = `${record.node.name} is in no overlay any more.`;
  const text = joinLines([first, ...(leftOver === null ? [] : [`What is left: ${leftOver}`])]);
  output.result(text, { command, outcome: 'changed', node: record.node.name, leftOver });
}

function outcomeOf(changes: Parameters<typeof countChanges>[0]): 'changed' | 'unchanged' {
  return countChanges(changes) === 0 ? 'unchanged' : 'changed';
}
