import type { OverlayNode } from '../../model/overlay.ts';
import { addressIn, interfaceAddress, isIpv6, macOf, withoutLength } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { nodeNames } from '../overlay-names.ts';
import { addPorts } from '../ports/port-rows.ts';
import { aclPriorities } from '../rows/acl-priorities.ts';
import { has, is, keys } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';
import { hopsColumn } from '../rows/router-policies.ts';
import { tagKeys } from '../rows/tag-keys.ts';
import { type Cluster, routerPortColumns } from './cluster-rows.ts';
import { addNodeGuards } from './isolation.ts';
import { addServicesInside } from './services-inside.ts';

/**
 * Number of the router's address in a node's subnet. The management port has the next address, and pods have the
 * addresses after it.
 */
export const routerPlace = 1;
export const managementPlace = 2;

/** Returns the MAC of a node's management port. */
export function managementMac(node: OverlayNode): string {
  return node.managementMac ?? macOf(addressIn(node.subnets[0] ?? '0.0.0.0/0', managementPlace));
}

/** Returns the addresses of a node's management port, with their prefix length. */
export function managementAddresses({ subnets }: Pick<OverlayNode, 'subnets'>): readonly string[] {
  return subnets.map((subnet) => interfaceAddress(subnet, managementPlace));
}

/** Returns the addresses of the cluster's router in a node's subnets, with their prefix length. */
export function routerAddresses({ subnets }: Pick<OverlayNode, 'subnets'>): readonly string[] {
  return subnets.map((subnet) => interfaceAddress(subnet, routerPlace));
}

/** Returns the external_ids with the number and the system-id of a node, by which its rows describe the node. */
export function nodeFacts(node: OverlayNode): Readonly<Record<string, string>> {
  return { [tagKeys.nodeId]: `${node.id}`, [tagKeys.chassis]: node.systemId };
}

/**
 * Plans a node's switch with its ports to the router, to the node itself and to hosts that are not pods, and the rows
 * by which the node and the pods of the cluster reach each other. If `holdsPorts` is true, new ports to hosts that are
 * not pods stay disabled until the planner of network policies has seen them.
 */
export function addNode(desired: DesiredRows, cluster: Cluster, node: OverlayNode, holdsPorts = false): void {
  const { layout, router } = cluster;
  const { onRouter, onSwitch, management } = nodeNames(node.name);
  const addresses = routerAddresses(node);
  const mac = cluster.macFor(onRouter, onSwitch, withoutLength(addresses[0] ?? ''));
  const port = desired.add({
    table: 'Logical_Router_Port',
    title: onRouter,
    existing: desired.existing.named('Logical_Router_Port', onRouter),
    columns: { name: is(onRouter), mac: is(mac), networks: is(addresses) },
    place: { row: router, column: 'ports' },
    exclusive: true,
    node: node.name,
    why: `pods of ${node.name} reach other subnets by this port`,
  });
  if (traitsOf(layout).pinsSubnets) addPin(desired, port, node);
  const nodeSwitch = addSwitch(desired, cluster, node);
  desired.add({
    table: 'Logical_Switch_Port',
    title: onSwitch,
    existing: desired.existing.named('Logical_Switch_Port', onSwitch),
    columns: routerPortColumns(layout, onSwitch, onRouter, mac),
    place: { row: nodeSwitch, column: 'ports' },
    node: node.name,
    why: `the port connects the switch ${node.name} to the cluster's router`,
  });
  const place = [managementMac(node), ...managementAddresses(node).map(withoutLength)].join(' ');
  desired.add({
    table: 'Logical_Switch_Port',
    title: management,
    existing: desired.existing.named('Logical_Switch_Port', management),
    // The management port has no port security, because packets from and to the node's own addresses pass it as well.
    columns: { name: is(management), addresses: is([place]) },
    place: { row: nodeSwitch, column: 'ports' },
    node: node.name,
    why: `${node.name} itself and all pods reach each other by this port`,
  });
  addPorts(desired, node, nodeSwitch, holdsPorts);
  addServicesInside(desired, layout, node.name, nodeSwitch);
  if (traitsOf(layout).admitsNodes) addReach(desired, cluster, node, nodeSwitch);
}

function addSwitch(desired: DesiredRows, { layout, balancers }: Cluster, node: OverlayNode): PlannedRow {
  const references = balancers.ofSwitches.map(({ reference }) => reference);
  const v4 = node.subnets.find((subnet) => !isIpv6(subnet));
  const v6 = node.subnets.find(isIpv6);
  const { excludesNode, hasBalancerGroups } = traitsOf(layout);
  const config = {
    ...(v4 !== undefined && { subnet: v4 }),
    ...(v4 !== undefined && excludesNode && { exclude_ips: addressIn(v4, managementPlace) }),
    ...(v6 !== undefined && { ipv6_prefix: withoutLength(v6) }),
  };
  const gateway = excludesNode ? {} : { gateway_ip: routerAddresses(node)[0] ?? '' };
  return desired.add({
    table: 'Logical_Switch',
    title: node.name,
    existing: desired.existing.named('Logical_Switch', node.name),
    columns: {
      name: is(node.name),
      other_config: keys(config),
      external_ids: keys({ ...gateway, ...nodeFacts(node) }),
      [hasBalancerGroups ? 'load_balancer_group' : 'load_balancer']: has(...references),
    },
    absent: { name: node.name },
    node: node.name,
    why: `pods of ${node.name} are on this switch, with addresses of ${node.subnets.join(' and ')}`,
  });
}

/**
 * Plans the chassis of the port by which the cluster's router reaches a node's subnet: packets to the subnet are routed
 * on the node's chassis, and no other chassis resolves addresses of the subnet.
 */
function addPin(desired: DesiredRows, port: PlannedRow, { name, systemId }: OverlayNode): void {
  const title = `${nodeNames(name).onRouter}-${systemId}`;
  desired.add({
    table: 'Gateway_Chassis',
    title,
    existing: desired.existing.named('Gateway_Chassis', title),
    columns: { name: is(title), chassis_name: is(systemId), priority: is(1) },
    place: { row: port, column: 'gateway_chassis' },
    node: name,
    why: `packets to pods of ${name} are routed on the chassis of ${name}`,
  });
}

/**
 * Plans the ACLs that let the kubelet's probes pass network policies, the ACLs against forged packets of the node, and
 * the router policies by which pods of every node reach this node's addresses.
 */
function addReach(desired: DesiredRows, cluster: Cluster, node: OverlayNode, nodeSwitch: PlannedRow): void {
  const probers = managementAddresses(node).map(withoutLength);
  for (const address of probers) {
    const match = `${isIpv6(address) ? 'ip6' : 'ip4'}.src==${address}`;
    addNamelessRow(desired, {
      table: 'ACL',
      title: `${node.name}: ${match}`,
      holder: nodeSwitch,
      column: 'acls',
      key: { direction: 'to-lport', priority: aclPriorities.node, match },
      columns: { action: is('allow-related') },
      node: node.name,
      why: "the kubelet's probes pass network policies",
    });
  }
  addNodeGuards(desired, cluster.layout, node, probers, nodeSwitch);
  const hops = hopsColumn(desired);
  for (const host of node.hostAddresses) {
    const hop = probers.find((address) => isIpv6(address) === isIpv6(host));
    if (hop === undefined) continue;
    const match = `${isIpv6(host) ? 'ip6' : 'ip4'}.dst == ${host} /* ${node.name} */`;
    addNamelessRow(desired, {
      table: 'Logical_Router_Policy',
      title: `${node.name}: ${host}`,
      holder: cluster.router,
      column: 'policies',
      key: { priority: 1004, match },
      columns: { action: is('reroute'), [hops]: is([hop]) },
      node: node.name,
      why: `packets of pods to ${host} have to reach the node itself, even if a gateway has this address`,
    });
  }
}
