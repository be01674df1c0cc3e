import { existsSync, readFileSync } from 'node:fs';
import { AgentError, type ExitCode, exitCode, messageOf } from '../errors.ts';
import type { OverlayChanges } from '../model/overlay-plan.ts';
import { withLock } from '../run/lock.ts';
import { startDaemon } from '../run/overlay/daemon/unit.ts';
import { overlayChanges } from '../run/overlay/drift/overlay-changes.ts';
import { disableOverlay } from '../run/overlay/membership/disable.ts';
import { type GatewayOptions, requestOf } from '../run/overlay/membership/gateway-request.ts';
import { type Begun, initOverlay } from '../run/overlay/membership/init-overlay.ts';
import { joinOverlay } from '../run/overlay/membership/join.ts';
import { expelNode, leaveOverlay } from '../run/overlay/membership/leave.ts';
import { setGateway } from '../run/overlay/membership/set-gateway.ts';
import { applyOverlay } from '../run/overlay/node/apply-overlay.ts';
import { credentialNotices } from '../run/overlay/node/kubernetes-credentials.ts';
import { refuseLostPods } from '../run/overlay/node/lost-pods.ts';
import { listNodes } from '../run/overlay/node/nodes.ts';
import { readOverlayStatus } from '../run/overlay/node/overlay-status.ts';
import type { PlannedNode } from '../run/overlay/node/planned-node.ts';
import { askController } from '../run/overlay/ovn/ovn-daemons.ts';
import type { OverlayPlaces } from '../run/overlay/record/places.ts';
import { parseBundle, readRecord, requireRecord } from '../run/overlay/record/record.ts';
import { uninterrupted } from '../run/signals.ts';
import { stillMember, stoppable } from '../run/stoppable.ts';
import {
  gatewayDocument,
  initDocument,
  joinDocument,
  overlayApplyDocument,
  overlayPlanDocument,
  overlayVerifyDocument,
} from '../view/json/overlay-json.ts';
import { leaveDocument, overlayDisableDocument } from '../view/json/overlay-leave-json.ts';
import { overlayNodesDocument, overlayStatusDocument } from '../view/json/overlay-state-json.ts';
import { overlayStatusText } from '../view/overlay-status-view.ts';
import {
  appliedText,
  disabledText,
  gatewayText,
  joinText,
  nodesText,
  overlayPlanText,
  overlayVerifyText,
} from '../view/overlay-view.ts';
import { joinLines } from '../view/style.ts';
import type { Output } from './output.ts';
import { startOverlay } from './overlay-start-command.ts';
import { terminalWidth } from './terminal-width.ts';

/** `overlay init`: makes this node the central node of a new cluster. */
export async function init(output: Output): Promise<void> {
  const command = 'overlay init';
  const { config, places } = await startOverlay(command);
  const { record, changes } = await begin(command, places, output.say, (forward) =>
    initOverlay(config, crypto.randomUUID(), forward, output.say),
  );
  for (const notice of await credentialNotices(config.overlay.kubeconfig.value)) output.say(`warning: ${notice}`);
  const text = joinLines([appliedText(record, changes), ...joinText(record).split('\n')]);
  output.result(text, initDocument(record, changes));
}

/**
 * Makes this node a part of an overlay while the process has the agent's lock, then starts the daemon. Before the start
 * of the daemon, a signal such as SIGINT (Ctrl-C) stops the command, and the error message ends with the state of the
 * node. A signal does not stop the start of the daemon.
 */
async function begin(
  command: string,
  places: OverlayPlaces,
  say: (message: string) => void,
  work: (places: OverlayPlaces) => Promise<Begun>,
): Promise<Begun> {
  const begun = await withLock(
    command,
    () => {
      const state = existsSync(places.record) ? { state: stillMember } : {};
      return stoppable(say, (stop) => work({ ...places, stop }), state);
    },
    say,
  );
  await uninterrupted(`\`${command}\``, say, () => startDaemon(say));
  return begun;
}

/** `overlay join BUNDLE`: makes this node a member; `-` reads the bundle from standard input. */
export async function join(file: string, output: Output): Promise<void> {
  const command = 'overlay join';
  const { config, places } = await startOverlay(command);
  const bundle = parseBundle(bundleText(file), file === '-' ? 'standard input' : file);
  const { record, changes } = await begin(command, places, output.say, (forward) =>
    joinOverlay(bundle, config, forward, output.say),
  );
  output.result(appliedText(record, changes), joinDocument(record, changes));
}

function bundleText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new AgentError('bundle-unusable', `${file} cannot be read: ${messageOf(cause)}`, {
      hint: 'name the file that `overlay pki issue` has written on the central node',
      cause,
    });
  }
}

/** `overlay plan`: prints the changes that `overlay apply` would make. Changes nothing. */
export async function plan(output: Output): Promise<void> {
  const changes = await look('overlay plan', refuseLostPods);
  output.result(overlayPlanText(changes, output.style), overlayPlanDocument(changes), { changes });
}

/**
 * `overlay verify`: compares this node with its desired state in the cluster. Exit code 3 if the node differs or has a
 * fault.
 */
export async function verify(output: Output): Promise<ExitCode> {
  const changes = await look('overlay verify', () => undefined);
  const document = overlayVerifyDocument(changes);
  const isWanted = document.outcome === 'as-wanted';
  output.result(overlayVerifyText(changes, isWanted, output.style), document, { changes });
  return isWanted ? exitCode.done : exitCode.drift;
}

async function look(command: string, refuse: (planned: PlannedNode) => void): Promise<OverlayChanges> {
  const { config, places } = await startOverlay(command);
  return overlayChanges(requireRecord(places.record), config, places, refuse);
}

/** `overlay apply`: brings this node into its desired state in the cluster. Writes nothing if nothing differs. */
export async function apply(output: Output): Promise<void> {
  const command = 'overlay apply';
  const { places } = await startOverlay(command);
  const { record, changes, isStarted } = await withLock(
    command,
    async () => {
      const record = requireRecord(places.record);
      const before = await askController(places);
      const apply = (stop: AbortSignal) => applyOverlay(record, { ...places, stop }, output.say, refuseLostPods);
      const changes = await stoppable(output.say, apply, { state: stillMember });
      return { record, changes, isStarted: before === 'absent' };
    },
    output.say,
  );
  output.result(appliedText(record, changes, isStarted), overlayApplyDocument(changes, isStarted));
}

/** `overlay nodes`: lists the nodes of the cluster; runs on the central node. */
export async function nodes(output: Output): Promise<void> {
  const { places } = await startOverlay('overlay nodes');
  const now = Date.now();
  const found = await listNodes(places, now);
  output.result(nodesText(found, now, output.style, terminalWidth(process.stdout)), overlayNodesDocument(found));
}

/** `overlay leave`: removes this node from its cluster; with a name, on the central node, removes another node. */
export async function leave(name: string | undefined, output: Output): Promise<void> {
  const command = 'overlay leave';
  const { places } = await startOverlay(command);
  // A signal does not stop the removal, because a node that is only partly removed works neither alone nor in the
  // cluster.
  const toItsEnd = <T>(work: () => Promise<T>): Promise<T> => uninterrupted(`\`${command}\``, output.say, work);
  if (name !== undefined) {
    await withLock(command, () => toItsEnd(() => expelNode(name, places)), output.say);
    const text = `${name} is out of the cluster. If the machine still runs, run there: microshift-net overlay leave`;
    output.result(text, leaveDocument(name, null));
    return;
  }
  if (readRecord(places.record) === null) {
    output.result(inNoneText, leaveDocument(null, null));
    return;
  }
  const { record, leftOver } = await withLock(
    command,
    () => toItsEnd(() => leaveOverlay(places, output.say)),
    output.say,
  );
  const first = `${record.node.name} is not in an overlay any more.`;
  const text = joinLines([first, ...(leftOver === null ? [] : [`What is left: ${leftOver}`])]);
  output.result(text, leaveDocument(record.node.name, leftOver));
}

/** `overlay disable`: removes this node from its overlay, and returns OVN's units to their previous state. */
export async function disable({ force = false }: { readonly force?: boolean }, output: Output): Promise<void> {
  const command = 'overlay disable';
  const { places } = await startOverlay(command);
  const done = await withLock(
    command,
    () => uninterrupted(`\`${command}\``, output.say, () => disableOverlay(places, force, output.say)),
    output.say,
  );
  output.result(done === null ? inNoneText : disabledText(done), overlayDisableDocument(done));
}

/** Message of `overlay leave` and `overlay disable` on a node that is not in an overlay. */
const inNoneText = 'Nothing to do: this node is not in an overlay.';

export type GatewayCommandOptions = GatewayOptions & { readonly remove?: true };

/** `overlay gateway`: makes this node a gateway of its cluster; with `remove` it stops being one. */
export async function gateway(options: GatewayCommandOptions, output: Output): Promise<void> {
  const command = 'overlay gateway';
  const { places } = await startOverlay(command);
  const request = options.remove === true ? null : requestOf(options);
  const { record, changes } = await withLock(command, () => setGateway(request, places, output.say), output.say);
  output.result(gatewayText(record, changes), gatewayDocument(record, changes));
}

/** `overlay status`: prints the role of this node in its cluster, and the state of the node's daemon and tunnels. */
export async function status(output: Output): Promise<void> {
  const { places } = await startOverlay('overlay status');
  const found = await readOverlayStatus(places);
  const text = overlayStatusText(found, output.style, terminalWidth(process.stdout), Date.now());
  output.result(text, overlayStatusDocument(found));
}
