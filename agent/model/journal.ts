import type { Plan, Wanted } from './plan.ts';

/** Directory of the transaction journals. */
export const journalDirectory = '/var/lib/microshift-net/tx';

/** States of a transaction. Only the last state in its journal counts. */
export const transactionStates = [
  'open',
  'committed',
  'awaiting-confirm',
  'confirmed',
  'reverted',
  'rolled-back',
  'interrupted',
  'not-restored',
] as const;
export type TransactionState = (typeof transactionStates)[number];

/** First line of a journal: the data that is known before the first change. */
export interface JournalHeader {
  readonly format: 1;
  readonly id: string;
  readonly command: string;
  readonly agentVersion: string;
  readonly startedAt: string;
  readonly bootId: string;
  readonly plan: Plan;
  /** Bridges of the agent before the run; `undo` restores them. */
  readonly previous: Wanted;
}

/** Line of a journal after the first one. */
export type JournalEvent =
  | { readonly event: 'checkpoint'; readonly path: string }
  | { readonly event: 'step'; readonly index: number; readonly tookMs: number }
  | {
      readonly event: 'state';
      readonly state: TransactionState;
      readonly at: string;
      /** Reason for the state: for a failed transaction, its first failure. */
      readonly detail: string | null;
      /**
       * Failure after the one in `detail`, such as a failure of the rollback. Absent or null if nothing else failed.
       */
      readonly later?: string | null;
      readonly confirmUntil?: string;
    };

/** A journal, as read from its file. */
export interface JournalRecord {
  readonly header: JournalHeader;
  readonly state: TransactionState;
  readonly stateAt: string;
  readonly detail: string | null;
  readonly later: string | null;
  readonly confirmUntil: string | null;
  readonly checkpoint: string | null;
  readonly stepTimesMs: readonly (number | null)[];
}
