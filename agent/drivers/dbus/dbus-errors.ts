import { AgentError, messageOf } from '../../errors.ts';

/**
 * Error reply to a D-Bus call, with the exact name of the error (`org.freedesktop.DBus.Error.AccessDenied`), which the
 * drivers map to a kind of error of the agent.
 */
export class DBusReplyError extends Error {
  readonly errorName: string;

  constructor(errorName: string, text: string) {
    super(text === '' ? errorName : text);
    this.name = 'DBusReplyError';
    this.errorName = errorName;
  }
}

/** Error for a bus that cannot be reached: no socket, no permission, or no answer to the handshake. */
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

/** Error for a D-Bus connection that ended during its use. */
export function busLost(cause?: unknown): AgentError {
  return new AgentError('dbus-lost', 'the connection to the D-Bus system bus was lost', {
    hint: 'check the D-Bus daemon (systemctl status dbus), then run the command again',
    cause,
  });
}

/** Error for a call that the called program did not answer in time. */
export function callTimedOut(what: string, timeoutMs: number): AgentError {
  return new AgentError('dbus-timeout', `no answer to ${what} within ${timeoutMs} ms`, {
    hint: 'check whether the service answers (NetworkManager: timeout 10 nmcli general), and restart it if it does not',
    facts: { call: what, timeoutMs },
  });
}
