import { AgentError, type ErrorKind, isAgentError, messageOf } from '../../errors.ts';
import { DBusReplyError } from '../dbus/dbus-errors.ts';

/** Error for a D-Bus system bus on which no program has the name of NetworkManager. */
export function notRunning(): AgentError {
  return new AgentError('networkmanager-not-running', 'NetworkManager is not running', {
    hint: 'start it with: systemctl start NetworkManager',
  });
}

/** Error for a NetworkManager that left the bus during its use. */
export function vanished(): AgentError {
  return new AgentError('networkmanager-not-running', 'NetworkManager stopped while it was being used', {
    hint: 'look at journalctl -u NetworkManager, start it, and run the command again',
  });
}

/** Error for a NetworkManager whose Open vSwitch plugin is not installed. */
export function pluginMissing(cause?: unknown): AgentError {
  return new AgentError('ovs-plugin-missing', 'NetworkManager runs without its Open vSwitch plugin', {
    hint: 'install it (RPM: NetworkManager-ovs, Debian: network-manager-ovs), then: systemctl restart NetworkManager',
    cause,
  });
}

/** Converts an error reply of NetworkManager to an AgentError. `what` names the failed call in words. */
export function fromReply(what: string, error: unknown): AgentError {
  if (isAgentError(error)) return error;
  if (!(error instanceof DBusReplyError)) return refused('networkmanager-refused', what, error);
  switch (error.errorName) {
    case 'org.freedesktop.DBus.Error.ServiceUnknown':
    case 'org.freedesktop.DBus.Error.NameHasNoOwner':
    case 'org.freedesktop.DBus.Error.NoReply':
      return vanished();
    case 'org.freedesktop.NetworkManager.MissingPlugin':
      return pluginMissing(error);
    case 'org.freedesktop.NetworkManager.PermissionDenied':
    case 'org.freedesktop.DBus.Error.AccessDenied':
      return refused('not-root', what, error);
    default:
      // NetworkManager up to 1.42 reports a missing plugin as a generic failure whose text names it.
      return /plugin for .?ovs/.test(error.message)
        ? pluginMissing(error)
        : refused('networkmanager-refused', what, error);
  }
}

/** Returns true if NetworkManager reports that a profile does not exist (NM_SETTINGS_ERROR_INVALID_CONNECTION). */
export function isUnknownProfile(error: unknown): boolean {
  return isAgentError(error) && error.facts.dbusError === 'org.freedesktop.NetworkManager.Settings.InvalidConnection';
}

/**
 * Returns true if NetworkManager refuses to activate a profile because the device of the profile, or of the profile's
 * controller, is not available yet (observed with 1.58: "Controller connection 'br-ex' can't be activated: No device
 * available"). A device that has just become managed is available after some iterations of NetworkManager's main loop.
 */
export function lacksDevice(error: unknown): boolean {
  return isAgentError(error) && error.kind === 'networkmanager-refused' && /no device available/i.test(error.message);
}

/** Error for an answer of NetworkManager that does not have the expected form. */
export function unknownForm(what: string): AgentError {
  return new AgentError(
    'networkmanager-refused',
    `NetworkManager listed ${what} in a form this version does not know`,
    {
      hint: 'look for a newer microshift-net, or for a NetworkManager that was built differently: NetworkManager --version',
    },
  );
}

function refused(kind: ErrorKind, what: string, error: unknown): AgentError {
  return new AgentError(kind, `NetworkManager refused to ${what}: ${messageOf(error)}`, {
    hint: 'look at journalctl -u NetworkManager for its reason',
    cause: error,
    ...(error instanceof DBusReplyError ? { facts: { dbusError: error.errorName } } : {}),
  });
}
