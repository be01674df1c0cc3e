import { AgentError, messageOf } from '../../errors.ts';

/** An error reply of a D-Bus peer, with its exact name (`org.freedesktop.DBus.Error.…`); drivers map it to a kind. */
export class DBusReplyError extends Error {
  readonly errorName: string;

  constructor(errorName: string, text: string) {
    super(text === '' ? errorName : text);
    this.name = 'DBusReplyError';
    this.errorName = errorName;
  }
}

/** The bus cannot be reached at all: no socket, no permission, no answer to the handshake. */
export function busUnreachable(address: string, cause: unknown): AgentError {
  return new AgentError(
    'dbus-unreachable',
    `the D-Bus system bus at ${address} cannot be reached: ${messageOf(cause)}`,
    {
      hint: 'check that dbus.service (or dbus-broker.service) runs: systemctl status dbus',
      cause,
    },
  );
}

/** The connection ended while it was in use. */
export function busLost(cause?: unknown): AgentError {
  return new AgentError('dbus-lost', 'the connection to the D-Bus system bus was lost', {
    hint: 'check the D-Bus daemon (systemctl status dbus), then run the command again',
    cause,
  });
}

/** A peer did not answer a call in time. */
export function callTimedOut(what: string, timeoutMs: number): AgentError {
  return new AgentError('dbus-timeout', `no answer to ${what} within ${timeoutMs} ms`, {
    hint: 'check that the service is not hung: systemctl status NetworkManager dbus',
    facts: { call: what, timeoutMs },
  });
}
