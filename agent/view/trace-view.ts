import type {
  TraceCrossing,
  TracedWay,
  TraceEnd,
  TraceFlow,
  TraceOutput,
  TracePacket,
  TracePart,
  TraceResult,
  TraceRule,
  TraceStation,
} from '../model/overlay-trace.ts';
import { joinLines, type Style } from './style.ts';

/**
 * Returns true if the packet and its reply arrive, and Open vSwitch of this node drops neither of them. A packet whose
 * path ovn-trace cannot follow to the end counts as arrived if this node's Open vSwitch has results for it.
 */
export function isThrough({ there, back }: TraceResult): boolean {
  return [there, ...(back === null ? [] : [back])].every(arrives);
}

function arrives({ end, here }: TracedWay): boolean {
  const isLeft = end.how === 'incomplete' && here.length > 0;
  return (isLeft || isGood(end)) && here.every(({ drop }) => drop === null);
}

function isGood({ how }: TraceEnd): boolean {
  return how === 'delivered' || how === 'outside' || how === 'answered' || how === 'vxlan';
}

/** Returns the path of a packet as text, with a line for each decision. */
export function traceText(result: TraceResult, style: Style): string {
  const { question, there, back, node } = result;
  return joinLines([
    style(
      'bold',
      `From ${ended(question.source, there.packet.source)} to ${ended(question.destination, there.packet.destination)}, ${service(there.packet)}:`,
    ),
    ...wayLines(there, node, style),
    ...(back === null ? [] : [style('bold', 'Reply:'), ...wayLines(back, node, style)]),
    ...elsewhere(result),
  ]);
}

function ended(name: string, address: string): string {
  return name === address ? name : `${name} (${address})`;
}

function service({ protocol, destinationPort }: TracePacket): string {
  return destinationPort === null ? protocol : `${protocol} port ${destinationPort}`;
}

function wayLines(way: TracedWay, node: string, style: Style): string[] {
  const { entry, stations, end, here, last } = way;
  return [
    `  ${entry.kind} ${entry.name}, in by ${entry.port}${entry.node === null ? '' : ` on ${entry.node}`}`,
    ...stations.map(stationLine),
    `  ${style(isGood(end) ? 'green' : 'red', endText(end, last))}`,
    ...here.flatMap((part) => partLines(part, node, style)),
  ];
}

function stationLine(station: TraceStation): string {
  switch (station.do) {
    case 'enter':
      return `  ${station.kind} ${station.name}, in by ${station.port}`;
    case 'pass':
      return `    let through by ${ruleText(station.rule)}`;
    case 'translate': {
      const { what, from, to, rule, others, isReversed } = station;
      const by = isReversed ? 'connection tracking, which remembers it' : rule === null ? 'NAT' : ruleText(rule);
      const choice = others.length === 0 ? '' : `, one of ${others.length + 1}; the others: ${others.join(', ')}`;
      return `    ${what} ${from} becomes ${to} by ${by}${choice}`;
    }
    case 'route':
      return `    out by ${station.port}${station.nextHop === null ? '' : `, next hop ${station.nextHop}`}, ${routeText(station.flow)}`;
    case 'ask':
      return `    asks for the MAC of ${station.address}, which ${station.owner} has`;
    case 'cross':
      return `  ${crossingText(station.crossing)}`;
    case 'direct':
      return `  direct route from ${station.from} to ${station.to} over the LAN, without a tunnel, in by ${station.inPort}`;
  }
}

function routeText({ rule, match }: TraceFlow): string {
  if (rule === null) return `for ${match}`;
  const owner = rule.name === '' ? '' : ` of ${rule.name}`;
  return `by ${rule.table === 'Logical_Router_Policy' ? 'policy' : 'route'} ${rule.says}${owner}`;
}

/**
 * Returns a row of OVN as text: its name (or that of the object from which the row was made), its table with the
 * beginning of its UUID, and its content. An empty name or content is left out.
 */
function ruleText({ table, id, name, says }: TraceRule): string {
  const row = `${table} ${id}`;
  if (name === '') return says === '' ? row : `${row} (${says})`;
  return `${name} (${row}${says === '' ? '' : `, ${says}`})`;
}

/** Returns the row from which a logical flow was made, as text; without such a row, the flow itself. */
function flowText(flow: TraceFlow | null): string {
  if (flow === null) return 'no flow, which no packet passes';
  return flow.rule === null ? `stage ${flow.stage} (${flow.match})` : ruleText(flow.rule);
}

function crossingText({ from, to, encap, address, ...keys }: TraceCrossing): string {
  return `tunnel from ${from} to ${to}, ${encap} to ${address}, ${keysText(keys)}`;
}

function keysText({
  tunId,
  metadata,
  datapath,
  inPort,
  outPort,
}: Omit<TraceOutput, 'bridge' | 'device' | 'kind' | 'address'>): string {
  const ports = metadata === null ? `to ${outPort}` : `from ${inPort} to ${outPort}`;
  const option = metadata === null ? '' : `, tun_metadata0 0x${metadata.toString(16)}`;
  return `tun_id ${tunId}${option}: ${datapath}, ${ports}`;
}

function endText(end: TraceEnd, { source, destination }: TracePacket): string {
  switch (end.how) {
    case 'delivered':
      return `Delivered to ${end.port}${end.node === null ? '' : ` on ${end.node}`}, from ${source}.`;
    case 'outside':
      return `Leaves the cluster by ${end.port}${end.node === null ? '' : ` on ${end.node}`}, from ${source} to ${destination}.`;
    case 'vxlan':
      return `Leaves ${end.node ?? 'the cluster'} in VXLAN to ${end.address} with VNI ${end.vni}, for the peer ${end.peer}, from ${source} to ${destination}. ovn-trace follows it no further.`;
    case 'answered':
      return `Answered by router ${end.router} itself.`;
    case 'unanswered':
      return `Not sent: ${end.router} does not know the MAC of ${end.address} and asks for it by ${end.port}. Send one packet and trace again; if the result is the same, no host has that address.`;
    case 'unbound':
      return `Not delivered: ${end.port} is on no node.`;
    case 'circles':
      return `Dropped after a while: it is in a loop, back to ${end.where}.`;
    case 'incomplete':
      return `ovn-trace follows it no further than ${end.where}, which has to find the connection that it belongs to.`;
    default:
      return `${end.how === 'dropped' ? 'Dropped' : 'Rejected'} by ${flowText(end.flow)}${
        end.how === 'rejected' && end.flow?.rule?.table === 'Load_Balancer' ? ', which has no backend' : ''
      }, on ${end.where}.`;
  }
}

/** Returns the decisions of this node's Open vSwitch about a packet, as lines of text. */
function partLines(
  { device, outputs, learning, isForController, drop, remarks }: TracePart,
  node: string,
  style: Style,
): string[] {
  if (device === null) return [`  Open vSwitch of ${node}: ${style('red', remarks.join(', '))}`];
  const dropped =
    drop === null
      ? []
      : [style('red', `dropped by ${drop.flow === null ? `flow 0x${drop.cookie}` : flowText(drop.flow)}`)];
  const lines = [
    ...outputs.map(outputText),
    ...learning.map((bridge) => `${bridge} forwards it by what it has learned`),
    ...(isForController && outputs.length === 0 ? ['to ovn-controller, which answers it or asks'] : []),
    ...dropped,
    ...remarks.map((remark) => style('yellow', remark)),
  ];
  return [`  Open vSwitch of ${node}: in by ${device}`, ...lines.map((line) => `    ${line}`)];
}

function outputText(output: TraceOutput): string {
  const { device, kind, address, bridge } = output;
  if (kind === 'tunnel' && output.datapath === null && output.metadata === null)
    return `out by ${device}, in VXLAN to ${address}, VNI ${output.tunId}`;
  if (kind === 'tunnel') return `out by ${device}, the tunnel to ${address}, ${keysText(output)}`;
  return kind === 'patch' ? `out of ${bridge} by ${device}` : `out by ${device}`;
}

/** Returns the commands that show the parts of the path which this node cannot see. */
function elsewhere({ question, there, back, node }: TraceResult): string[] {
  const ways = back === null ? [there] : [there, back];
  const crossings = ways.flatMap(crossingsOf);
  const direct = ways.flatMap(({ stations }) => stations.flatMap((one) => (one.do === 'direct' ? [one.to] : [])));
  const nodes = [...ways.map(({ entry }) => entry.node), ...crossings.map(({ to }) => to), ...direct];
  const others = [...new Set(nodes)].filter((one) => one !== null && one !== node);
  if (others.length === 0) return [];
  const { protocol, port, source, destination, fromNode } = question;
  const options = [
    ...(protocol === 'icmp' ? [] : [`--${protocol} ${port}`]),
    ...(fromNode === null ? [] : [`--from-node ${fromNode}`]),
    ...(back === null ? [] : ['--back']),
  ];
  const command = ['microshift-net overlay trace', source, destination, ...options].join(' ');
  return [
    `Open vSwitch of ${others.join(' and ')} can be asked there: ${command}`,
    ...crossingsOf(there)
      .filter(({ to }) => to !== node)
      .map(
        ({ from, to, flow }) =>
          `  or, on ${to}, TUNNEL being its port to ${from}: ovs-appctl ofproto/trace br-int ${flow}`,
      ),
  ];
}

function crossingsOf({ stations }: TracedWay): readonly TraceCrossing[] {
  return stations.flatMap((station) => (station.do === 'cross' ? station.crossing : []));
}
