import { encapsulationIsAlways, type PodPath } from '../model/direct-node.ts';
import { type Membership, membershipFault, missingPortHint } from '../model/missing-port.ts';
import type { OverlayStatus, OverlayTunnel } from '../model/overlay-daemon.ts';
import { pathGroups } from './overlay-paths-view.ts';
import { peerWords } from './overlay-peer-view.ts';
import { joinLines, type Style } from './style.ts';
import { fitted } from './table.ts';
import { momentText } from './time.ts';

/**
 * Returns a node's part in its cluster, and the state of the node. Lines of more than `width` columns continue with an
 * indent.
 */
export function overlayStatusText(status: OverlayStatus, style: Style, width: number | null, nowMs: number): string {
  const { node, role, subnets, addresses, tunnels, paths, peers } = status;
  const has = subnets.length === 0 ? 'no subnet' : subnets.join(' and ');
  const what = role === 'central' ? 'is the central node of its cluster' : 'has joined a cluster';
  const lines = [
    `${style('bold', node)} ${what}; its pods have ${has}, and its tunnels end at ${addresses.join(' and ')}.`,
    `Daemon: ${daemonText(status, style, nowMs)}`,
    `Central node: ${centralText(status, style)}`,
    ...(role === 'central' ? [] : [`Membership: ${membershipText(node, status.membership, style)}`]),
    ...(status.role === 'central' ? [`Objects of Kubernetes: ${watcherText(status, style, nowMs)}`] : []),
    ...(tunnels.length === 0 ? ['Tunnels: none'] : ['Tunnels:']),
    ...tunnels.map(
      (tunnel) =>
        `  ${tunnel.interface} ${tunnel.type} to ${tunnel.remoteAddress}, chassis ${tunnel.chassis}${stateText(tunnel, style)}`,
    ),
    ...pathLines(paths, style),
    ...(peers.length === 0 ? [] : [`Peers: ${peers.map(peerWords).join('; ')}`]),
  ];
  return fitted(joinLines(lines), width);
}

/**
 * Returns the paths to pods of other nodes, with one line for each node and reason. Returns no lines if the node knows
 * no other node or if no direct routes are configured. Also returns no lines if the central node does not answer,
 * because another line reports that.
 */
function pathLines(paths: readonly PodPath[] | null, style: Style): readonly string[] {
  if (paths === null || paths.every(({ reason }) => reason === encapsulationIsAlways)) return [];
  const lines = pathGroups(paths).map(({ node, words, way, reason }) => {
    const text = `${words}${reason === null ? '' : `: ${reason}`}`;
    return `  ${node} ${way === 'none' ? style('red', text) : text}`;
  });
  return ['Pods of other nodes:', ...lines];
}

/** Returns the state of a tunnel as the end of the line about the tunnel. */
function stateText({ fault, answers }: OverlayTunnel, style: Style): string {
  if (fault !== null) return `; ${style('red', `down: ${fault}`)}`;
  if (answers === undefined) return '';
  if (answers === null) return '; it is not known whether its other end answers';
  return answers ? '; its other end answers' : `; ${style('red', 'its other end does not answer')}`;
}

function daemonText({ daemon, isRunning }: OverlayStatus, style: Style, nowMs: number): string {
  if (daemon === null || !isRunning)
    return style('red', 'not running: systemctl status microshift-net-overlay shows the reason');
  const runs = `runs since ${momentText(daemon.since, nowMs)}, process ${daemon.pid}`;
  if (daemon.failure === null) return `${runs}; its last check found nothing that it could repair`;
  const { message, hint, since } = daemon.failure;
  return `${runs}; ${style('red', `since ${momentText(since, nowMs)}: ${message}`)}${hint === null ? '' : ` (${hint})`}`;
}

/** Returns the state of the rows for pods, services and policies. */
function watcherText({ daemon, isRunning }: OverlayStatus, style: Style, nowMs: number): string {
  if (daemon === null || daemon.watcher === null || !isRunning) return 'not followed';
  const { role, objects, nodesOutside, wroteAt, refused, failure } = daemon.watcher;
  const counts = Object.entries(objects).map(([kind, count]) => `${count} ${kind}`);
  const followed = counts.length === 0 ? 'not followed yet' : counts.join(', ');
  const writes = {
    waiting: 'nothing is written yet',
    standby: 'another one writes their rows',
    active:
      wroteAt === null ? 'their rows were in the desired state' : `rows were written at ${momentText(wroteAt, nowMs)}`,
  };
  const outside =
    nodesOutside.length === 0
      ? ''
      : style(
          'red',
          `; not in the overlay: ${nodesOutside.join(', ')}; their pods get no network until they have joined`,
        );
  const left = refused.length === 0 ? '' : style('red', `; OVN does not take ${refused.join(', ')}`);
  const since =
    failure === null ? '' : `; ${style('red', `since ${momentText(failure.since, nowMs)}: ${failure.message}`)}`;
  return `${followed}; ${writes[role]}${outside}${left}${since}${failure?.hint ? ` (${failure.hint})` : ''}`;
}

/**
 * Returns the state of the connection to the central node. A member cannot determine by itself that its central node
 * has moved to another address, so the text mentions that possibility.
 */
function centralText({ role, controller, southbound }: OverlayStatus, style: Style): string {
  if (controller === 'absent') return style('red', 'ovn-controller is not running: systemctl start ovn-controller');
  if (controller === 'connected')
    return role === 'central' ? `this one, for the others at ${southbound.join(', ')}` : southbound.join(', ');
  const moved =
    role === 'central' ? '' : '; if it has another address now, join again with a bundle of `overlay pki renew`';
  return style('red', `${southbound.join(', ')} is not reached; running traffic goes on${moved}`);
}

/** Returns the answer of the central node about this member, or the reason for a missing answer. */
function membershipText(node: string, membership: Membership, style: Style): string {
  const fault = membershipFault(node, membership);
  if (fault !== null)
    return style('red', membership.state === 'removed' ? `${fault}; ${missingPortHint(node)}` : fault);
  if (membership.state === 'member') return `the central node has a port for ${node}`;
  return 'not checked, because the central node has no port for a node without pod subnets';
}
