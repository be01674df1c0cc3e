import type { OverlayGateway } from '../../model/overlay.ts';
import type { DesiredFlow, SharedPorts } from '../../model/shared-bridge.ts';

/** Names of matches and fields for each address family (ovs-fields(7)). */
export const flowFamilies = [
  { isSix: false, ip: 'ip', protocolSuffix: '', destination: 'nw_dst', source: 'nw_src' },
  { isSix: true, ip: 'ipv6', protocolSuffix: '6', destination: 'ipv6_dst', source: 'ipv6_src' },
] as const;

export type FlowFamily = (typeof flowFamilies)[number];

/**
 * Zone of connection tracking for the flows of shared bridges. ovn-kubernetes has used zone 64000 for the same purpose
 * since 2017, and ovn-controller(8) assigns the zones of br-int from 1 on.
 */
export const sideZone = 64_000;

/**
 * OpenFlow action that finds the side (node or gateway) to which the connection of a packet belongs: looks the
 * connection up in connection tracking, and continues in OpenFlow table 1.
 */
export const findSide = `ct(table=1,zone=${sideZone})`;

/** OpenFlow matches on a bridge that a node and its gateway share, by the kind of frame that they match. */
export interface SharedFrames {
  /** Match of frames of the gateway's network: untagged, or of its VLAN. */
  readonly network: string;
  /** Match of frames from the LAN to the MAC that node and gateway share. */
  readonly inbound: string;
  /** Match of frames from the gateway. */
  readonly ofCluster: string;
  /** Match of frames from the node itself. */
  readonly ofNode: string;
}

/** Returns the matches of the frames of a gateway that shares a bridge with its node. */
export function sharedFrames({ mac, vlan }: Pick<OverlayGateway, 'mac' | 'vlan'>, ports: SharedPorts): SharedFrames {
  const network = vlan === null ? 'vlan_tci=0x0000/0x0fff' : `dl_vlan=${vlan}`;
  return {
    network,
    inbound: `in_port=${ports.nic},${network},dl_dst=${mac}`,
    ofCluster: `in_port=${ports.cluster},${network},dl_src=${mac}`,
    ofNode: `in_port=LOCAL,${network},dl_src=${mac}`,
  };
}

/**
 * Returns the action that sends frames of the node itself to the LAN. The shared-bridge flows forward frames to the
 * shared MAC without the action NORMAL. NORMAL therefore does not learn the MACs of the senders, and would flood frames
 * to them.
 */
export function awayFrom({ isAlone }: Pick<SharedPorts, 'isAlone'>): string {
  return isAlone ? 'resubmit(,2)' : 'NORMAL';
}

/** Returns a flow in the notation of ovs-ofctl(8); an empty `match` matches every packet. */
export function wantedFlow(
  priority: number,
  match: string,
  actions: string,
  why: string,
  table: 0 | 1 | 2 | 3 = 0,
): DesiredFlow {
  const matches = match === '' ? '' : `${match},`;
  return { flow: `table=${table},priority=${priority},${matches}actions=${actions}`, why };
}
