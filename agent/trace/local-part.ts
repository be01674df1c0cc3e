import type { TraceOutput, TracePacket, TracePart, TraceStation, TraceWay } from '../model/overlay-trace.ts';
import type { DatabaseRow, DatabaseRows } from '../model/rows.ts';
import { indexRows, mapOf, type RowIndex, textOf } from '../overlay/rows/row-index.ts';
import { portsOfMetadata } from './crossing.ts';
import { isPortToVtep } from './in-vxlan.ts';
import type { LogicalNetwork } from './logical-network.ts';
import { type OpenFlowOutput, parseOpenFlowTrace } from './openflow-trace.ts';
import { openFlow, type TunnelKeys, withDestination } from './packet.ts';
import type { RuleBook } from './rules.ts';

/** Integration bridge of ovn-controller (ovn-controller(8)). */
const integration = 'br-int';
/** Types of tunnel ports. */
const tunnels: ReadonlySet<string> = new Set(['geneve', 'vxlan', 'stt']);

/** Columns of Open_vSwitch that a trace needs. */
export const switchColumns: Readonly<Record<string, readonly string[]>> = {
  Bridge: ['name', 'ports'],
  Port: ['name', 'interfaces'],
  Interface: ['name', 'type', 'ofport', 'options', 'external_ids'],
};

/** Request to this node's Open vSwitch for a trace: a packet and the device at which it enters. */
export interface LocalQuestion {
  /** Name of the device at which the packet enters; null if Open vSwitch has no such port. */
  readonly device: string | null;
  /** Packet as a flow for ofproto/trace; if the device is null, a text that names the missing port. */
  readonly flow: string;
}

/** Returns the requests to ofproto/trace, one for each time that the packet enters this node's Open vSwitch. */
export function localQuestions(
  way: TraceWay,
  node: string,
  network: LogicalNetwork,
  rows: DatabaseRows,
): readonly LocalQuestion[] {
  const { entry, stations } = way;
  const interfaces = portsOf(indexRows(rows), integration);
  const ask = (
    found: DatabaseRow | undefined,
    missing: string,
    packet: TracePacket,
    keys: TunnelKeys | null,
    ahead: readonly TraceStation[],
  ): LocalQuestion => {
    const ofport = textOf(found ?? null, 'ofport');
    if (found === undefined || !/^\d+$/.test(ofport)) return { device: null, flow: `${integration} has no ${missing}` };
    return { device: textOf(found, 'name'), flow: openFlow(ofport, decided(packet, ahead), keys) };
  };
  const isEntry = (row: DatabaseRow): boolean =>
    mapOf(row, 'external_ids')['iface-id'] === entry.port || isPatchOf(row, entry.port);
  // A packet of a peer in VXLAN has no port of its own in Open vSwitch, and the trace begins behind the tunnel.
  const first =
    entry.node === node && !isPortToVtep(network, entry.port)
      ? [ask(interfaces.find(isEntry), `port for ${entry.port}`, way.packet, null, stations)]
      : [];
  const arrivals = stations.flatMap((station, index) => {
    const ahead = stations.slice(index + 1);
    if (station.do === 'direct' && station.to === node) {
      const patch = interfaces.find((row) => isPatchOf(row, station.inPort));
      return ask(patch, `port for ${station.inPort}`, station.packet, null, ahead);
    }
    if (station.do !== 'cross' || station.crossing.to !== node) return [];
    const { crossing } = station;
    const sender = network.chassis.find((one) => one.node === crossing.from);
    const addresses = sender?.encaps.map(({ address }) => address) ?? [];
    const tunnel = interfaces.find(
      (row) => textOf(row, 'type') === crossing.encap && addresses.includes(mapOf(row, 'options').remote_ip ?? ''),
    );
    return ask(tunnel, `tunnel to ${crossing.from}`, crossing.packet, crossing, ahead);
  });
  return [...first, ...arrivals];
}

/**
 * Returns the packet for ofproto/trace, with the destination that the logical trace has chosen. ofproto/trace itself
 * neither computes the hash that selects a backend, nor finds the connection of a reply.
 */
function decided(packet: TracePacket, ahead: readonly TraceStation[]): TracePacket {
  const crossing = ahead.findIndex((station) => station.do === 'cross');
  const onNode = crossing === -1 ? ahead : ahead.slice(0, crossing);
  const chosen = onNode.find((station) => station.do === 'translate' && station.what === 'destination');
  return chosen?.do === 'translate' ? withDestination(packet, chosen.to) : packet;
}

/**
 * Returns true for the patch port of a localnet port. ovn-controller builds the name of a patch port from the names of
 * the two sides that it connects.
 */
function isPatchOf(row: DatabaseRow, localnet: string): boolean {
  return textOf(row, 'type') === 'patch' && textOf(row, 'name') === `patch-${integration}-to-${localnet}`;
}

/** Returns the result for a packet whose port is missing in Open vSwitch. */
export function withoutDevice({ flow }: LocalQuestion): TracePart {
  const drop = { cookie: '', flow: null };
  return { flow: '', device: null, outputs: [], learning: [], isForController: false, drop, remarks: [flow] };
}

/**
 * Reads the output of ofproto/trace. Adds the names of devices, switches, routers and logical ports to the numbers in
 * it.
 */
export function localPart(
  { device, flow }: LocalQuestion,
  text: string,
  { network, rules }: { readonly network: LogicalNetwork; readonly rules: RuleBook },
  rows: DatabaseRows,
): TracePart {
  const existing = indexRows(rows);
  const { outputs, learning, isForController, cookies, remarks } = parseOpenFlowTrace(text);
  const isGone = outputs.length > 0 || learning.length > 0 || isForController;
  const drop = isGone ? null : droppedBy(cookies, rules);
  const named = outputs.map((output) => namedOutput(output, existing, network));
  return { flow, device, outputs: named, learning, isForController, drop, remarks };
}

/**
 * Returns the flow that dropped the packet: the last flow that it matched. In releases with ACL tiers, the last flow
 * only carries out the action of an ACL from an earlier stage; in that case returns the flow of the ACL.
 */
function droppedBy(cookies: readonly string[], rules: RuleBook): TracePart['drop'] {
  const met = cookies.map((cookie) => ({ cookie, flow: rules.flow(cookie) }));
  const last = met.at(-1) ?? { cookie: '', flow: null };
  const [, stage] = /^(\w+_acl\w*)_action$/.exec(last.flow?.stage ?? '') ?? [];
  const decided = met.findLast(({ flow }) => stage !== undefined && flow?.stage === `${stage}_eval`);
  return decided?.flow?.rule ? decided : last;
}

function namedOutput(
  { bridge, port, ...keys }: OpenFlowOutput,
  existing: RowIndex,
  network: LogicalNetwork,
): TraceOutput {
  const row = portsOf(existing, bridge).find((one) => textOf(one, 'ofport') === String(port)) ?? null;
  const type = textOf(row, 'type');
  const common = { bridge, device: textOf(row, 'name') || `port ${port}` };
  if (!tunnels.has(type)) {
    const none = { address: null, tunId: null, metadata: null, datapath: null, inPort: null, outPort: null };
    return { ...common, kind: type === 'patch' ? 'patch' : 'port', ...none };
  }
  if (mapOf(row, 'options').remote_ip === 'flow') {
    // ovn-controller sends packets to the VTEPs of peers by this port. Their VNI is not the tunnel key of a datapath.
    const none = { metadata: null, datapath: null, inPort: null, outPort: null };
    return { ...common, kind: 'tunnel', address: keys.remote, tunId: keys.tunId, ...none };
  }
  const isVxlan = type === 'vxlan';
  const datapathKey = isVxlan ? (keys.tunId ?? 0) % 4096 : keys.tunId;
  const { inKey, outKey } = isVxlan
    ? { inKey: 0, outKey: Math.floor((keys.tunId ?? 0) / 4096) }
    : portsOfMetadata(keys.metadata ?? 0);
  const within = network.ports.filter(({ datapath }) => datapath.key === datapathKey);
  return {
    ...common,
    kind: 'tunnel',
    address: mapOf(row, 'options').remote_ip ?? null,
    tunId: keys.tunId,
    metadata: isVxlan ? null : keys.metadata,
    datapath: within[0]?.datapath.name ?? null,
    inPort: within.find(({ key }) => key === inKey)?.name ?? null,
    outPort: within.find(({ key }) => key === outKey)?.name ?? null,
  };
}

function portsOf(existing: RowIndex, bridge: string): readonly DatabaseRow[] {
  const ports = existing.referred(existing.named('Bridge', bridge), 'ports', 'Port');
  return ports.flatMap((port) => existing.referred(port, 'interfaces', 'Interface'));
}
