import { AgentError } from '../../../errors.ts';
import type { Config } from '../../../model/config.ts';
import type { OutsideRoutes } from '../../../model/outside-routes.ts';
import { isSamePeer, type OverlayPeer, type VtepSettings } from '../../../model/overlay-peer.ts';
import { routesForPeer } from '../../../overlay/gateway/peer-routes.ts';
import { refusePeer } from '../../../overlay/peers/refuse-peer.ts';
import { vtepSettingsOf } from '../../../overlay/peers/vtep-settings.ts';
import { hostCidrsNow } from '../node/occupied-places.ts';
import { withPlan } from '../node/planned-node.ts';
import { readMembers } from '../node/read-outside-routes.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { requireCentral } from '../record/record.ts';
import { changeCluster } from './change-cluster.ts';
import type { Begun } from './init-overlay.ts';

/**
 * Peer, with the routes that it needs, and with the subnets of this cluster that it does not reach. For a peer in VXLAN
 * with the settings of its appliance, otherwise with null.
 */
export interface ListedPeer extends OutsideRoutes {
  readonly peer: OverlayPeer;
  readonly settings: VtepSettings | null;
}

/**
 * Adds a peer to the cluster of this central node. A second run with the same peer does not change the record. Refuses
 * a peer whose name or ranges are in use, a peer that no gateway reaches, a peer in VXLAN if a node's OVN does not
 * support it, and every peer if MicroShift connects clusters itself. Rolls back after a failure and after a signal.
 */
export async function addPeer(
  peer: OverlayPeer,
  config: Pick<Config, 'cluster'>,
  places: OverlayPlaces,
  say: (step: string) => void,
): Promise<Begun> {
  const before = requireCentral(places.record);
  refuseClusterToCluster(config);
  const peers = before.peers ?? [];
  if (peers.some((one) => isSamePeer(one, peer))) return changeCluster(before, before, places, say);
  await withPlan(before, places, async ({ members, chassis, record: { layout, node } }) => {
    const ownNetworks = [...hostCidrsNow(node, layout), ...(node.gateway?.addresses ?? [])];
    refusePeer(peer, { layout, members, ownNetworks, peers, chassis });
  });
  return changeCluster(before, { ...before, peers: [...peers, peer] }, places, say);
}

/** Removes a peer with its rows and flows. Does not change the record if the cluster has no peer of this name. */
export function removePeer(name: string, places: OverlayPlaces, say: (step: string) => void): Promise<Begun> {
  const before = requireCentral(places.record);
  const { peers = [], ...others } = before;
  const left = peers.filter((one) => one.name !== name);
  return changeCluster(before, left.length === 0 ? others : { ...others, peers: left }, places, say);
}

/** Returns the peers of the cluster, each with the routes or settings that it needs. Runs on the central node. */
export async function listPeers(places: OverlayPlaces): Promise<readonly ListedPeer[]> {
  const central = requireCentral(places.record);
  const { members, chassis } = await readMembers(central, places);
  return (central.peers ?? []).map((peer) => ({
    peer,
    settings: vtepSettingsOf(central.layout, members, chassis, peer),
    ...routesForPeer(central.layout, members, peer),
  }));
}

/**
 * Fails with `overlay-foreign` if MicroShift is configured to connect clusters itself. MicroShift does this only for
 * its own ovn-kubernetes (MicroShift, pkg/config/c2cc.go:311).
 */
function refuseClusterToCluster({ cluster: { remoteNetworks } }: Pick<Config, 'cluster'>): void {
  if (remoteNetworks.value.length === 0) return;
  throw new AgentError(
    'overlay-foreign',
    `clusterToCluster.remoteClusters (${remoteNetworks.source}) lets MicroShift connect clusters, so a peer of the overlay cannot be added`,
    {
      hint: "remove clusterToCluster from MicroShift's configuration, which needs its own ovn-kubernetes, or connect the clusters by it and without the overlay",
      facts: { source: remoteNetworks.source },
    },
  );
}
