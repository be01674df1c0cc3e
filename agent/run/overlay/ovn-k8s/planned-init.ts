import { AgentError } from '../../../errors.ts';
import type { HostFacts } from '../../../facts/overlay-host.ts';
import type { OverlayGateway, OverlayLayout, OverlayNode, OverlayPlan } from '../../../model/overlay.ts';
import type { NodeRequest } from '../../../model/ovn-k8s.ts';
import { joinSubnets } from '../../../model/ovn-kubernetes-addresses.ts';
import type { DatabaseRows, RowChange } from '../../../model/rows.ts';
import { type NodeFromRows, nodeFromRows } from '../../../overlay/gateway/node-from-rows.ts';
import type { NicFacts } from '../../../overlay/gateway/own-nic.ts';
import { planLocal } from '../../../overlay/local/local.ts';
import { type SwitchSettings, switchSettings } from '../../../overlay/local/switch-settings.ts';
import { numberFor, type RegisteredNode, registeredNodes } from '../../../overlay/members/registry.ts';
import { clusterRouterName } from '../../../overlay/overlay-names.ts';
import { macsNeeded, planNorthbound } from '../../../overlay/plan-northbound.ts';
import { indexRows, mapOf, textOf } from '../../../overlay/rows/row-index.ts';
import { clusterRouterOf } from '../../../overlay/rows/row-ownership.ts';
import { largestMtu, overlayOwner } from '../node/membership.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { gatewayAsked } from './asked-gateway.ts';

/**
 * Subnets that join the routers: for IPv4 the subnet of ovn-kubernetes of 2017, which did not support IPv6; for IPv6
 * the subnet of ovn-kubernetes today.
 */
const joinSubnetsOfSeed = { 4: '100.64.1.0/24', 6: joinSubnets[6] };

/** Facts and request from which the plan of a node is made. */
export interface NodeInputs {
  readonly request: NodeRequest;
  readonly host: HostFacts & NicFacts;
  /** system-id in the file of ovs-ctl(8), used if the database of Open vSwitch has none; null if the file is absent. */
  readonly systemId: string | null;
  readonly local: DatabaseRows;
  readonly northbound: DatabaseRows;
  readonly randomMacs: readonly string[];
  readonly places: Pick<OverlayPlaces, 'datapathType'>;
}

/** Plans for OVN_Northbound and for Open_vSwitch, with the layout and the node that the plans describe. */
export interface PlannedInit {
  readonly layout: OverlayLayout;
  readonly node: OverlayNode;
  readonly settings: SwitchSettings;
  readonly northbound: OverlayPlan;
  readonly local: OverlayPlan;
}

/** Number of random MACs that the plan of a node needs at most. */
export const macsForNode = macsNeeded(1);

/**
 * Plans a node from the request and from the rows that earlier commands have written. Fails if these rows do not allow
 * the request.
 */
export function planInit(inputs: NodeInputs): PlannedInit {
  const { request, host, local, northbound, randomMacs } = inputs;
  const settings = switchSettings(local, inputs.systemId);
  const there = nodeFromRows(northbound, local, request.name, overlayOwner);
  const layout = layoutOf(request, there, settings, host);
  const registered = registeredNodes(northbound, layout.owner);
  refuseTwin(request.name, settings.systemId, registered);
  refuseCluster(request, settings, northbound);
  const node: OverlayNode = {
    name: request.name,
    id: numberFor(registered, request.name),
    systemId: settings.systemId,
    subnets: request.subnets ?? there.subnets,
    encap: settings.encap,
    managementMac: there.managementMac,
    hostAddresses: settings.encap.addresses,
    gateway:
      request.gateway === null
        ? there.gateway
        : gatewayAsked(request.gateway, { encap: settings.encap, hostAddresses: settings.encap.addresses }, host),
  };
  const isCarried = request.gateway !== null || there.isGatewayCarried;
  const here = isCarried ? node : { ...node, gateway: null };
  return {
    layout,
    node: here,
    settings,
    northbound: planNorthbound({
      layout,
      nodes: [node],
      leaving: [],
      centralNode: node.name,
      rows: northbound,
      randomMacs,
    }),
    local: planSwitch(inputs, layout, here, settings),
  };
}

function planSwitch(
  { local: rows, places }: NodeInputs,
  layout: OverlayLayout,
  node: OverlayNode,
  { southbound, northbound }: SwitchSettings,
): OverlayPlan {
  const { datapathType } = places;
  const plan = planLocal({ layout, node, southbound, northbound, datapathType, rows });
  const pinned = node.gateway === null ? [] : pinnedMac(rows, node.gateway);
  return { ...plan, changes: [...plan.changes, ...pinned] };
}

/**
 * Returns the change that sets the MAC of a shared bridge permanently, because the gateway uses this MAC. Otherwise
 * Open vSwitch could change the MAC whenever a port is added (ovs-vswitchd.conf.db(5), other_config:hwaddr). Returns no
 * change if a MAC is already set.
 */
function pinnedMac(rows: DatabaseRows, { kind, bridge, mac }: OverlayGateway): readonly RowChange[] {
  const row = kind === 'shared' ? indexRows(rows).named('Bridge', bridge) : null;
  if (row === null || 'hwaddr' in mapOf(row, 'other_config')) return [];
  const columns = [{ column: 'other_config', put: { hwaddr: mac } }];
  const why =
    'the gateway answers with the MAC of this bridge, which must not change when the bridge gets another port';
  return [{ do: 'update', table: 'Bridge', title: bridge, uuid: row._uuid, columns, why }];
}

function layoutOf(
  { clusterSubnets, serviceSubnets }: NodeRequest,
  there: NodeFromRows,
  { encap }: SwitchSettings,
  { links }: HostFacts,
): OverlayLayout {
  const link = links.find(({ addresses }) => addresses.some(({ address }) => encap.addresses.includes(address)));
  if (link === undefined) {
    throw new AgentError(
      'bad-usage',
      `external_ids:ovn-encap-ip ${encap.addresses.join(',')} is not an address of this node`,
      {
        hint: 'set it to the address at which the other nodes reach this one: ovs-vsctl set Open_vSwitch . external_ids:ovn-encap-ip=ADDRESS',
      },
    );
  }
  return {
    naming: 'seed',
    clusterSubnets,
    serviceSubnets: serviceSubnets ?? there.serviceSubnets,
    joinSubnets: clusterSubnets.map((subnet) => joinSubnetsOfSeed[subnet.includes(':') ? 6 : 4]),
    mtu: largestMtu({ encap, linkMtu: link.mtuBytes }),
    owner: overlayOwner,
  };
}

/**
 * Fails with `overlay-absent` if there is no cluster, unless this node is the first one of a new cluster. Fails with
 * `overlay-foreign` if the cluster does not use the row names of ovn-kubernetes of 2017.
 */
function refuseCluster({ isMaster }: NodeRequest, settings: SwitchSettings, northbound: DatabaseRows): void {
  const router = clusterRouterOf(indexRows(northbound));
  const where = `the northbound database at ${settings.northbound.join(', ')}`;
  if (router === null && !isMaster) {
    throw new AgentError('overlay-absent', `${where} has no cluster`, {
      hint: 'begin one on its first node: ovn-k8s-overlay master-init',
    });
  }
  if (router === null || textOf(router, 'name') !== clusterRouterName('modern', '')) return;
  throw new AgentError('overlay-foreign', `${where} has a cluster of microshift-net overlay`, {
    hint: 'a node joins it by: microshift-net overlay join',
  });
}

/**
 * Fails with `overlay-conflict` if another node has the same system-id, because two such nodes would receive each
 * other's tunnel traffic.
 */
function refuseTwin(name: string, systemId: string, registered: readonly RegisteredNode[]): void {
  const twin = registered.find((one) => one.systemId === systemId && one.name !== name);
  if (twin === undefined) return;
  throw new AgentError('overlay-conflict', `node ${twin.name} has the system-id of this one, ${systemId}`, {
    hint: `if a disk was copied: write another one into /etc/openvswitch/system-id.conf and external_ids:system-id; if this is ${twin.name}: give --node-name ${twin.name}`,
    facts: { other: twin.name },
  });
}
