import type { PodPath } from '../../model/direct-node.ts';
import { isInCluster, membershipFault } from '../../model/missing-port.ts';
import type { OverlayDaemon, OverlayStatus, OverlayTunnel, WatcherState } from '../../model/overlay-daemon.ts';
import type { NodeState } from '../../model/overlay-plan.ts';
import { type PeerJson, peerJson } from './overlay-peer-json.ts';

/** `overlay status`: this node's part in the cluster. */
export interface OverlayStatusDocument {
  readonly command: 'overlay status';
  readonly outcome: 'shown';
  /** Name of the node in its cluster. */
  readonly node: string;
  readonly role: 'central' | 'member';
  readonly subnets: readonly string[];
  /** Addresses at which the node's tunnels end. */
  readonly addresses: readonly string[];
  /** Remotes of the southbound database, such as `ssl:192.0.2.1:6642`. */
  readonly southbound: readonly string[];
  /**
   * False if the central node has no management port for this member: the member was taken out of the cluster there, or
   * its rows are not written yet. Null if that is not known. Always null on the central node and on a node without pod
   * subnets.
   */
  readonly isInCluster: boolean | null;
  /**
   * Sentence that says that the central node has no management port for this member, or why that could not be checked;
   * null if neither is the case.
   */
  readonly membershipProblem: string | null;
  /** Connection of ovn-controller to the southbound database; `absent` if ovn-controller is not running. */
  readonly controller: 'connected' | 'not connected' | 'absent';
  /** True if `overlay run`, the daemon of the overlay, is running. */
  readonly isRunning: boolean;
  /** State of the daemon in this boot; null if the daemon has not run yet. */
  readonly daemon: OverlayDaemonJson | null;
  readonly tunnels: readonly TunnelJson[];
  /** Paths to pods of other nodes, one for each node and address family; null if the central node does not answer. */
  readonly paths: readonly PodPathJson[] | null;
  /** Peers of the cluster; on a member only those that its gateway reaches, and those in VXLAN. */
  readonly peers: readonly PeerJson[];
}

/** The daemon of the overlay. */
export interface OverlayDaemonJson {
  readonly pid: number;
  /** Start of the daemon, in ISO 8601. */
  readonly since: string;
  /** Last error of the daemon; null if its last run succeeded. */
  readonly failure: DaemonFailureJson | null;
  /**
   * Writer of the rows for Kubernetes objects. Null if this node is not the central node, or if its daemon has not read
   * the record of the cluster yet.
   */
  readonly watcher: WatcherJson | null;
}

/** An error of the daemon. */
export interface DaemonFailureJson {
  readonly message: string;
  readonly hint: string | null;
  /** Time at which the error occurred first, in ISO 8601. */
  readonly since: string;
}

/** Writer of the rows for Kubernetes objects. */
export interface WatcherJson {
  /**
   * `waiting`: Kubernetes objects or northbound rows are not read completely yet. `standby`: another writer is active.
   */
  readonly role: 'waiting' | 'standby' | 'active';
  /** Number of Kubernetes objects by kind. */
  readonly objects: Readonly<Record<string, number>>;
  /** Nodes of Kubernetes that have not joined the overlay. */
  readonly nodesOutside: readonly string[];
  /** Time of the last write to the northbound database, in ISO 8601; null before the first write. */
  readonly wroteAt: string | null;
  /** Objects whose rows the northbound database refuses. */
  readonly refused: readonly string[];
  readonly failure: DaemonFailureJson | null;
}

/** A tunnel to another node. */
export interface TunnelJson {
  readonly interface: string;
  readonly type: string;
  /** Chassis of the node at the other end of the tunnel. */
  readonly chassis: string;
  readonly remoteAddress: string;
  /** Fault of the tunnel; null if it has none. */
  readonly fault: string | null;
  /** True if the other end of the tunnel answers; null if that is not known. */
  readonly answers: boolean | null;
}

/** Path of packets from pods of this node to pods of another node. */
export interface PodPathJson {
  /** Name of the node whose pods the path leads to. */
  readonly node: string;
  readonly family: 'ipv4' | 'ipv6';
  /**
   * `direct`: over the LAN without a tunnel. `none`: the pods are not reached, because `overlay.encapsulation` is
   * `never` and the direct route is missing.
   */
  readonly way: 'direct' | 'tunnel' | 'none';
  /** Reason why the path is not a direct route; null if it is one. */
  readonly reason: string | null;
}

/** `overlay nodes`: the nodes of the cluster. */
export interface OverlayNodesDocument {
  readonly command: 'overlay nodes';
  readonly outcome: 'shown';
  readonly nodes: readonly ListedNodeJson[];
}

/** A node as the central node sees it. */
export interface ListedNodeJson {
  readonly name: string;
  readonly subnets: readonly string[];
  readonly systemId: string;
  /** Addresses at which the node's tunnels end; empty before the node has joined. */
  readonly addresses: readonly string[];
  /** State of the node in the overlay; `here` marks the node on which the command runs. */
  readonly state: 'here' | 'joined' | 'not joined';
  /** Tunnel to the node; null for the node on which the command runs. */
  readonly tunnel: NodeTunnelJson | null;
  /** Paths from pods of the central node to pods of the listed node, one for each address family. */
  readonly paths: readonly PodPathJson[];
  /** Last answer of the node to the central node; null if the node cannot be probed. */
  readonly echo: EchoJson | null;
  readonly gateway: ListedGatewayJson | null;
  /** Days until the node's certificate expires; null if none was issued. */
  readonly certificateDays: number | null;
}

/** Tunnel to a node that `overlay nodes` lists. */
export interface NodeTunnelJson {
  /** Name of the tunnel's port in Open vSwitch; null if the port does not exist. */
  readonly port: string | null;
  /** `unproven`: no fault is known, but the tunnel could not be probed. */
  readonly state: 'up' | 'down' | 'unproven';
  /** Reason why the tunnel is not up; null if it is up. */
  readonly reason: string | null;
}

/** Last answer of a node to a request of the central node. */
export interface EchoJson {
  /** True if the node has just answered. */
  readonly isCurrent: boolean;
  /** Time of the answer by the node's own clock, in ISO 8601; null if it never answered. */
  readonly at: string | null;
}

/** Gateway of a node that `overlay nodes` lists. */
export interface ListedGatewayJson {
  readonly bridge: string;
  /** Addresses of the gateway as `address/prefix`. */
  readonly addresses: readonly string[];
  /** False if the gateway does not answer. */
  readonly isUp: boolean;
}

/** Returns the document of `overlay status`. */
export function overlayStatusDocument(status: OverlayStatus): OverlayStatusDocument {
  const {
    node,
    role,
    subnets,
    addresses,
    southbound,
    membership,
    controller,
    daemon,
    isRunning,
    tunnels,
    paths,
    peers,
  } = status;
  return {
    command: 'overlay status',
    outcome: 'shown',
    node,
    role,
    subnets,
    addresses,
    southbound,
    isInCluster: isInCluster(membership),
    membershipProblem: membershipFault(node, membership),
    controller,
    isRunning,
    daemon: daemon && overlayDaemonJson(daemon),
    tunnels: tunnels.map(tunnelJson),
    paths: paths === null ? null : paths.map(pathJson),
    peers: peers.map(peerJson),
  };
}

function overlayDaemonJson({ pid, since, failure, watcher }: OverlayDaemon): OverlayDaemonJson {
  return { pid, since, failure: failureJson(failure), watcher: watcher && watcherJson(watcher) };
}

function watcherJson({ role, objects, nodesOutside, wroteAt, refused, failure }: WatcherState): WatcherJson {
  return { role, objects, nodesOutside, wroteAt, refused, failure: failureJson(failure) };
}

function failureJson(failure: DaemonFailureJson | null): DaemonFailureJson | null {
  return failure && { message: failure.message, hint: failure.hint, since: failure.since };
}

function tunnelJson({ answers = null, ...tunnel }: OverlayTunnel): TunnelJson {
  const { interface: port, type, chassis, remoteAddress, fault } = tunnel;
  return { interface: port, type, chassis, remoteAddress, fault, answers };
}

function pathJson({ node, family, way, reason }: PodPath): PodPathJson {
  return { node, family, way, reason };
}

/** Returns the document of `overlay nodes`. */
export function overlayNodesDocument(nodes: readonly NodeState[]): OverlayNodesDocument {
  return { command: 'overlay nodes', outcome: 'shown', nodes: nodes.map(listedNodeJson) };
}

function listedNodeJson(node: NodeState): ListedNodeJson {
  const { name, subnets, systemId, addresses, state, tunnel, echo, gateway, certificateDays } = node;
  return {
    name,
    subnets,
    systemId,
    addresses,
    state,
    tunnel: tunnel && { port: tunnel.port, state: tunnel.state, reason: tunnel.reason },
    paths: node.paths.map(pathJson),
    echo: echo && { isCurrent: echo.isCurrent, at: echo.atMs === null ? null : new Date(echo.atMs).toISOString() },
    gateway: gateway && { bridge: gateway.bridge, addresses: gateway.addresses, isUp: gateway.isUp },
    certificateDays,
  };
}
