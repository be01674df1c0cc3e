import type { TransactionState } from './journal.ts';

/** What the last run of this boot came to: status.json, and what metrics.prom is made from. Plain JSON. */
export interface RunRecord {
  readonly format: 1;
  /** As it was called: `apply --boot`, `undo 2026…`. */
  readonly command: string;
  readonly agentVersion: string;
  /** When the run ended, ISO 8601 in UTC. */
  readonly at: string;
  readonly tookMs: number;
  readonly outcome: RunOutcome;
  /** null unless it failed. */
  readonly error: RunFailure | null;
  /** Differences from the wanted state that the run found before it mended them; null: it did not get that far. */
  readonly differences: number | null;
  /** Bridges of ours after the run, as far as they are known. */
  readonly bridges: readonly { readonly bridge: string; readonly uplink: string | null }[];
  /** The last transaction of this boot; null: there was none. */
  readonly transaction: TransactionRecord | null;
  /** Runs since the boot. */
  readonly runs: Readonly<Record<RunOutcome, number>>;
  /** Transactions since the boot that were taken back because they failed. */
  readonly rollbacks: number;
}

export interface RunFailure {
  readonly kind: string;
  /** All failures in one sentence. */
  readonly message: string;
  readonly exitCode: number;
  /** In the order in which they happened: the change's, then those of its rollback. */
  readonly failures: readonly { readonly kind: string; readonly message: string }[];
}

export type RunOutcome = 'unchanged' | 'changed' | 'failed';

export interface TransactionRecord {
  readonly id: string;
  readonly state: TransactionState;
  readonly at: string;
  /** null: the run died, nobody knows. */
  readonly tookMs: number | null;
  /** Predicted by the plan, not measured: only a neighbour could measure it. */
  readonly expectedOutageMs: number | null;
}
