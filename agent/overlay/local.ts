import { AgentError } from '../errors.ts';
import type { LocalFacts, OverlayGateway, OverlayPlan } from '../model/overlay.ts';
import type { WrittenValue } from '../model/rows.ts';
import { isIpv6, macOf } from './addresses.ts';
import { integrationBridge, wantBridge, wantPort } from './bridges.ts';
import { is, keys, type WantedColumn } from './column-changes.ts';
import { createDraft, type Draft, type WantedRow } from './draft.ts';
import { mapOf, textOf } from './existing.ts';
import { managementInterface, nodeNames, uplinkPort } from './names.ts';
import { managementMac } from './node.ts';
import { isOwnedBy, tagKeys } from './tags.ts';

/** What has to change in a node's own Open vSwitch so that its ovn-controller works for the cluster. */
export function planLocal(facts: LocalFacts): OverlayPlan {
  const { layout, node, rows } = facts;
  const draft = createDraft(rows, layout.owner);
  const root = rootOf(draft);
  wantSettings(draft, root, facts);
  const mac = macOf(node.encap.addresses.find((address) => !isIpv6(address)) ?? node.encap.addresses[0] ?? '0.0.0.0');
  const bridge = wantBridge(draft, root, integrationBridge, facts, {
    fail_mode: is(['secure']),
    other_config: keys({ hwaddr: hardwareAddress(draft, integrationBridge) ?? mac }),
  });
  if (node.subnets.length > 0) {
    wantPort(draft, bridge, managementInterface(layout.naming, node.name), {
      type: is('internal'),
      mtu_request: is([layout.mtu]),
      mac: is([managementMac(node)]),
      external_ids: keys({ 'iface-id': nodeNames(node.name).management }),
    });
  }
  if (node.gateway !== null) wantUplink(draft, root, bridge, facts, node.gateway);
  removeOthers(draft, layout.owner);
  return { database: rows.database, guards: draft.guards, changes: draft.changes, trace: draft.trace };
}

/** What has to change so that nothing of the cluster is left on the node. `system-id` and the name stay: they are the machine's. */
export function planLocalRemoval({ layout, rows }: Pick<LocalFacts, 'layout' | 'rows'>): OverlayPlan {
  const draft = createDraft(rows, layout.owner);
  const root = rootOf(draft);
  removeOthers(draft, layout.owner);
  const ids = mapOf(root.existing, 'external_ids');
  const own = (ids[tagKeys.keys] ?? '').split(',').filter((key) => key !== '' && !lasting.includes(key));
  const columns = [...own, tagKeys.keys].filter((key) => key in ids);
  if (columns.length > 0) {
    draft.changes.push({
      do: 'update',
      table: root.table,
      title: root.title,
      uuid: String(root.reference),
      columns: [{ column: 'external_ids', drop: columns }],
      why: 'ovn-controller has no cluster any more',
    });
  }
  return { database: rows.database, guards: draft.guards, changes: draft.changes, trace: draft.trace };
}

const lasting = ['system-id', 'hostname'];

function rootOf(draft: Draft): WantedRow {
  const row = draft.existing.all('Open_vSwitch')[0];
  if (row !== undefined) return { table: 'Open_vSwitch', title: 'Open_vSwitch', reference: row._uuid, existing: row };
  throw new AgentError(
    'overlay-conflict',
    'the database of Open vSwitch is not set up, it has no row in Open_vSwitch',
    {
      hint: 'systemctl restart openvswitch (Debian: openvswitch-switch)',
    },
  );
}

/**
 * ovn-controller asks a central node that is silent for so long whether it is there, and connects anew when it is not. It is how one whose own address
 * has changed gets off a connection that can carry nothing any more. ovn-kubernetes takes 100 s, for hundreds of nodes.
 */
const remoteProbeMs = 10_000;

/** Keys that ovn-controller reads (ovn-controller(8)). */
function wantSettings(draft: Draft, root: WantedRow, { node, southbound, northbound, datapathType }: LocalFacts): void {
  const there = mapOf(root.existing, 'external_ids');
  const { gateway } = node;
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
    ...(gateway !== null && { 'ovn-bridge-mappings': mappings(there['ovn-bridge-mappings'] ?? '', gateway) }),
  };
  const before = (there[tagKeys.keys] ?? '').split(',').filter((key) => key !== '');
  // What pointed to another cluster points to none afterwards; mappings of others are left as they are.
  const isOwn = (key: string): boolean =>
    before.includes(key) || there[key] === undefined || (key !== 'ovn-bridge-mappings' && there[key] !== ids[key]);
  const own = Object.keys(ids).filter(isOwn);
  draft.want({
    table: root.table,
    title: root.title,
    existing: root.existing,
    columns: {
      external_ids: keys({ ...ids, [tagKeys.keys]: own.toSorted().join(',') }),
      other_config: keys({ 'bundle-idle-timeout': '180' }),
    },
    isShared: true,
    why: 'ovn-controller learns where the cluster is, and who this node is in it',
  });
}

/** Mappings of others stay; ours says where its network is. */
function mappings(before: string, { physicalNetwork, bridge }: OverlayGateway): string {
  const others = before.split(',').filter((entry) => entry !== '' && entry.split(':')[0] !== physicalNetwork);
  return [...others, `${physicalNetwork}:${bridge}`].join(',');
}

function hardwareAddress(draft: Draft, bridge: string): string | undefined {
  return mapOf(draft.existing.named('Bridge', bridge), 'other_config').hwaddr;
}

/** How the gateway's outside port meets the NIC: ovn-controller makes the way from ovn-bridge-mappings, older tools made it themselves. */
function wantUplink(
  draft: Draft,
  root: WantedRow,
  inside: WantedRow,
  facts: LocalFacts,
  gateway: OverlayGateway,
): void {
  const { layout, node } = facts;
  const { bridge: name, interface: nic } = gateway;
  const existing = draft.existing.named('Bridge', name);
  if (existing === null && nic === null) {
    throw new AgentError('overlay-conflict', `there is no bridge ${name} for the gateway`, {
      hint: name === 'br-ex' ? 'microshift-net apply makes br-ex' : `microshift-net bridge add makes it`,
      facts: { bridge: name },
    });
  }
  const outside =
    nic === null && existing !== null
      ? { table: 'Bridge', title: name, reference: existing._uuid, existing }
      : wantBridge(draft, root, name, facts, { other_config: keys({ hwaddr: gateway.mac }) });
  if (nic !== null) wantPort(draft, outside, nic, {});
  if (layout.naming === 'modern') return;
  const uplink = uplinkPort(layout.naming, node.name, gateway);
  const holder = draft.existing.all('Interface').find((row) => mapOf(row, 'external_ids')['iface-id'] === uplink);
  const [towards, back] = [`k8s-patch-br-int-${name}`, `k8s-patch-${name}-br-int`];
  if (holder !== undefined && holder.name !== towards) {
    draft.trace.push(`uplink=${uplink} is ${textOf(holder, 'name')} already`);
    return;
  }
  const patch = (peer: string, ids: Readonly<Record<string, string>>): Record<string, WantedColumn> => ({
    type: is('patch'),
    options: keys({ peer }),
    external_ids: keys(ids),
  });
  const tag: WrittenValue = gateway.vlan === null ? [] : [gateway.vlan];
  wantPort(draft, outside, back, patch(towards, {}), { tag: is(tag) });
  wantPort(draft, inside, towards, patch(back, { 'iface-id': uplink }));
}

/** Ports and bridges of ours that nobody wants any more. */
function removeOthers(draft: Draft, owner: string): void {
  const going = draft.existing.all('Bridge').filter((row) => isOwnedBy(row, owner) && !draft.isSettled(row));
  for (const row of going) {
    const strangers = draft.existing.referred(row, 'ports', 'Port').filter((port) => !isOwnedBy(port, owner));
    if (strangers.length > 0)
      draft.trace.push(`kept=${textOf(row, 'name')}, for ${textOf(strangers[0] ?? null, 'name')}`);
    else draft.remove('Bridge', row, textOf(row, 'name'), 'nothing of the cluster needs it any more');
  }
  const ports = draft.existing.all('Port').filter((row) => isOwnedBy(row, owner) && !draft.isSettled(row));
  for (const row of ports) {
    const holder = draft.existing.holderOf(row);
    // A bridge's own interface goes with it, and stays with it.
    if (
      holder !== null &&
      (textOf(holder.row, 'name') === row.name || (draft.isSettled(holder.row) && going.includes(holder.row)))
    )
      continue;
    draft.remove('Port', row, textOf(row, 'name'), 'nothing of the cluster needs it any more');
  }
}
