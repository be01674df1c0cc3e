import { podMtuOf } from '../../../cni/attachment.ts';
import { answeredNeighbours } from '../../../drivers/host/kernel/neighbours.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { OverlayTunnel } from '../../../model/overlay-daemon.ts';
import { vtepPeersOf } from '../../../model/overlay-peer.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { directFaults } from '../../../overlay/direct/direct-nodes.ts';
import { routesForPeer } from '../../../overlay/gateway/peer-routes.ts';
import { tunnelsOf } from '../../../overlay/local/tunnels.ts';
import { claimColumns, foreignClaims } from '../../../overlay/members/claimed-ports.ts';
import { conflictingNeighbours, learnedColumns, unexpectedRows } from '../../../overlay/members/learned-neighbours.ts';
import { withoutVteps } from '../../../overlay/peers/refuse-vtep.ts';
import { mapOf } from '../../../overlay/rows/row-index.ts';
import { announcedHere } from '../node/direct-here.ts';
import { credentialNotices } from '../node/kubernetes-credentials.ts';
import type { PlannedNode } from '../node/planned-node.ts';
import { rememberedDirect } from '../node/stored-inbound.ts';
import { withAnswers } from '../node/tunnel-answers.ts';
import { readColumns } from '../ovn/database-rows.ts';

/**
 * Returns sentences about facts that an administrator should know. They are not drift, and have no effect on the plan.
 */
export async function overlayNotices(
  planned: PlannedNode,
  config: Pick<Config, 'overlay'>,
): Promise<readonly string[]> {
  const {
    strangers,
    certificates: { waiting, refused },
  } = planned;
  return [
    ...(await southboundNotices(planned)),
    ...(await credentialNotices(config.overlay.kubeconfig.value)),
    ...refused,
    ...peerNotices(planned.record, planned.members),
    ...vtepNotices(planned),
    ...directNotices(planned),
    ...mtuNotices(planned),
    ...(await tunnelNotices(planned)),
    ...strangers.map(
      (one) => `${one}; it has no effect. Where its machine still runs, run there: microshift-net overlay leave`,
    ),
    ...(waiting.length === 0
      ? []
      : [`the authority is being replaced; without a certificate of the new one: ${waiting.join(', ')}`]),
  ];
}

/**
 * Returns sentences about three faults; empty except on the central node. The first is a neighbour for which OVN's
 * routers have another MAC than the cluster or the kernel of this node. The second is a table with rows that
 * ovn-controller has learned although this product causes no such rows. The third is a port that the chassis of another
 * node has claimed.
 */
async function southboundNotices({ record, members, databases }: PlannedNode): Promise<readonly string[]> {
  const southbound = databases.find(({ database }) => database.name === 'OVN_Southbound');
  if (southbound === undefined) return [];
  const rows = await readColumns(southbound.database, { ...learnedColumns, ...claimColumns });
  const bridge = record.node.gateway?.bridge;
  const neighbours = bridge === undefined ? [] : await answeredNeighbours(bridge);
  return [
    ...conflictingNeighbours(rows, members, record.node, neighbours),
    ...unexpectedRows(rows),
    ...foreignClaims(rows, members),
  ];
}

/** Returns a sentence for each peer that does not reach the pods of every node. Empty except on the central node. */
function peerNotices({ layout, peers = [] }: OverlayRecord, members: readonly OverlayNode[]): readonly string[] {
  return peers.flatMap(({ name, ...peer }) => {
    const left = routesForPeer(layout, members, { name, ...peer }).withoutRoute.map(({ node }) => node);
    if (left.length === 0) return [];
    const nodes = [...new Set(left)].join(', ');
    return [`the peer ${name} does not reach pods of ${nodes}; for the reason, run: microshift-net overlay peer list`];
  });
}

/**
 * Returns a sentence for each peer in VXLAN that nodes with an old OVN do not reach. Empty except on the central node.
 */
function vtepNotices({ record: { peers = [] }, members, chassis }: PlannedNode): readonly string[] {
  const nodes = withoutVteps({ members, chassis }).join(', ');
  if (nodes === '') return [];
  return vtepPeersOf(peers).map(
    ({ name }) =>
      `the peer ${name} does not reach pods of ${nodes}, whose OVN is older than 25.09; install a newer one`,
  );
}

/**
 * Returns a sentence for each node on the LAN whose packets do not arrive by the direct route. Empty in a cluster
 * without tunnels between pods, in which such a node is a fault.
 */
function directNotices({ local, places, direct }: PlannedNode): readonly string[] {
  return direct.isDirectOnly ? [] : directFaults(rememberedDirect(places), announcedHere(local.rows));
}

/** Returns a sentence if pods of this node have another MTU than new pods get. */
function mtuNotices({ record: { layout }, local, podMtuBytes }: PlannedNode): readonly string[] {
  const others = (local.rows.tables.Interface ?? [])
    .map((row) => mapOf(row, 'external_ids'))
    .filter((ids) => 'pod-netns' in ids && podMtuOf(ids, layout.mtu) !== podMtuBytes);
  if (others.length === 0) return [];
  const has = others.length === 1 ? '1 pod of this node has' : `${others.length} pods of this node have`;
  const why =
    podMtuBytes > layout.mtu
      ? 'large datagrams of other pods do not reach it'
      : 'its large packets are lost where they need a tunnel';
  return [`${has} another MTU than ${podMtuBytes}; until a restart of such a pod, ${why}`];
}

/** Returns a sentence for each tunnel that is down, or whose other end does not answer. */
async function tunnelNotices({ record, local, members }: PlannedNode): Promise<readonly string[]> {
  return tunnelSentences(await withAnswers(tunnelsOf(local.rows), record.node.encap.addresses), members);
}

/**
 * Returns a sentence for each tunnel that is down, or whose other end has not answered a query. `members` gives the
 * names of the other nodes; it is empty except on the central node.
 */
export function tunnelSentences(
  tunnels: readonly OverlayTunnel[],
  members: readonly Pick<OverlayNode, 'name' | 'systemId'>[],
): readonly string[] {
  return tunnels.flatMap(({ chassis, remoteAddress, fault, answers }) => {
    const name = members.find(({ systemId }) => systemId === chassis)?.name ?? `chassis ${chassis}`;
    if (fault !== null) return [`the tunnel to ${name} is down: ${fault}`];
    return answers === false ? [`${name} does not answer at ${remoteAddress}, where its tunnel ends`] : [];
  });
}
