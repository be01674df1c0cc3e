import { type AgentError, type ErrorKind, isAgentError } from '../../errors.ts';

/** Errors of a service that stopped while it was used. systemd starts each of these services again. */
const goneKinds: readonly ErrorKind[] = [
  'dbus-lost',
  'dbus-unreachable',
  'networkmanager-not-running',
  'ovsdb-lost',
  'ovsdb-unreachable',
];

/** Returns the error of a service that stopped and may start again; throws any other error. */
export function goneService(error: unknown): AgentError {
  if (isGone(error)) return error;
  throw error;
}

/** Returns true for the error of a service that stopped and may start again. */
export function isGone(error: unknown): error is AgentError {
  return isAgentError(error) && goneKinds.includes(error.kind);
}
