import { type AgentError, type ErrorKind, isAgentError } from '../../errors.ts';

/** Kinds of error that show that a service stopped while it was used. systemd starts each of these services again. */
const goneKinds: readonly ErrorKind[] = [
  'dbus-lost',
  'dbus-unreachable',
  'networkmanager-not-running',
  'ovsdb-lost',
  'ovsdb-unreachable',
];

/** Returns the error if it shows that a service stopped and may start again; throws any other error. */
export function goneService(error: unknown): AgentError {
  if (isGone(error)) return error;
  throw error;
}

/** Returns true if the error shows that a service stopped and may start again. */
export function isGone(error: unknown): error is AgentError {
  return isAgentError(error) && goneKinds.includes(error.kind);
}
