import { AgentError } from '../../errors.ts';
import type { LocalFacts, OverlayGateway, OverlayNode, OverlayPlan } from '../../model/overlay.ts';
import type { DatabaseRow, WrittenValue } from '../../model/rows.ts';
import { isIpv6, macOf } from '../addresses.ts';
import { managementMac } from '../cluster/node-rows.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { managementInterface, nodeNames, patchNames, uplinkPort } from '../overlay-names.ts';
import { type DesiredColumn, is, keys } from '../rows/column-changes.ts';
import { createDesiredRows, type DesiredRows, foundIn, type PlannedRow } from '../rows/desired-rows.ts';
import { mapOf, textOf } from '../rows/row-index.ts';
import { tagKeys } from '../rows/tag-keys.ts';
import { isOwnedBy } from '../rows/tags.ts';
import { tunnelPorts } from '../tunnel-ports.ts';
import { addAttached } from './attached-rows.ts';
import { addBridge, addPort, integrationBridge, isLocalnetPatch, localnetPortOf } from './bridge-rows.ts';
import { sharedSettings } from './shared-settings.ts';

/** Plans the rows of a node's own Open vSwitch by which its ovn-controller serves the cluster. */
export function planLocal(facts: LocalFacts): OverlayPlan {
  const { layout, node, rows } = facts;
  const desired = createDesiredRows(foundIn(rows), layout.owner);
  const root = rootOf(desired);
  addSettings(desired, root, facts);
  const mac = macOf(node.encap.addresses.find((address) => !isIpv6(address)) ?? node.encap.addresses[0] ?? '0.0.0.0');
  const bridge = addBridge(desired, root, integrationBridge, facts, {
    fail_mode: is(['secure']),
    other_config: keys({ hwaddr: hardwareAddress(desired, integrationBridge) ?? mac }),
  });
  if (node.subnets.length > 0) {
    addPort(desired, bridge, managementInterface(layout.naming, node.name), {
      type: is('internal'),
      mtu_request: is([layout.mtu]),
      mac: is([managementMac(node)]),
      external_ids: keys({ 'iface-id': nodeNames(node.name).management }),
    });
  }
  addAttached(desired, bridge, facts.attached === undefined ? [] : facts.attached, layout.owner);
  if (node.gateway !== null) addUplink(desired, root, bridge, facts, node.gateway);
  removeOthers(desired, layout.owner);
  return { database: rows.database, guards: desired.guards, changes: desired.changes, trace: desired.trace };
}

/**
 * Plans the removal of the cluster's rows and keys from the node's Open vSwitch. `system-id` and `hostname` stay,
 * because they belong to the machine. A bridge with ports of other programs stays as well.
 */
export function planLocalRemoval({ layout, rows }: Pick<LocalFacts, 'layout' | 'rows'>): OverlayPlan {
  const desired = createDesiredRows(foundIn(rows), layout.owner);
  const root = rootOf(desired);
  const isOfPod = (port: DatabaseRow): boolean =>
    desired.existing.referred(port, 'interfaces', 'Interface').some((row) => podKey in mapOf(row, 'external_ids'));
  for (const row of desired.existing.all('Port').filter(isOfPod))
    desired.remove('Port', row, textOf(row, 'name'), 'the node leaves the cluster of this pod');
  removeOthers(desired, layout.owner);
  for (const row of desired.existing.all('Port').filter(isLocalnetPatch))
    desired.remove('Port', row, textOf(row, 'name'), 'the port connected a bridge to the cluster');
  const ids = mapOf(root.existing, 'external_ids');
  const tagged = (ids[tagKeys.keys] ?? '').split(',').filter((key) => key !== '' && !lasting.includes(key));
  const shared = sharedSettings(ids, null, { listeners: [], furtherAddresses: [], hostCidrs: [], direct: null }, null);
  const own = {
    external_ids: [...tagged, ...shared.drop, tagKeys.keys],
    other_config: tagged.flatMap((key) => (key.startsWith(inOtherConfig) ? [key.slice(inOtherConfig.length)] : [])),
  };
  const columns = Object.entries(own).flatMap(([column, keys]) => {
    const there = mapOf(root.existing, column);
    const drop = keys.filter((key) => key in there);
    return drop.length === 0 ? [] : [{ column, drop }];
  });
  if (columns.length > 0) {
    const put = Object.keys(shared.put).length === 0 ? [] : [{ column: 'external_ids', put: shared.put }];
    desired.changes.push({
      do: 'update',
      table: root.table,
      title: root.title,
      uuid: String(root.reference),
      columns: [...columns, ...put],
      why: 'ovn-controller must not connect to the cluster any more',
    });
  }
  return { database: rows.database, guards: desired.guards, changes: desired.changes, trace: desired.trace };
}

/** Key of external_ids by which the interface of a pod is recognized (agent/cni/attachment.ts). */
const podKey = 'pod-netns';
const lasting = ['system-id', 'hostname'];
/**
 * Prefix of the keys of other_config in the list of all keys that the agent has added to the Open_vSwitch row. The keys
 * of external_ids have no prefix there.
 */
const inOtherConfig = 'other_config:';
/**
 * Seconds for which ovs-vswitchd keeps an incomplete OpenFlow bundle; its default of 10 is too short for an
 * ovn-controller whose memory is swapped (ovs-vswitchd.conf.db(5)).
 */
const bundleIdle = { 'bundle-idle-timeout': '180' } as const;

function rootOf(desired: DesiredRows): PlannedRow {
  const row = desired.existing.all('Open_vSwitch')[0];
  if (row !== undefined) return { table: 'Open_vSwitch', title: 'Open_vSwitch', reference: row._uuid, existing: row };
  throw new AgentError(
    'overlay-conflict',
    'the database of Open vSwitch is not set up, it has no row in Open_vSwitch',
    { hint: 'systemctl restart openvswitch (Debian: openvswitch-switch)' },
  );
}

/**
 * Time after which ovn-controller probes a silent connection to the central node, in ms. ovn-controller reconnects if
 * the probe is not answered, for example after a change of the node's own address. The default of ovn-kubernetes is 100
 * s (go-controller/pkg/config/config.go, InactivityProbe).
 */
const remoteProbeMs = 10_000;

/**
 * Plans the keys of external_ids that ovn-controller reads (ovn-controller(8)), and the key of other_config by which
 * ovs-vswitchd keeps incomplete bundles for longer.
 */
function addSettings(desired: DesiredRows, root: PlannedRow, facts: LocalFacts): void {
  const { node, southbound, northbound, datapathType, request, hasVteps = false } = facts;
  const there = mapOf(root.existing, 'external_ids');
  const before = (there[tagKeys.keys] ?? '').split(',').filter((key) => key !== '');
  const vteps = vtepSettings(node);
  const ids: Record<string, string> = {
    'system-id': node.systemId,
    hostname: node.name,
    'ovn-remote': southbound.join(','),
    'ovn-encap-type': node.encap.types.join(','),
    'ovn-encap-ip': node.encap.addresses.join(','),
    'ovn-set-local-ip': 'true',
    'ovn-remote-probe-interval': String(remoteProbeMs),
    'ovn-openflow-probe-interval': '180',
    'ovn-monitor-all': 'true',
    'ovn-enable-lflow-cache': 'true',
    ...(northbound.length > 0 && { 'ovn-nb': northbound.join(',') }),
    ...(datapathType !== null && { 'ovn-bridge-datapath-type': datapathType }),
    ...(hasVteps === true && vteps),
    ...(hasVteps === null && keptOf(Object.keys(vteps), before, there)),
  };
  const shared = sharedSettings(there, node.gateway, node, request);
  const stale = Object.keys(vteps).filter((key) => !(key in ids) && before.includes(key));
  // A key of external_ids whose value the agent sets or changes belongs to this cluster, so it is removed when the node
  // leaves the cluster.
  const isOwn = (key: string): boolean => before.includes(key) || there[key] !== ids[key];
  const config = Object.fromEntries(
    Object.entries(bundleIdle).filter(
      ([key]) => before.includes(inOtherConfig + key) || mapOf(root.existing, 'other_config')[key] === undefined,
    ),
  );
  const own = [...Object.keys(ids).filter(isOwn), ...Object.keys(config).map((key) => inOtherConfig + key)];
  desired.add({
    table: root.table,
    title: root.title,
    existing: root.existing,
    columns: {
      external_ids: {
        keys: { ...ids, ...shared.put, [tagKeys.keys]: own.toSorted().join(',') },
        without: [...shared.drop, ...stale],
      },
      other_config: keys(config),
    },
    isShared: true,
    why: 'ovn-controller reads the address of the southbound database and the identity of this node in this row',
  });
}

/**
 * Returns the settings by which ovn-controller exchanges packets with VTEPs (ovn-controller(8), `ovn-evpn-local-ip` and
 * `ovn-evpn-vxlan-ports`).
 */
function vtepSettings({ encap }: Pick<OverlayNode, 'encap'>): Readonly<Record<string, string>> {
  const [address = ''] = encap.addresses.filter((one) => !isIpv6(one));
  return { 'ovn-evpn-local-ip': address, 'ovn-evpn-vxlan-ports': String(tunnelPorts.vxlan) };
}

/** Returns the present values of those of the keys that the agent has set. */
function keptOf(
  names: readonly string[],
  own: readonly string[],
  there: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const kept = names.filter((name) => own.includes(name));
  return Object.fromEntries(kept.flatMap((name) => (there[name] === undefined ? [] : [[name, there[name]]])));
}

function hardwareAddress(desired: DesiredRows, bridge: string): string | undefined {
  return mapOf(desired.existing.named('Bridge', bridge), 'other_config').hwaddr;
}

/**
 * Plans the connection of the gateway's outside port with the NIC. In layout `modern`, ovn-controller makes the
 * connection by ovn-bridge-mappings; in layout `seed`, two patch ports are the connection.
 */
function addUplink(
  desired: DesiredRows,
  root: PlannedRow,
  inside: PlannedRow,
  facts: LocalFacts,
  gateway: OverlayGateway,
): void {
  const { layout, node } = facts;
  const { bridge: name, interface: nic } = gateway;
  const existing = desired.existing.named('Bridge', name);
  if (existing === null && nic === null) {
    throw new AgentError('overlay-conflict', `the bridge ${name} of the gateway does not exist`, {
      hint: name === 'br-ex' ? 'microshift-net apply makes br-ex' : `microshift-net bridge add makes it`,
      facts: { bridge: name },
    });
  }
  const outside =
    nic === null && existing !== null
      ? { table: 'Bridge', title: name, reference: existing._uuid, existing }
      : addBridge(desired, root, name, facts, { other_config: keys({ hwaddr: gateway.mac }) });
  if (nic !== null) addPort(desired, outside, nic, {});
  if (traitsOf(layout).hasLocalnetPorts) return;
  const uplink = uplinkPort(layout.naming, node.name, gateway);
  const holder = desired.existing.all('Interface').find((row) => mapOf(row, 'external_ids')['iface-id'] === uplink);
  const { inside: towards, outside: back } = patchNames(name);
  if (holder !== undefined && holder.name !== towards) {
    desired.trace.push(`uplink=${uplink} is ${textOf(holder, 'name')} already`);
    return;
  }
  const patch = (peer: string, ids: Readonly<Record<string, string>>): Record<string, DesiredColumn> => ({
    type: is('patch'),
    options: keys({ peer }),
    external_ids: keys(ids),
  });
  const tag: WrittenValue = gateway.vlan === null ? [] : [gateway.vlan];
  addPort(desired, outside, back, patch(towards, {}), { tag: is(tag) });
  addPort(desired, inside, towards, patch(back, { 'iface-id': uplink }));
}

/** Removes stale ports and bridges of this product. A bridge with ports of other programs stays. */
function removeOthers(desired: DesiredRows, owner: string): void {
  const going = desired.existing.all('Bridge').filter((row) => isOwnedBy(row, owner) && !desired.isPlanned(row));
  for (const row of going) {
    const ports = desired.existing.referred(row, 'ports', 'Port');
    const foreign = ports.filter(
      (port) => !isOwnedBy(port, owner) && !isLocalnetPatch(port) && !desired.isPlanned(port),
    );
    if (foreign.length > 0) {
      desired.trace.push(`kept=${textOf(row, 'name')}, for ${textOf(foreign[0] ?? null, 'name')}`);
      continue;
    }
    desired.remove('Bridge', row, textOf(row, 'name'), 'the cluster does not need this bridge any more');
    // The patch ports by which br-int leads to the bridge are removed as well, because ovn-controller keeps them when
    // the bridge is removed.
    const ends = ports.filter(isLocalnetPatch).map(localnetPortOf);
    for (const port of desired.existing
      .all('Port')
      .filter((one) => isLocalnetPatch(one) && ends.includes(localnetPortOf(one))))
      desired.remove(
        'Port',
        port,
        textOf(port, 'name'),
        `the port connected ${integrationBridge} and ${textOf(row, 'name')}`,
      );
  }
  const ports = desired.existing.all('Port').filter((row) => isOwnedBy(row, owner) && !desired.isPlanned(row));
  for (const row of ports) {
    const holder = desired.existing.parentOf(row);
    // The port of a bridge's internal interface needs no change of its own: it is removed together with the bridge.
    if (
      holder !== null &&
      (textOf(holder.row, 'name') === row.name || (desired.isPlanned(holder.row) && going.includes(holder.row)))
    )
      continue;
    desired.remove('Port', row, textOf(row, 'name'), 'the cluster does not need this port any more');
  }
}
