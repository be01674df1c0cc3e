import { encapsulationIsAlways } from '../model/direct-node.ts';
import { kernelCommand, type NodeState, type OverlayChanges } from '../model/overlay-plan.ts';
import type { OverlayRecord } from '../model/overlay-record.ts';
import type { RowChange } from '../model/rows.ts';
import { pathGroups } from './overlay-paths-view.ts';
import { joinLines, type Style } from './style.ts';
import { cellsOnly, tableLines } from './table.ts';

const signs = { insert: '+', update: '~', delete: '-' } as const;

/**
 * Returns the lines about an overlay's changes, each with its reason: rows by database, commands for the kernel, flows,
 * and rows for Kubernetes objects. Faults and notices follow.
 */
export function changesLines(
  { databases, managementPort, demux, workload, faults, notices }: OverlayChanges,
  style: Style,
): string[] {
  const rows = databases
    .filter(({ changes }) => changes.length > 0)
    .flatMap(({ database, changes }) => [style('bold', `${database}:`), ...changes.map(changeLine)]);
  const kernel = managementPort.map((change) => `  ${kernelCommand(change)} (${change.why})`);
  return [
    ...rows,
    ...(kernel.length === 0 ? [] : [style('bold', 'Kernel:'), ...kernel]),
    ...(demux.length === 0
      ? []
      : [style('bold', 'Flows, and what the node reaches itself:'), ...demux.map(sharedBridgeLine)]),
    ...(workload === null || workload.changes.length === 0
      ? []
      : [
          style('bold', 'OVN_Northbound, which the daemon writes for Kubernetes:'),
          ...workload.changes.map(changeLine),
        ]),
    ...(faults.length === 0
      ? []
      : [style('bold', 'Does not work:'), ...faults.map((fault) => `  ${style('red', fault)}`)]),
    ...(notices.length === 0 ? [] : [style('bold', 'Worth knowing:'), ...notices.map((notice) => `  ${notice}`)]),
  ];
}

function changeLine(change: RowChange): string {
  return `  ${signs[change.do]} ${change.table} ${change.title} (${change.why})`;
}

function sharedBridgeLine({ do: verb, what, why }: OverlayChanges['demux'][number]): string {
  return `  ${verb === 'add' ? '+' : '-'} ${what} (${why})`;
}

/** Returns the number of rows, kernel settings and flows that differ. */
export function countChanges({ databases, managementPort, demux }: OverlayChanges): number {
  return databases.reduce((sum, { changes }) => sum + changes.length, 0) + managementPort.length + demux.length;
}

/** Returns the number of rows for Kubernetes objects that differ. */
export function countWorkload({ workload }: OverlayChanges): number {
  return workload?.changes.length ?? 0;
}

/** Returns the result of `overlay plan`. */
export function overlayPlanText(changes: OverlayChanges, style: Style): string {
  const count = countChanges(changes) + countWorkload(changes);
  const nothing = changes.faults.length === 0 ? 'Nothing to do.' : 'There is nothing that `overlay apply` can change.';
  const first = count === 0 ? nothing : `${count} ${count === 1 ? 'change' : 'changes'}:`;
  return joinLines([first, ...changesLines(changes, style)]);
}

/** Returns the result of `overlay verify`. */
export function overlayVerifyText(changes: OverlayChanges, isWanted: boolean, style: Style): string {
  const lines = changesLines(changes, style);
  if (!isWanted) return joinLines(['Drift:', ...lines, mendText(changes)]);
  return joinLines([
    'No drift: the rows, certificates, kernel settings and flows of this node are in the desired state.',
    ...lines,
  ]);
}

/** Returns the remedies for drift. `overlay apply` repairs only rows, kernel settings and flows. */
export function mendText(changes: OverlayChanges): string {
  const { faults } = changes;
  return joinLines([
    ...(countChanges(changes) === 0 ? [] : ['Repair it with: microshift-net overlay apply']),
    ...(countWorkload(changes) === 0
      ? []
      : ['The daemon writes the rows for Kubernetes: systemctl status microshift-net-overlay']),
    ...(faults.length === 0 || countChanges(changes) > 0
      ? []
      : [
          'What does not work is repaired where it is named, not by overlay apply; microshift-net doctor looks further.',
        ]),
  ]);
}

/** Returns the beginning of the text about a result: `Done` with the number of changes, or `Nothing to do`. */
export function doneText(changes: OverlayChanges): string {
  const count = countChanges(changes);
  return count === 0 ? 'Nothing to do' : `Done, ${count} ${count === 1 ? 'change' : 'changes'}`;
}

/**
 * Returns the result of `overlay init`, `join` or `apply`. `isStarted` is true if the run has started ovn-controller.
 */
export function appliedText({ node, layout }: OverlayRecord, changes: OverlayChanges, isStarted = false): string {
  const first = isStarted
    ? `${doneText(changes).replace('Nothing to do', 'Done')}, and ovn-controller is started`
    : doneText(changes);
  return `${first}: ${node.name} has ${node.subnets.join(' and ')} of ${layout.clusterSubnets.join(' and ')}.`;
}

/** Returns the result of making a node a gateway, or of removing its gateway. */
export function gatewayText({ node, members }: OverlayRecord, changes: OverlayChanges): string {
  const first = doneText(changes);
  const { gateway, name } = node;
  if (gateway === null) {
    const rest =
      members === null && countChanges(changes) > 0 ? ' The daemon of the central node removes its rows.' : '';
    return `${first}: ${name} is not a gateway of the cluster.${rest}`;
  }
  const { bridge, addresses, nextHops, vlan } = gateway;
  const by = `by ${bridge}${vlan === null ? '' : ` in VLAN ${vlan}`} to ${nextHops.join(' and ')}`;
  return joinLines([
    `${first}: packets leave ${name} ${by}, as ${addresses.map((address) => address.replace(/\/.*/, '')).join(' and ')}.`,
    ...changes.faults.map((fault) => `Left to do: ${fault}`),
  ]);
}

/** Returns the result of `overlay disable`, with the commands that remain to be run on other nodes. */
export function disabledText(done: {
  readonly node: string | null;
  readonly leftOver: string | null;
  readonly cutOff: readonly string[];
  readonly units: readonly string[];
}): string {
  const { node, leftOver, cutOff, units } = done;
  const [member] = cutOff;
  return joinLines([
    node === null ? 'What was left of an overlay on this node is gone.' : `${node} is not in an overlay any more.`,
    ...(units.length === 0 ? [] : [`As before the overlay: ${units.join(', ')}`]),
    ...(leftOver === null ? [] : [`What is left: ${leftOver}`]),
    ...(member === undefined
      ? []
      : [`Without a central node now: ${cutOff.join(', ')}. Run there: microshift-net overlay disable`]),
  ]);
}

/** Returns the command with which another node joins. */
export function joinText({ node }: OverlayRecord): string {
  const [address = ''] = node.encap.addresses;
  const issue = `microshift-net overlay pki issue "$(hostname)" --system-id "$(cat /etc/openvswitch/system-id.conf)" --request -`;
  return joinLines([
    'To join a node, run there as root:',
    `  microshift-net overlay pki request | ssh root@${address} ${issue} | microshift-net overlay join -`,
  ]);
}

/** Returns the nodes as a table of at most `width` columns (null: unlimited). */
export function nodesText(nodes: readonly NodeState[], now: number, style: Style, width: number | null): string {
  const rows = nodes.map((node) => [
    node.name,
    node.state,
    node.subnets.join(' ') || '-',
    node.addresses.join(' ') || '-',
    tunnelWords(node),
    podWords(node),
    echoWords(node, now),
    gatewayWords(node),
    node.certificateDays === null ? '-' : `${node.certificateDays} days`,
    node.systemId,
  ]);
  const head = [
    'NODE',
    'STATE',
    'SUBNET',
    'TUNNELS END AT',
    'TUNNEL',
    'PODS',
    'LAST ECHO',
    'GATEWAY',
    'CERTIFICATE',
    'CHASSIS',
  ];
  const asked = nodes.flatMap(({ echo }) => echo ?? []);
  const isSilent = asked.length > 0 && asked.every(({ isCurrent }) => !isCurrent);
  return joinLines([
    ...tableLines(head, rows.map(cellsOnly), width, style),
    ...pathReasons(nodes),
    ...(isSilent
      ? [style('red', 'No node has answered, not even this one: systemctl status ovn-northd ovn-controller shows why')]
      : []),
  ]);
}

function tunnelWords({ tunnel }: NodeState): string {
  if (tunnel === null) return '-';
  const { port, state, reason } = tunnel;
  const words = reason === null ? state : `${state}: ${reason}`;
  return port === null ? words : `${port} ${words}`;
}

function podWords({ paths }: NodeState): string {
  return [...new Set(paths.map(({ way }) => way))].join(' and ') || '-';
}

/**
 * Returns the reasons why pods are not reached by direct routes, once each; none if no direct routes are configured.
 */
function pathReasons(nodes: readonly NodeState[]): readonly string[] {
  const all = nodes.flatMap(({ paths }) => paths);
  if (!all.some(({ reason }) => reason !== null && reason !== encapsulationIsAlways)) return [];
  return pathGroups(all).flatMap(({ node, words, reason }) =>
    reason === null ? [] : [`Pods of ${node}: ${words}: ${reason}`],
  );
}

function echoWords({ echo }: NodeState, now: number): string {
  if (echo === null) return '-';
  if (echo.isCurrent) return 'now';
  if (echo.atMs === null) return 'never';
  // `atMs` is a time of the other node's clock, which may be ahead of this node's clock.
  const seconds = Math.max(0, Math.round((now - echo.atMs) / 1000));
  const age =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7200
        ? `${Math.round(seconds / 60)} min`
        : `${Math.round(seconds / 3600)} h`;
  return `${age} ago`;
}

function gatewayWords({ gateway }: NodeState): string {
  if (gateway === null) return '-';
  const addresses = gateway.addresses.map((address) => address.replace(/\/.*/, '')).join(' ');
  return `${addresses} on ${gateway.bridge}${gateway.isUp ? '' : ', down'}`;
}
