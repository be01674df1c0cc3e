import type { MissingPart } from '../../compare/manual-bridge.ts';
import type { PendingChange } from '../../compare/pending-change.ts';
import type { Change } from '../../compare/plan-changes.ts';
import type { ConfigWarning } from '../../model/config.ts';
import type { Difference, PlanNote, Step, UplinkChoice } from '../../model/plan.ts';
import { stepTitle } from '../../model/step-title.ts';
import type { DaemonFacts, TuningStep } from '../../model/tuning.ts';
import { type Block, onLink } from '../topology.ts';
import { tuningStepTitle } from '../tuning-view.ts';

/** One change: an object of the node, with its value before and after. */
export interface ChangeJson {
  /** Name of the changed object, as nmcli(1) or ovs-vsctl(8) has it. */
  readonly subject: string;
  /** Value before the change; null if the object does not exist then. */
  readonly before: string | null;
  /** Value after the change; null if the object does not exist then. */
  readonly after: string | null;
}

/** One difference between the node and its desired state. */
export interface DifferenceJson {
  readonly subject: string;
  readonly wanted: string;
  readonly observed: string;
}

/** A warning about a setting that works but is probably a mistake. */
export interface WarningJson {
  /** File and line of the setting. */
  readonly source: string;
  readonly message: string;
}

/** A remark for the administrator. */
export interface NoteJson {
  readonly level: 'info' | 'warning';
  readonly message: string;
}

/** One step of a run. */
export interface StepJson {
  readonly title: string;
  /** Reason for the step. */
  readonly why: string;
}

/** A change that is rolled back unless `confirm` keeps it. */
export interface PendingJson {
  /** Id of the transaction that made the change. */
  readonly id: string;
  readonly command: string;
  /** End of the time to confirm, in ISO 8601; null if it is not known. */
  readonly confirmUntil: string | null;
  /** `expired`: NetworkManager has rolled the change back, and no run has recorded that yet. */
  readonly state: 'waiting' | 'expired';
}

/** Choice of the uplink of br-ex. */
export interface UplinkJson {
  /** Name of the device; null for br-ex without a NIC. */
  readonly interface: string | null;
  /** Source of the choice, such as `ovn.yaml:3`. */
  readonly source: string;
  /** One line per decision, in the order of the decisions. */
  readonly decisions: readonly string[];
}

/** A bridge, or a NIC that is in no bridge. */
export interface DeviceJson {
  readonly name: string;
  readonly kind: 'bridge' | 'nic';
  readonly mac: string;
  /** MTU of the device in bytes; null if it is not known. */
  readonly mtu: number | null;
  /** Addresses of the device as `address/prefix`. */
  readonly addresses: readonly string[];
  /** Default routes through the device. */
  readonly gateways: readonly DefaultRouteJson[];
  /** Names of the ports of a bridge; empty for a NIC. */
  readonly ports: readonly string[];
}

/** A default route. */
export interface DefaultRouteJson {
  /** Address of the gateway; null if the destinations are on the link. */
  readonly via: string | null;
  /** Metric of the route; null if NetworkManager chooses it later. */
  readonly metric: number | null;
}

/** A requirement of ovn-kubernetes that a bridge built by hand lacks. */
export interface MissingJson {
  readonly what: string;
  /** Command for a shell that adds the missing part. */
  readonly fix: string;
}

/** A daemon of Open vSwitch. */
export interface DaemonJson {
  readonly name: 'ovs-vswitchd' | 'ovsdb-server';
  /** Process id; null if the daemon is not running. */
  readonly pid: number | null;
  /** CPU lists of the daemon's threads, each list once. */
  readonly cpus: readonly string[];
  readonly threads: number;
  /** Locked memory in KiB. */
  readonly lockedKib: number;
}

/** Returns changes for JSON. */
export function changesJson(changes: readonly Change[]): readonly ChangeJson[] {
  return changes.map(({ subject, before, after }) => ({ subject, before, after }));
}

/** Returns differences for JSON; each part of a difference is text for people. */
export function differencesJson(differences: readonly Difference[]): readonly DifferenceJson[] {
  return differences.map(({ subject, wanted, observed }) => ({ subject, wanted, observed }));
}

/** Returns warnings for JSON. */
export function warningsJson(warnings: readonly ConfigWarning[]): readonly WarningJson[] {
  return warnings.map(({ source, message }) => ({ source, message }));
}

/** Returns notes for JSON. */
export function notesJson(notes: readonly PlanNote[]): readonly NoteJson[] {
  return notes.map(({ level, message }) => ({ level, message }));
}

/** Returns the steps of a plan for JSON. A journal of another version may have a kind of step without a title. */
export function stepsJson(steps: readonly Step[]): readonly StepJson[] {
  return steps.map((step) => ({ title: stepTitle(step) ?? step.do, why: step.why }));
}

/** Returns the steps that tune the daemons of Open vSwitch for JSON. */
export function tuningStepsJson(steps: readonly TuningStep[]): readonly StepJson[] {
  return steps.map((step) => ({ title: tuningStepTitle(step), why: step.why }));
}

/** Returns the change that waits for confirmation, in its form for JSON; null if no change waits. */
export function pendingJson(pending: PendingChange | null): PendingJson | null {
  if (pending === null) return null;
  const { id, command, confirmUntil, state } = pending;
  return { id, command, confirmUntil, state };
}

/** Returns the choice of the uplink for JSON; null if the plan has made none. */
export function uplinkJson(choice: UplinkChoice | null): UplinkJson | null {
  return choice === null ? null : { interface: choice.interface, source: choice.source, decisions: [...choice.trace] };
}

/** Returns bridges and NICs for JSON. */
export function devicesJson(blocks: readonly Block[]): readonly DeviceJson[] {
  return blocks.map(({ name, kind, mac, mtuBytes: mtu, addresses, gateways, ports }) => ({
    name,
    kind,
    mac,
    mtu,
    addresses,
    gateways: gateways.map(defaultRouteJson),
    ports: ports.map((port) => port.name),
  }));
}

/** Returns a default route for JSON. Parses the text that drawings show, such as `192.0.2.1 metric 100`. */
function defaultRouteJson(gateway: string): DefaultRouteJson {
  const [via = '', metric] = gateway.split(' metric ');
  return { via: via === onLink ? null : via, metric: metric === undefined ? null : Number(metric) };
}

/** Returns missing parts of a bridge for JSON. */
export function missingJson(parts: readonly MissingPart[]): readonly MissingJson[] {
  return parts.map(({ what, fix }) => ({ what, fix }));
}

/** Returns daemons for JSON. */
export function daemonsJson(daemons: readonly DaemonFacts[]): readonly DaemonJson[] {
  return daemons.map(({ name, pid, threads, lockedKib }) => ({
    name,
    pid,
    cpus: [...new Set(threads.map((thread) => thread.cpus))],
    threads: threads.length,
    lockedKib,
  }));
}
