import type { TraceEnd, TracePacket, TracePlace, TraceStation, TraceWay } from '../model/overlay-trace.ts';
import { type Leg, type LegFacts, type LegStart, readLeg, type Translation } from './leg.ts';
import type { Chassis, LogicalPort } from './logical-network.ts';
import { parseOvnTrace } from './ovn-trace.ts';
import { readStep } from './trace-steps.ts';

/**
 * Largest number of runs of ovn-trace for one packet. A trace through a few switches and routers takes a few runs. A
 * packet whose trace takes more runs is assumed to be in a loop.
 */
const mostLegs = 16;

/** Trace in progress. */
export interface WayInProgress {
  readonly facts: LegFacts;
  readonly entry: LegStart;
  readonly legs: readonly Leg[];
}

export function beginWay(
  facts: LegFacts,
  inPort: LogicalPort,
  chassis: Chassis | null,
  packet: TracePacket,
): WayInProgress {
  return { facts, entry: { inPort, packet, chassis, seen: [], forcedBy: null, reportedUpTo: -1 }, legs: [] };
}

/** Returns the start of the next run of ovn-trace; null if the trace is complete. */
export function nextStart({ entry, legs }: WayInProgress): LegStart | null {
  const last = legs.at(-1);
  if (last === undefined) return entry;
  return 'inPort' in last.outcome && legs.length < mostLegs ? last.outcome : null;
}

/** Adds the output of a run of ovn-trace to the trace. */
export function continueWay(way: WayInProgress, start: LegStart, text: string): WayInProgress {
  return { ...way, legs: [...way.legs, readLeg(way.facts, start, parseOvnTrace(text), readStep)] };
}

/** Returns the complete trace. */
export function wayOf({ entry, legs }: WayInProgress): TraceWay {
  const last = legs.at(-1);
  const stations: readonly TraceStation[] = legs.flatMap((leg) => leg.stations);
  const outcome = last?.outcome;
  const { name: where } = entry.inPort.datapath;
  const circle: TraceEnd = { how: 'circles', where };
  const end = outcome === undefined || 'inPort' in outcome ? circle : outcome;
  const packet = last?.packet ?? entry.packet;
  return { packet: entry.packet, entry: placeOf(entry), stations, end, last: packet };
}

function placeOf({ inPort, chassis }: LegStart): TracePlace {
  const { kind, name } = inPort.datapath;
  return { kind, name, port: inPort.name, node: chassis?.node ?? null };
}

/** Returns the translations that a reply reverses, the last one first. */
export function translationsOf({ stations }: TraceWay): readonly Translation[] {
  return stations.filter((station) => station.do === 'translate').toReversed();
}

/** Returns the reply to a packet, as its receiver sends it. */
export function answerTo({ packet, last }: TraceWay): TracePacket {
  return {
    ...last,
    ethSource: last.ethDestination,
    ethDestination: last.ethSource,
    source: last.destination,
    destination: last.source,
    sourcePort: last.destinationPort,
    destinationPort: last.sourcePort,
    ttl: packet.ttl,
    isReply: true,
  };
}
