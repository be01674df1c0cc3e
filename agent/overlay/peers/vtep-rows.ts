import type { OverlayLayout } from '../../model/overlay.ts';
import type { VtepPeer } from '../../model/overlay-peer.ts';
import { addressIn, interfaceAddress, isIpv6, macOf, withoutLength } from '../addresses.ts';
import { vtepBridge, vtepDevice, vtepNames } from '../overlay-names.ts';
import { type DesiredColumn, is, keys } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addFixedMac, fixedAddresses, removeFixedMac } from '../rows/fixed-macs.ts';
import { addRouterPolicy } from '../rows/router-policies.ts';
import { tagKeys } from '../rows/tag-keys.ts';

/** Number of the router's address in the subnet of a VTEP; the peer's hosts have the addresses after it. */
const routerPlace = 1;
/** Number of the address by which the router finds the MAC of all hosts of the peer. */
export const vtepHostPlace = 2;

/**
 * Priority of the policies that drop packets of and to a VTEP: that of the other policies against forged sources, and
 * above all policies by which pods reach nodes.
 */
const guardPriority = 1010;
/** Priority of the policy that leads packets to the VTEP: below that of the policies by which pods reach nodes. */
const wayPriority = 1003;

/**
 * Seconds after which Open vSwitch forgets a source MAC that packets of a VTEP had (ovn-nb(5), fdb_age_threshold).
 * Without this limit, OVN keeps a flow for each of these MACs for ever.
 */
const learnedS = 60;

/** Returns the router's address in the subnet of a VTEP, with its prefix length. */
export function vtepRouterAddress({ subnets }: Pick<VtepPeer, 'subnets'>): string {
  return interfaceAddress(subnets[0] ?? '', routerPlace);
}

/**
 * Plans the rows by which pods of all nodes and the hosts behind a VTEP reach each other: a switch for the VTEP's VNI
 * (ovn-nb(5), "EVPN Options"), its port on the cluster's router, a fixed MAC, and policies. All hosts of the peer have
 * one MAC, so a policy gives all packets to them the same next hop. Its MAC is fixed, because every member may write
 * the table of resolved MACs (MAC_Binding). The switch has neither load balancers nor ACLs, with which OVN 26.03.1
 * drops answers of a VTEP (northd/northd.c, skip_evpn_from_conntrack).
 *
 * `nodeAddresses` are the addresses of the nodes themselves in the subnets of pods. The rows name the central node in
 * external_ids, so that they are found when the peer has been removed.
 */
export function addVtep(
  desired: DesiredRows,
  layout: Pick<OverlayLayout, 'clusterSubnets' | 'mtu'>,
  router: PlannedRow,
  nodeAddresses: readonly string[],
  centralNode: string,
  { name, subnets, vtep }: VtepPeer,
): void {
  const { onSwitch, onRouter, vtepSwitch } = vtepNames(name);
  const subnet = subnets[0] ?? '';
  const routerAddress = vtepRouterAddress({ subnets });
  const node = centralNode;
  desired.trace.push(`peer=${name} ${subnet} in VXLAN to ${vtep.address}, VNI ${vtep.vni}`);
  desired.add({
    table: 'Logical_Router_Port',
    title: onRouter,
    existing: desired.existing.named('Logical_Router_Port', onRouter),
    columns: {
      name: is(onRouter),
      mac: is(macOf(withoutLength(routerAddress))),
      networks: is([routerAddress]),
      options: keys({ gateway_mtu: `${layout.mtu}` }),
    },
    place: { row: router, column: 'ports' },
    exclusive: true,
    node,
    why: `pods reach ${subnet} of the peer ${name} by this port`,
  });
  const itsSwitch = desired.add({
    table: 'Logical_Switch',
    title: vtepSwitch,
    existing: desired.existing.named('Logical_Switch', vtepSwitch),
    columns: {
      name: is(vtepSwitch),
      other_config: keys({
        'dynamic-routing-vni': `${vtep.vni}`,
        'dynamic-routing-vxlan-ifname': vtepDevice(vtep.vni),
        // ovn-controller reads no neighbours from this bridge and announces none, but warns if the names are missing.
        'dynamic-routing-bridge-ifname': vtepBridge,
        'dynamic-routing-advertise-ifname': vtepBridge,
        fdb_age_threshold: `${learnedS}`,
      }),
      external_ids: keys({ [tagKeys.peer]: name }),
    },
    absent: { name: vtepSwitch },
    node,
    why: `ovn-controller exchanges the packets of this switch with ${vtep.address} in VXLAN`,
  });
  desired.add({
    table: 'Logical_Switch_Port',
    title: onSwitch,
    existing: desired.existing.named('Logical_Switch_Port', onSwitch),
    columns: {
      name: is(onSwitch),
      type: is('router'),
      options: keys({ 'router-port': onRouter }),
      addresses: is(['router']),
    },
    place: { row: itsSwitch, column: 'ports' },
    node,
    why: `the port connects ${vtepSwitch} to the cluster's router`,
  });
  const hop = addressIn(subnet, vtepHostPlace);
  for (const address of fixedAddresses(desired, onRouter).filter((one) => one !== hop))
    removeFixedMac(desired, onRouter, address);
  addFixedMac(desired, onRouter, hop, vtep.mac, `all hosts of the peer ${name} have this MAC`);
  const policy = (
    priority: number,
    match: string,
    columns: Readonly<Record<string, DesiredColumn>>,
    why: string,
  ): void => {
    const tagged = { ...columns, external_ids: keys({ [tagKeys.peer]: name }) };
    addRouterPolicy(desired, router, node, { priority, match }, tagged, why);
  };
  const drop = (match: string, why: string): void => policy(guardPriority, match, { action: is('drop') }, why);
  const pods = layout.clusterSubnets.filter((one) => !isIpv6(one));
  const inside = [...pods, subnet].join(', ');
  const ofNodes = nodeAddresses.filter((one) => !isIpv6(one));
  const from = `inport == "${onRouter}"`;
  drop(
    `${from} && ip4.src != ${subnet}`,
    `a packet of the peer ${name} with an address outside of ${subnet} is forged`,
  );
  drop(`${from} && ip4.dst != {${inside}}`, `the peer ${name} reaches pods only`);
  if (ofNodes.length > 0)
    drop(`${from} && ip4.dst == {${ofNodes.join(', ')}}`, `the peer ${name} does not reach the nodes themselves`);
  drop(`ip4.dst == ${subnet} && ip4.src != {${inside}}`, `only pods reach the peer ${name}`);
  const to = { action: is('reroute'), nexthops: is([hop]) };
  policy(wayPriority, `ip4.dst == ${subnet}`, to, `${subnet} is the network of the peer ${name}`);
}
