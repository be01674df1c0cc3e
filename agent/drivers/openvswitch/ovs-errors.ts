import { AgentError, isAgentError, messageOf } from '../../errors.ts';
import { startSwitch } from '../../model/service-hints.ts';
import { OvsdbError } from '../ovsdb/index.ts';

/** Converts a failure of the OVSDB connection to an AgentError. `what` names the failed call in words. */
export function fromOvsdb(what: string, error: unknown): AgentError {
  if (isAgentError(error)) return error;
  const details = { cause: error, facts: { doing: what } };
  switch (error instanceof OvsdbError ? error.kind : 'operation') {
    case 'unreachable':
      return new AgentError('ovsdb-unreachable', `ovsdb-server cannot be reached: ${messageOf(error)}`, {
        ...details,
        hint: startSwitch,
      });
    case 'timeout':
      return new AgentError('ovsdb-timeout', `ovsdb-server did not answer in time: ${what}`, {
        ...details,
        hint: 'check whether it answers: ovs-vsctl --timeout=10 show; if it does not, look at journalctl -u ovsdb-server (a restart of ovsdb-server interrupts br-ex)',
      });
    case 'lost':
    case 'closed':
    case 'protocol':
      return new AgentError('ovsdb-lost', `the connection to ovsdb-server was lost: ${messageOf(error)}`, {
        ...details,
        hint: 'look at journalctl -u ovsdb-server, then run the command again',
      });
    case 'too-large':
      return new AgentError('ovsdb-lost', `the database of Open vSwitch cannot be read: ${messageOf(error)}`, {
        ...details,
        hint: 'find the table with most rows (ovsdb-client dump), and delete what does not belong there, then run the command again',
      });
    default:
      return new AgentError('ovsdb-refused', `ovsdb-server refused to ${what}: ${messageOf(error)}`, {
        ...details,
        hint: 'look at `ovs-vsctl show` for what is there already',
      });
  }
}

/**
 * Error for an ovs-vswitchd that is not running or does not answer, without which a new bridge would have no effect.
 */
export function vswitchdNotResponding(why: string, cause?: unknown): AgentError {
  return new AgentError('vswitchd-not-responding', `ovs-vswitchd does not respond: ${why}`, {
    hint: 'start it: systemctl restart ovs-vswitchd, and look at journalctl -u ovs-vswitchd',
    cause,
  });
}
