import type { TransactionState } from './journal.ts';

/**
 * Result of the last run of this boot, which is written to status.json and from which metrics.prom is made. Plain JSON.
 */
export interface RunRecord {
  readonly format: 1;
  /** Command line of the run: `apply --boot`, `undo 2026…`. */
  readonly command: string;
  readonly agentVersion: string;
  /** End of the run, ISO 8601 in UTC. */
  readonly at: string;
  readonly tookMs: number;
  readonly outcome: RunOutcome;
  /** Failure of the run; null if it succeeded. */
  readonly error: RunFailure | null;
  /**
   * Number of differences from the desired state that the run found before it changed anything; null if the run failed
   * before the comparison.
   */
  readonly differences: number | null;
  /** Bridges of the agent after the run, as far as they are known. */
  readonly bridges: readonly { readonly bridge: string; readonly uplink: string | null }[];
  /** Last transaction of this boot; null before the first one. */
  readonly transaction: TransactionRecord | null;
  /** Number of runs since the boot, by outcome. */
  readonly runs: Readonly<Record<RunOutcome, number>>;
  /** Number of rollbacks of failed transactions since the boot. */
  readonly rollbacks: number;
}

export interface RunFailure {
  readonly kind: string;
  /** All failures in one sentence. */
  readonly message: string;
  readonly exitCode: number;
  /** Failures in the order in which they happened: first that of the change, then those of its rollback. */
  readonly failures: readonly { readonly kind: string; readonly message: string }[];
}

export type RunOutcome = 'unchanged' | 'changed' | 'failed';

export interface TransactionRecord {
  readonly id: string;
  readonly state: TransactionState;
  readonly at: string;
  /** Duration in ms; null if the run crashed, so that the duration is not known. */
  readonly tookMs: number | null;
  /**
   * Expected outage in ms as the plan predicted it; null if the run crashed. The agent cannot measure the outage; only
   * another host could.
   */
  readonly expectedOutageMs: number | null;
}

/** Result of a transaction that has not failed. */
export interface TransactionResult {
  readonly id: string;
  readonly state: 'committed' | 'awaiting-confirm';
  readonly confirmUntil: string | null;
  readonly stepTimesMs: readonly number[];
}
