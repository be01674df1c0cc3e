/**
 * Table of the messages that are written to systemd's journal with a MESSAGE_ID. By this id, the journals of many nodes
 * can be searched for a message. An id never changes its meaning. systemd/microshift-net.catalog explains each id; a
 * test compares the two files.
 */
import type { AgentError } from '../errors.ts';

/** Priorities of syslog(3). */
const critical = 2;
const error = 3;
const warning = 4;
const notice = 5;

export const messageTable = {
  committed: { id: '69ff14a336aa43dabc291261793c4062', priority: notice },
  'rolled-back': { id: 'f24e8fc124104a9aa9972654ff68275d', priority: error },
  'not-restored': { id: '301c7ff4883042f1a277be0a2b0ce7c2', priority: critical },
  recovered: { id: 'c902bb9bbf854baaa845e7df8d242237', priority: warning },
  'uplink-changed': { id: 'b7fc8e8a0e4d4626b72fb8b94cfe05d2', priority: warning },
  'configuration-refused': { id: '38ef5a964b994f9aabeae7053c60539e', priority: error },
  'run-failed': { id: '3144fce3abf44a8eb11b5994c7caf508', priority: error },
} as const satisfies Record<string, { readonly id: string; readonly priority: number }>;

export type MessageKind = keyof typeof messageTable;

/** A message in systemd's journal, with a MESSAGE_ID. */
export interface Message {
  readonly kind: MessageKind;
  /** Text for people; may have several lines. */
  readonly text: string;
  /** Id of the transaction; null if the message is not about a transaction. */
  readonly transaction: string | null;
  /** Kind of the error that the message reports; absent if it reports no error. */
  readonly error?: string;
}

/** Returns the message of a failure. `text` is the failure as the command shows it. */
export function failureMessage(failure: AgentError, text: string): Message {
  const { transaction, ended } = failure.facts;
  return {
    kind: kindOfFailure(failure.kind, ended === 'rolled-back'),
    text,
    transaction: typeof transaction === 'string' ? transaction : null,
    error: failure.kind,
  };
}

function kindOfFailure(kind: AgentError['kind'], wasRolledBack: boolean): MessageKind {
  if (kind === 'not-restored') return kind;
  if (wasRolledBack) return 'rolled-back';
  return kind.startsWith('config-') ? 'configuration-refused' : 'run-failed';
}
