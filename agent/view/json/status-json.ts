import type { JournalRecord } from '../../model/journal.ts';
import { isInCluster } from '../../model/missing-port.ts';
import type { Wanted } from '../../model/plan.ts';
import { overlayProblem, type StatusView } from '../status-view.ts';
import { observedTopology } from '../topology.ts';
import {
  type DaemonJson,
  type DeviceJson,
  type DifferenceJson,
  daemonsJson,
  devicesJson,
  differencesJson,
  type PendingJson,
  pendingJson,
  type StepJson,
  stepsJson,
  type WarningJson,
  warningsJson,
} from './parts-json.ts';

/** `status`: the state of the node. */
export interface StatusDocument {
  readonly command: 'status';
  /**
   * `problem`: a field of the name `problem` is not null in this document, in `openVSwitch` or in `overlay`, or
   * `warnings` is not empty. `awaiting-confirm`: a change waits for `confirm`, or was not confirmed in time. The rows
   * of the overlay are not compared.
   */
  readonly outcome: 'as-wanted' | 'drift' | 'awaiting-confirm' | 'problem';
  readonly devices: readonly DeviceJson[];
  readonly networkManager: NetworkManagerJson;
  readonly openVSwitch: OpenVSwitchJson;
  /** Newest transaction; null before the first one. */
  readonly lastTransaction: TransactionSummaryJson | null;
  /** State of this node in its overlay; null if the node is not in an overlay. */
  readonly overlay: OverlayPartJson | null;
  readonly pending: PendingJson | null;
  readonly differences: readonly DifferenceJson[];
  /** Reason why no plan can be made, or why the record of the overlay cannot be read; null if both are possible. */
  readonly problem: string | null;
  readonly warnings: readonly WarningJson[];
}

/** NetworkManager of the node. */
export interface NetworkManagerJson {
  readonly version: string;
  /** True if NetworkManager's plug-in for Open vSwitch is installed. */
  readonly ovsPlugin: boolean;
}

/** Open vSwitch of the node. */
export interface OpenVSwitchJson {
  /** Version of Open vSwitch; null if it is not known. */
  readonly version: string | null;
  /** Error of ovs-vswitchd; null if it answers. */
  readonly problem: string | null;
  readonly daemons: readonly DaemonJson[];
}

/** State of this node in its overlay. */
export interface OverlayPartJson {
  /** Name of the node in its cluster. */
  readonly node: string;
  readonly role: 'central' | 'member';
  /**
   * False if the central node has no management port for this member: the member was taken out of the cluster there, or
   * its rows are not written yet. Null if that is not known. Always null on the central node and on a node without pod
   * subnets.
   */
  readonly isInCluster: boolean | null;
  /** True if the daemon of the overlay is running. */
  readonly isRunning: boolean;
  /**
   * First of these faults: the central node has no management port for this member, or could not be asked;
   * ovn-controller is not running; the daemon is not running; the last error of the daemon. Null if none of them
   * exists.
   */
  readonly problem: string | null;
}

/** A transaction in a list. */
export interface TransactionSummaryJson {
  readonly id: string;
  readonly command: string;
  /** Start of the transaction, in ISO 8601. */
  readonly startedAt: string;
  /** Time of the last change of the transaction's state, in ISO 8601. */
  readonly stateAt: string;
  readonly state: TransactionStateJson;
  /** Reason for the state of the transaction; null if the state needs none. */
  readonly detail: string | null;
  /** Failure after the one in `detail`, such as that of a rollback; null if no other failure followed. */
  readonly later: string | null;
  /** Device that the plan chose for br-ex; null if it chose none. */
  readonly uplink: string | null;
}

/** State of a transaction. */
export type TransactionStateJson =
  | 'open'
  | 'committed'
  | 'awaiting-confirm'
  | 'confirmed'
  | 'reverted'
  | 'rolled-back'
  | 'interrupted'
  | 'not-restored';

/** `history` and `history TX`: the last transactions, or one. */
export type HistoryDocument = HistoryList | HistoryOfOne;

/** The last transactions, the newest first. */
export interface HistoryList {
  readonly command: 'history';
  readonly outcome: 'shown';
  readonly transactions: readonly TransactionSummaryJson[];
}

/** One transaction. */
export interface HistoryOfOne {
  readonly command: 'history';
  readonly outcome: 'shown';
  readonly transaction: TransactionDetailJson;
}

/** A transaction with its steps. */
export interface TransactionDetailJson extends TransactionSummaryJson {
  /** Version of the program that ran the transaction. */
  readonly agentVersion: string;
  /** End of the time to confirm, in ISO 8601; null if the change needs no confirmation. */
  readonly confirmUntil: string | null;
  /** Bridges of the agent before the transaction. */
  readonly before: readonly BridgeUseJson[];
  /** Bridges of the agent that the transaction aimed at. */
  readonly after: readonly BridgeUseJson[];
  readonly differences: readonly DifferenceJson[];
  readonly steps: readonly TimedStepJson[];
}

/** A bridge of the agent. */
export interface BridgeUseJson {
  readonly bridge: string;
  /** NIC of the bridge; null for a bridge without a NIC. */
  readonly uplink: string | null;
}

/** A step with its duration. */
export interface TimedStepJson extends StepJson {
  /** Duration in milliseconds; null if the step was not done. */
  readonly tookMs: number | null;
}

/** Returns the document of `status`. */
export function statusDocument(view: StatusView): StatusDocument {
  const { observation, vswitchd, last, overlay, pending, differences, problem, unknown } = view;
  const { networkManager, ovs, tuning } = observation;
  return {
    command: 'status',
    outcome: statusOutcome(view),
    devices: devicesJson(observedTopology(observation)),
    networkManager: { version: networkManager.version, ovsPlugin: networkManager.ovsPlugin },
    openVSwitch: { version: ovs.version, problem: vswitchd, daemons: daemonsJson(tuning?.daemons ?? []) },
    lastTransaction: last === null ? null : summaryJson(last),
    overlay: overlay && {
      node: overlay.node,
      role: overlay.role,
      isInCluster: isInCluster(overlay.membership),
      isRunning: overlay.isRunning,
      problem: overlayProblem(overlay),
    },
    pending: pendingJson(pending),
    differences: differencesJson(differences),
    problem,
    warnings: warningsJson(unknown),
  };
}

function statusOutcome(view: StatusView): StatusDocument['outcome'] {
  const { vswitchd, overlay, pending, differences, problem, unknown } = view;
  if (problem !== null || vswitchd !== null || unknown.length > 0) return 'problem';
  if (overlay !== null && overlayProblem(overlay) !== null) return 'problem';
  if (pending !== null) return 'awaiting-confirm';
  return differences.length === 0 ? 'as-wanted' : 'drift';
}

/** Returns the document of `history`. */
export function historyDocument(records: readonly JournalRecord[]): HistoryDocument {
  return { command: 'history', outcome: 'shown', transactions: records.map(summaryJson) };
}

/** Returns the document of `history TX`. `differences` are those of its plan, in words. */
export function transactionDocument(
  record: JournalRecord,
  differences: Parameters<typeof differencesJson>[0],
): HistoryDocument {
  const { header, confirmUntil, stepTimesMs } = record;
  const steps = stepsJson(header.plan.steps).map((step, index) => ({ ...step, tookMs: stepTimesMs[index] ?? null }));
  return {
    command: 'history',
    outcome: 'shown',
    transaction: {
      ...summaryJson(record),
      agentVersion: header.agentVersion,
      confirmUntil,
      before: bridgesJson(header.previous),
      after: bridgesJson(header.plan.wanted),
      differences: differencesJson(differences),
      steps,
    },
  };
}

function bridgesJson({ bridges }: Wanted): readonly BridgeUseJson[] {
  return bridges.map(({ bridge, uplink }) => ({ bridge, uplink: uplink?.interface ?? null }));
}

function summaryJson({ header, state, stateAt, detail, later }: JournalRecord): TransactionSummaryJson {
  const { id, command, startedAt, plan } = header;
  const uplink = plan.choice?.interface ?? null;
  return { id, command, startedAt, stateAt, state, detail, later, uplink };
}
