import { askDaemon } from '../../../drivers/ovn/control.ts';
import { openSwitchDatabase, type RowDatabase } from '../../../drivers/ovn/database.ts';
import { type ConnectionState, ovnTrace, type TraceDatabase } from '../../../drivers/ovn/run-ovn-trace.ts';
import { AgentError } from '../../../errors.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import type {
  TracedWay,
  TracePacket,
  TracePart,
  TraceQuestion,
  TraceResult,
  TraceWay,
} from '../../../model/overlay-trace.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import { vtepNames } from '../../../overlay/overlay-names.ts';
import { departureOf } from '../../../trace/ends.ts';
import { isPortToVtep } from '../../../trace/in-vxlan.ts';
import type { LegFacts } from '../../../trace/leg.ts';
import { localPart, localQuestions, switchColumns, withoutDevice } from '../../../trace/local-part.ts';
import {
  type Chassis,
  type LogicalNetwork,
  type LogicalPort,
  networkOf,
  southboundColumns,
} from '../../../trace/logical-network.ts';
import { microflow } from '../../../trace/packet.ts';
import { northboundColumns, ruleBook } from '../../../trace/rules.ts';
import { answerTo, beginWay, continueWay, nextStart, translationsOf, wayOf } from '../../../trace/way.ts';
import { tlsFiles } from '../certificates/pki-files.ts';
import { readColumns } from '../ovn/database-rows.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { requireRecord } from '../record/record.ts';
import { openFromHere } from './open-from-here.ts';
import { openCentral } from './planned-node.ts';

/**
 * Number of connection tracking results that are passed to `ofproto/trace` as options. ovs-vswitchd ignores the results
 * that the trace does not need.
 */
const mostLookups = 40;

/** Facts from which a packet is traced, and the database that ovn-trace reads; the same for both directions. */
interface Tracer {
  readonly facts: LegFacts;
  readonly database: TraceDatabase;
  readonly places: OverlayPlaces;
  readonly switchRows: DatabaseRows;
  /** Name of this node in the cluster. */
  readonly node: string;
  /** Node that the question names; null if it names none. */
  readonly fromNode: string | null;
}

/**
 * Traces a packet through OVN's logical network, and through Open vSwitch of this node. With `withBack`, also traces
 * the reply. Sends no packet and changes nothing.
 */
export async function traceOverlay(
  question: TraceQuestion,
  withBack: boolean,
  places: OverlayPlaces,
): Promise<TraceResult> {
  const record = requireRecord(places.record);
  const { southbound, northbound, switchRows, database } = await readAll(record, places);
  const network = networkOf(southbound);
  const facts = { network, rules: ruleBook(southbound, northbound), undo: [] };
  const node = network.chassis.find(({ name }) => name === record.node.systemId)?.node ?? record.node.name;
  const tracer = { facts, database, places, switchRows, node, fromNode: question.fromNode };
  const { inPort, packet } = departureOf(question, network, southbound);
  const there = await follow(tracer, inPort, packet, 'new');
  const answers = withBack ? answersAt(there, network) : null;
  const back =
    answers === null
      ? null
      : await follow(
          { ...tracer, facts: { ...facts, undo: translationsOf(there) } },
          answers,
          answerTo(there),
          'est,rpl',
        );
  return { question, node, there, back };
}

/** Returns the port at which the reply to a packet enters the logical network; null if the packet does not arrive. */
function answersAt({ end }: TraceWay, network: LogicalNetwork): LogicalPort | null {
  if (end.how === 'delivered' || end.how === 'outside') return network.port(end.port);
  return end.how === 'vxlan' ? network.port(vtepNames(end.peer).onRouter) : null;
}

/**
 * Returns the chassis at which a packet enters by a port. A packet of a peer in VXLAN enters at the chassis to which
 * the peer sends it: the one that the question names, or else that of this node.
 */
function chassisAt(inPort: LogicalPort, { facts: { network }, node, fromNode }: Tracer): Chassis | null {
  if (!isPortToVtep(network, inPort.name)) return network.carrier(inPort);
  return network.chassis.find((one) => one.node === (fromNode ?? node)) ?? null;
}

async function readAll(record: OverlayRecord, places: OverlayPlaces) {
  const open: RowDatabase[] = [];
  const opened = async (one: Promise<RowDatabase>): Promise<RowDatabase> => {
    const database = await one;
    open.push(database);
    return database;
  };
  try {
    const isCentral = record.members !== null;
    const tls = isCentral ? null : tlsFiles(places.pki);
    const below = await opened(
      isCentral ? openCentral('OVN_Southbound', places) : openFromHere(record.southbound, places.pki),
    );
    const above = isCentral ? await opened(openCentral('OVN_Northbound', places)) : null;
    return {
      database: { remote: below.server, tls },
      southbound: await readColumns(below, southboundColumns),
      northbound: above === null ? null : await readColumns(above, northboundColumns),
      switchRows: await readColumns(await opened(openSwitchDatabase(places.ovsRun)), switchColumns),
    };
  } finally {
    for (const database of open) database.close();
  }
}

/**
 * Traces one direction. Runs ovn-trace again from each point at which one run cannot continue, such as a neighbour
 * resolution (agent/trace/leg.ts).
 */
async function follow(
  tracer: Tracer,
  inPort: LogicalPort,
  packet: TracePacket,
  state: ConnectionState,
): Promise<TracedWay> {
  const { facts, database } = tracer;
  const chassis = chassisAt(inPort, tracer);
  if (chassis === null)
    throw new AgentError('check-failed', `${inPort.name} is not on any node, so no packet can leave it`, {
      hint: 'look at `microshift-net overlay nodes` on the central node',
    });
  let way = beginWay(facts, inPort, chassis, packet);
  for (let start = nextStart(way); start !== null; start = nextStart(way)) {
    const { datapath, name } = start.inPort;
    way = continueWay(way, start, await ovnTrace(database, datapath.uuid, microflow(name, start.packet), state));
  }
  const whole = wayOf(way);
  return { ...whole, here: await lookHere(tracer, whole, state) };
}

/**
 * Returns the decisions of this node's Open vSwitch about the packet, one for each time that the packet passes this
 * node.
 */
async function lookHere(
  { facts, places, switchRows, node }: Tracer,
  way: TraceWay,
  state: ConnectionState,
): Promise<TracePart[]> {
  const parts: TracePart[] = [];
  const tracked = Array.from({ length: mostLookups }, () => ['--ct-next', `trk,${state}`]).flat();
  for (const question of localQuestions(way, node, facts.network, switchRows)) {
    if (question.device === null) {
      parts.push(withoutDevice(question));
      continue;
    }
    const text = await askDaemon('ovs-vswitchd', [places.ovsRun], 'ofproto/trace', [
      ...tracked,
      'br-int',
      question.flow,
    ]);
    if (text === null)
      throw new AgentError('vswitchd-not-responding', 'ovs-vswitchd is not running on this node', {
        hint: 'look at systemctl status ovs-vswitchd',
      });
    parts.push(localPart(question, text, facts, switchRows));
  }
  return parts;
}
