import { type AgentError, type ErrorFacts, errorTable } from '../../errors.ts';
import { causeMessages, failuresOf } from '../../failures.ts';

/** Document of a command that has failed. It replaces the document of the command itself. */
export interface ErrorDocument {
  /** Command as it was typed, without options and arguments; null if the words name no command. */
  readonly command: string | null;
  readonly outcome: 'error';
  readonly error: ErrorJson;
}

/** A failure. */
export interface ErrorJson extends FailureJson {
  readonly exitCode: number;
  /** True if the same command can succeed later with the same options and configuration. */
  readonly retryable: boolean;
  /**
   * Facts about the failure, without internal names. docs/use/troubleshooting.md names, for each kind, those on which a
   * program can rely.
   */
  readonly facts: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
  /** Messages of the errors that caused the failure, the nearest first. */
  readonly causes: readonly string[];
  /** Every failure of the run in the order in which they happened; the first one determines the exit code. */
  readonly failures: readonly FailureJson[];
}

/** Kind, message and instruction of a failure. */
export interface FailureJson {
  /** Kind of the failure, which is also a heading of docs/use/troubleshooting.md. */
  readonly kind: string;
  readonly message: string;
  /** Instruction for the administrator; null if the error has none. */
  readonly hint: string | null;
}

/** Returns the document of a failed command; `command` is null if the words name no command. */
export function errorDocument(error: AgentError, command: string | null): ErrorDocument {
  return {
    command,
    outcome: 'error',
    error: {
      ...failureJson(error),
      exitCode: errorTable[error.kind].exitCode,
      retryable: errorTable[error.kind].retryable,
      facts: publicFacts(error.facts),
      causes: causeMessages(error),
      // If the run has a single failure, the only element of `failures` repeats the kind, message and hint of the
      // document.
      failures: failuresOf(error).map(failureJson),
    },
  };
}

/** Pattern of texts that are not part of the documented format: names of D-Bus, and the directory of the journals. */
const internalName = /\/org\/freedesktop\/|\borg\.freedesktop\.|\/var\/lib\/microshift-net\/tx\b/;

/** Returns the facts without those that contain an internal name; text output with `--verbose` has all of them. */
function publicFacts(facts: ErrorFacts): ErrorFacts {
  const isInternal = (value: ErrorFacts[string]): boolean =>
    [value].flat().some((one) => internalName.test(String(one)));
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => !isInternal(value)));
}

function failureJson({ kind, message, hint }: AgentError): FailureJson {
  return { kind, message, hint: hint ?? null };
}
