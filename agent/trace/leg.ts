import type { TraceEnd, TraceFlow, TracePacket, TraceRule, TraceStation } from '../model/overlay-trace.ts';
import { crossingOf } from './crossing.ts';
import { sentInVxlan } from './in-vxlan.ts';
import type { Chassis, LogicalNetwork, LogicalPort } from './logical-network.ts';
import type { TraceItem, TraceStep } from './ovn-trace.ts';
import { endpoint, hasPort, isEndpoint, withDestination, withSource } from './packet.ts';
import { isAclStage, type RuleBook } from './rules.ts';

/**
 * Start of one run of ovn-trace. ovn-trace does not know the state of connection tracking and of neighbours, so a trace
 * may need several runs.
 */
export interface LegStart {
  readonly inPort: LogicalPort;
  readonly packet: TracePacket;
  readonly chassis: Chassis | null;
  /**
   * Ports that the packet has passed in earlier runs, each with the packet's addresses at that port, to detect a loop.
   */
  readonly seen: readonly string[];
  /**
   * Load balancer that has forwarded the packet, if its router must also change the packet's source; otherwise null.
   */
  readonly forcedBy: TraceRule | null;
  /**
   * Number of the last step that earlier runs have reported in the pipeline at which this run starts; -1 if there is no
   * such step.
   */
  readonly reportedUpTo: number;
}

/** Result of one run of ovn-trace: an end, or the start of the next run. */
export interface Leg {
  readonly stations: readonly TraceStation[];
  readonly packet: TracePacket;
  readonly chassis: Chassis | null;
  readonly outcome: TraceEnd | LegStart;
}

/** Translation of the request's source or destination, which the reply reverses. */
export type Translation = Extract<TraceStation, { do: 'translate' }>;

export interface LegFacts {
  readonly network: LogicalNetwork;
  readonly rules: RuleBook;
  readonly undo: readonly Translation[];
}

/** State of the packet while its steps are read. */
export interface Progress {
  readonly facts: LegFacts;
  readonly stations: TraceStation[];
  packet: TracePacket;
  chassis: Chassis | null;
  inPort: LogicalPort;
  outPort: LogicalPort | null;
  /**
   * Chassis port (type chassisredirect) of the distributed router port by which the packet leaves; null for other
   * ports.
   */
  redirect: LogicalPort | null;
  nextHop: string | null;
  reportedUpTo: number;
  forcedBy: TraceRule | null;
  seen: readonly string[];
  /** ACL that the packet has matched last. A later stage may carry out the action of this ACL. */
  acl: TraceRule | null;
  step: TraceStep | null;
  /** First drop of a copy of the packet. It is the end of the trace only if no other copy is delivered. */
  drop: TraceEnd | null;
  outcome: TraceEnd | LegStart | null;
}

type ReadStep = (progress: Progress, step: TraceStep) => void;

/** Reads the output of one run of ovn-trace. */
export function readLeg(facts: LegFacts, start: LegStart, items: readonly TraceItem[], readStep: ReadStep): Leg {
  const progress: Progress = {
    ...start,
    facts,
    stations: [],
    outPort: null,
    redirect: null,
    nextHop: null,
    acl: null,
    step: null,
    drop: null,
    outcome: null,
  };
  items.forEach((item, index) => {
    if (progress.outcome !== null) return;
    if (item.item === 'section') readSection(progress, item.title);
    else if (item.item === 'step') {
      progress.step = item;
      readStep(progress, item);
    } else if (item.direction === 'ingress') enter(progress, item.inPort, index === 0);
    else leave(progress, item.outPort);
  });
  const { stations, packet, chassis, outcome, drop } = progress;
  return { stations, packet, chassis, outcome: outcome ?? drop ?? unfinished(progress) };
}

/**
 * Returns the result for a packet that the last step drops or rejects: the flow, its rule, and the switch or router. A
 * packet for a peer in VXLAN is not dropped there, although ovn-trace shows a drop: only ovn-controller knows the VTEPs
 * (utilities/ovn-trace.c, OVNACT_GET_REMOTE_FDB).
 */
export function droppedAt(progress: Progress, how: 'dropped' | 'rejected'): TraceEnd {
  const { step, acl, inPort, facts, packet, chassis } = progress;
  const isUnknown = how === 'dropped' && step?.stage === 'ls_in_l2_unknown';
  const { name } = inPort.datapath;
  const sent = isUnknown ? sentInVxlan(facts.network, name, packet.ethDestination, chassis?.node ?? null) : null;
  if (sent !== null) return sent;
  const flow = step === null ? null : flowOf(progress);
  const rule = flow?.rule ?? (isAclStage(step?.stage ?? '') ? acl : null);
  return { how, flow: flow && { ...flow, rule }, where: inPort.datapath.name };
}

/** Returns the flow of the last step, as in the database; null if no flow matched. */
export function flowOf({ facts, step }: Progress): TraceFlow | null {
  if (step === null || step.flow === '') return null;
  return facts.rules.flow(step.flow) ?? { stage: step.stage, match: step.match, rule: null };
}

/**
 * Returns the end of a trace for which ovn-trace has reported none. If a gateway router has to look up the connection
 * of the packet in the last step, ovn-trace has stopped there without a message, and the end is `incomplete`. Otherwise
 * the packet was dropped in the last step.
 */
function unfinished(progress: Progress): TraceEnd {
  const isLookup = progress.step?.actions.at(-1) === 'ct_snat;';
  return isLookup ? { how: 'incomplete', where: progress.inPort.datapath.name } : droppedAt(progress, 'dropped');
}

function enter(progress: Progress, name: string, isFirst: boolean): void {
  const port = progress.facts.network.port(name);
  if (port === null) return;
  Object.assign(progress, { inPort: port, outPort: null, redirect: null, nextHop: null, acl: null });
  const { datapath, chassis } = port;
  if (!isFirst) {
    progress.reportedUpTo = -1;
    progress.forcedBy = null;
    progress.stations.push({
      do: 'enter',
      kind: datapath.kind,
      name: datapath.name,
      port: name,
      node: chassis?.node ?? null,
    });
  }
  const here = `${name} ${progress.packet.source} ${progress.packet.destination}`;
  if (!isFirst && progress.seen.includes(here)) progress.outcome = { how: 'circles', where: datapath.name };
  else reverseTranslations(progress);
  progress.seen = [...progress.seen, here];
}

/** Reverses the translations of the request, as connection tracking does for a reply. */
function reverseTranslations(progress: Progress): void {
  const { inPort, packet, facts, chassis, stations } = progress;
  const [where, kind] = [inPort.datapath.name, inPort.datapath.kind];
  for (const done of facts.undo.filter((one) => one.where === where && one.kind === kind)) {
    const back = {
      do: 'translate',
      from: done.to,
      to: done.from,
      others: [],
      isReversed: true,
      rule: null,
      where,
      kind,
    } as const;
    if (done.what === 'destination' && endpoint(packet.source, packet.sourcePort) === done.to) {
      stations.push({ ...back, what: 'source' });
      progress.packet = withSource(packet, done.from);
    } else if (done.what === 'source' && packet.destination === done.to) {
      stations.push({ ...back, what: 'destination' });
      progress.outcome = {
        inPort,
        packet: { ...packet, destination: done.from },
        chassis,
        seen: progress.seen,
        forcedBy: null,
        reportedUpTo: -1,
      };
      return;
    }
  }
}

function leave(progress: Progress, name: string): void {
  const { facts, redirect, chassis, inPort, packet } = progress;
  const port = facts.network.port(name);
  if (port === null) return;
  progress.acl = null;
  progress.outPort = port;
  if (forceSource(progress)) {
    goOn(progress, port, progress.packet);
    return;
  }
  const target = redirect ?? port;
  const isCarried = ['l3gateway', 'chassisredirect'].includes(target.type);
  if (isCarried && target.chassis === null) {
    progress.outcome = { how: 'unbound', port: target.name };
    return;
  }
  const to = ['patch', 'localnet'].includes(target.type) ? null : target.chassis;
  if (to === null || chassis === null || to === chassis) return;
  progress.stations.push({ do: 'cross', crossing: crossingOf(chassis, to, inPort, target, packet) });
  progress.chassis = to;
}

/** Handles a section of ovn-trace's output between two steps. */
function readSection(progress: Progress, title: string): void {
  const [, what, to] = /^ct_[sd]nat\w*\(ip[46]\.(src|dst)=([^)]*)\)/.exec(title) ?? [];
  if (to !== undefined)
    translate(progress, what === 'src' ? 'source' : 'destination', to, [], flowOf(progress)?.rule ?? null);
  else if (title === 'arp' || title === 'nd_ns') ask(progress);
  else if (/^(icmp[46]|tcp_reset|sctp_abort)/.test(title)) progress.outcome = droppedAt(progress, 'rejected');
}

/**
 * Changes the source or the destination of the packet to `to`. `others` are the alternatives between which OVN could
 * have chosen.
 */
export function translate(
  progress: Progress,
  what: Translation['what'],
  to: string,
  others: readonly string[],
  rule: TraceRule | null,
): void {
  const { packet, inPort } = progress;
  if (!isEndpoint(to)) return;
  const before =
    what === 'source' ? packet.source : endpoint(packet.destination, hasPort(to) ? packet.destinationPort : null);
  const { name: where, kind } = inPort.datapath;
  progress.stations.push({ do: 'translate', what, from: before, to, others, isReversed: false, rule, where, kind });
  progress.packet = what === 'source' ? withSource(packet, to) : withDestination(packet, to);
}

/**
 * Handles a router that resolves a neighbour. If the address belongs to another logical port, the answer is known. The
 * same holds if the MAC is in a row of Static_MAC_Binding, which ovn-trace does not read.
 */
function ask(progress: Progress): void {
  const { facts, nextHop, packet, outPort, inPort } = progress;
  const address = nextHop ?? packet.destination;
  const owner = facts.network.owner(address);
  const fixed = owner === null && outPort !== null ? facts.network.fixedMac(outPort.name, address) : null;
  if (fixed !== null && outPort?.mac != null && outPort.peer !== null) {
    goOn(progress, outPort, { ...packet, ethSource: outPort.mac, ethDestination: fixed });
    return;
  }
  const { name: router } = inPort.datapath;
  if (outPort?.mac == null || owner?.mac == null || outPort.peer === null) {
    // The chassisredirect port has the name of the router port with a prefix (ovn-sb(5), Port_Binding type
    // chassisredirect).
    const port = outPort?.type === 'chassisredirect' ? outPort.name.replace(/^cr-/, '') : (outPort?.name ?? '');
    progress.outcome = { how: 'unanswered', router, address, port };
    return;
  }
  progress.stations.push({ do: 'ask', router, address, owner: owner.name });
  forceSource(progress);
  goOn(progress, outPort, { ...progress.packet, ethSource: outPort.mac, ethDestination: owner.mac });
}

/**
 * Replaces the packet's source if the router does so for packets of its load balancer. Returns true if the source was
 * replaced.
 */
function forceSource(progress: Progress): boolean {
  const { facts, inPort, outPort, forcedBy, packet } = progress;
  const isSix = packet.source.includes(':');
  const source = forcedBy === null ? null : facts.rules.forcedSource(inPort.datapath.uuid, outPort?.name ?? '', isSix);
  if (source === null) return false;
  translate(progress, 'source', source, [], forcedBy);
  return true;
}

/** Starts the next run of ovn-trace behind a port, with the packet as it is there. */
function goOn(progress: Progress, outPort: LogicalPort, packet: TracePacket): void {
  const { facts, chassis, seen } = progress;
  const behind = facts.network.port(outPort.peer ?? '');
  if (behind === null) return;
  const { kind, name } = behind.datapath;
  progress.stations.push({ do: 'enter', kind, name, port: behind.name, node: null });
  progress.outcome = { inPort: behind, packet, chassis, seen, forcedBy: null, reportedUpTo: -1 };
}
