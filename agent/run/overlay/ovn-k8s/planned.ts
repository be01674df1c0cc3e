import { AgentError } from '../../../errors.ts';
import type { HostFacts } from '../../../facts/overlay.ts';
import type { OverlayGateway, OverlayLayout, OverlayNode, OverlayPlan } from '../../../model/overlay.ts';
import type { NodeRequest } from '../../../model/ovn-k8s.ts';
import { joinSubnets } from '../../../model/ovn-kubernetes-addresses.ts';
import type { DatabaseRows, RowChange } from '../../../model/rows.ts';
import { indexRows, mapOf, textOf } from '../../../overlay/existing.ts';
import { planLocal } from '../../../overlay/local.ts';
import { clusterRouterName } from '../../../overlay/names.ts';
import { nodeThere } from '../../../overlay/node-there.ts';
import { macsNeeded, planNorthbound } from '../../../overlay/northbound.ts';
import type { NicFacts } from '../../../overlay/own-nic.ts';
import { clusterRouterOf } from '../../../overlay/ownership.ts';
import { numberFor, type RegisteredNode, registeredNodes } from '../../../overlay/registry.ts';
import { type SwitchSettings, switchSettings } from '../../../overlay/switch-settings.ts';
import { largestMtu, overlayOwner } from '../membership.ts';
import type { OverlayPlaces } from '../places.ts';
import { gatewayAsked } from './gateway.ts';

/** Join networks: that of the tool of 2017, which knew no IPv6. */
const joinSubnetsOfSeed = { 4: '100.64.1.0/24', 6: joinSubnets[6] };

/** Everything that a node's part in the cluster follows from. */
export interface NodeInputs {
  readonly request: NodeRequest;
  readonly host: HostFacts & NicFacts;
  /** The machine's, where Open vSwitch does not say one. */
  readonly systemId: string | null;
  readonly local: DatabaseRows;
  readonly northbound: DatabaseRows;
  readonly randomMacs: readonly string[];
  readonly places: Pick<OverlayPlaces, 'datapathType'>;
}

/** What has to change in both databases, and the node as its own Open vSwitch has it then. */
export interface PlannedInit {
  readonly layout: OverlayLayout;
  readonly node: OverlayNode;
  readonly settings: SwitchSettings;
  readonly northbound: OverlayPlan;
  readonly local: OverlayPlan;
}

/** How many random MACs are always enough. */
export const macsForNode = macsNeeded(1);

/** Plans a node's part from what it is asked to be and from what the rows remember of it. Every refusal that needs rows happens here. */
export function planInit(inputs: NodeInputs): PlannedInit {
  const { request, host, local, northbound, randomMacs } = inputs;
  const settings = switchSettings(local, inputs.systemId);
  const layout = layoutOf(request, settings, host);
  const registered = registeredNodes(northbound, layout.owner);
  refuseTwin(request.name, settings.systemId, registered);
  refuseCluster(request, settings, northbound);
  const there = nodeThere(northbound, local, request.name, layout.owner);
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
 * Makes a shared bridge keep its MAC: the gateway answers with it, and Open vSwitch would choose again with each port that is put in
 * (ovs-vswitchd.conf.db(5), other_config:hwaddr). One that is said already stays.
 */
function pinnedMac(rows: DatabaseRows, { kind, bridge, mac }: OverlayGateway): readonly RowChange[] {
  const row = kind === 'shared' ? indexRows(rows).named('Bridge', bridge) : null;
  if (row === null || 'hwaddr' in mapOf(row, 'other_config')) return [];
  const columns = [{ column: 'other_config', put: { hwaddr: mac } }];
  const why = 'the gateway answers with its MAC, which must not change with the ports that it gets';
  return [{ do: 'update', table: 'Bridge', title: bridge, uuid: row._uuid, columns, why }];
}

function layoutOf({ clusterSubnets }: NodeRequest, { encap }: SwitchSettings, { links }: HostFacts): OverlayLayout {
  const link = links.find(({ addresses }) => addresses.some(({ address }) => encap.addresses.includes(address)));
  if (link === undefined) {
    throw new AgentError(
      'bad-usage',
      `external_ids:ovn-encap-ip ${encap.addresses.join(',')} is no address of this node`,
      {
        hint: 'set it to the address at which the other nodes reach this one: ovs-vsctl set Open_vSwitch . external_ids:ovn-encap-ip=ADDRESS',
      },
    );
  }
  return {
    naming: 'seed',
    clusterSubnets,
    serviceSubnets: [],
    joinSubnets: clusterSubnets.map((subnet) => joinSubnetsOfSeed[subnet.includes(':') ? 6 : 4]),
    mtu: largestMtu({ encap, linkMtu: link.mtuBytes }),
    owner: overlayOwner,
  };
}

/** A cluster is there before its second node, and has the names of 2017. */
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

/** Two nodes with one system-id take each other's tunnels. */
function refuseTwin(name: string, systemId: string, registered: readonly RegisteredNode[]): void {
  const twin = registered.find((one) => one.systemId === systemId && one.name !== name);
  if (twin === undefined) return;
  throw new AgentError('overlay-conflict', `node ${twin.name} has the system-id of this one, ${systemId}`, {
    hint: `if a disk was copied: write another one into /etc/openvswitch/system-id.conf and external_ids:system-id; if this is ${twin.name}: give --node-name ${twin.name}`,
    facts: { other: twin.name },
  });
}
