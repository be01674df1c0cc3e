import type { Plan, Wanted } from './plan.ts';

/** Where transactions are written down. */
export const journalDirectory = '/var/lib/microshift-net/tx';

/** Where a transaction can stand. Only the last state in its journal counts. */
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

/** First line of a journal: everything that was known before anything was touched. */
export interface JournalHeader {
  readonly format: 1;
  readonly id: string;
  readonly command: string;
  readonly agentVersion: string;
  readonly startedAt: string;
  readonly bootId: string;
  readonly plan: Plan;
  /** Bridges of ours before the run, as they were; what `undo` goes back to. */
  readonly previous: Wanted;
}

/** A later line of a journal. */
export type JournalEvent =
  | { readonly event: 'checkpoint'; readonly path: string }
  | { readonly event: 'step'; readonly index: number; readonly tookMs: number }
  | {
      readonly event: 'state';
      readonly state: TransactionState;
      readonly at: string;
      /** Why it stands there: the first failure, of a transaction that failed. */
      readonly detail: string | null;
      /** Failure after the one in `detail`, such as that of the rollback. Absent or null if nothing else failed. */
      readonly later?: string | null;
      readonly confirmUntil?: string;
    };

/** A journal as read back. */
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
