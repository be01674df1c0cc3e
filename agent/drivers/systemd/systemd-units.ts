import { AgentError, isAgentError, messageOf } from '../../errors.ts';
import { type Bus, daemonCall, type MethodCall } from '../dbus/bus-connection.ts';
import { toPlain } from '../dbus/codec.ts';
import { unitJobMs } from './unit-job.ts';

/** Bus name of systemd (org.freedesktop.systemd1(5)). */
const service = 'org.freedesktop.systemd1';
/** Address of systemd's manager object on the bus (org.freedesktop.systemd1(5)). */
export const manager = {
  destination: service,
  path: '/org/freedesktop/systemd1',
  interface: 'org.freedesktop.systemd1.Manager',
};

/**
 * Time limit for a reload. systemd reads every unit file and runs every generator, which takes seconds on a slow disk.
 */
const reloadMs = 60_000;
/**
 * Calls of systemd's manager that the agent uses. Every call settles; failures are `systemd-refused`, `dbus-lost`,
 * `dbus-timeout`.
 */
export interface Systemd {
  /** Makes systemd read its unit files again; restarts nothing. */
  daemonReload(): Promise<void>;
  /** Starts a unit and waits for the end of its job. */
  startUnit(unit: string): Promise<void>;
  /** Stops a unit and waits for the end of its job. */
  stopUnit(unit: string): Promise<void>;
  /** Returns true if systemd has loaded the unit from a unit file; false also if systemd does not answer. */
  isInstalled(unit: string): Promise<boolean>;
  /** Enables a unit as `systemctl enable` does. A unit without an [Install] section stays as it is. */
  enableUnit(unit: string): Promise<void>;
  /** Disables a unit as `systemctl disable` does. */
  disableUnit(unit: string): Promise<void>;
  /**
   * Returns true if the unit is enabled, permanently or until the next boot (org.freedesktop.systemd1(5),
   * GetUnitFileState: `enabled`, `enabled-runtime`).
   */
  isEnabled(unit: string): Promise<boolean>;
  /**
   * Returns ActiveState (`active`, `inactive`, `failed`, …), which is `inactive` for a unit without a unit file; null
   * if systemd cannot load the unit or does not answer.
   */
  activeState(unit: string): Promise<string | null>;
}

/** Returns systemd's API over this bus connection. No message is sent before the first call. */
export function openSystemd(bus: Bus): Systemd {
  const request = (what: string, call: Partial<MethodCall> & { member: string }): Promise<unknown[]> =>
    bus.call({ ...manager, ...call }).catch((error: unknown) => {
      throw refused(what, error);
    });
  const jobOf = (verb: string, member: string, unit: string): Promise<void> => {
    const call = { member, signature: 'ss', body: [unit, 'replace'] };
    return awaitJob(bus, `${verb} ${unit}`, () => request(`${verb} ${unit}`, call));
  };
  return {
    daemonReload: async () => {
      await request('read its unit files again', { member: 'Reload', timeoutMs: reloadMs });
    },
    startUnit: (unit) => jobOf('start', 'StartUnit', unit),
    stopUnit: (unit) => jobOf('stop', 'StopUnit', unit),
    isInstalled: async (unit) => (await property(bus, request, unit, 'LoadState')) === 'loaded',
    enableUnit: async (unit) => {
      const call = { member: 'EnableUnitFiles', signature: 'asbb', body: [[unit], false, false] };
      await request(`enable ${unit}`, call);
    },
    disableUnit: async (unit) => {
      const call = { member: 'DisableUnitFiles', signature: 'asb', body: [[unit], false] };
      await request(`disable ${unit}`, call);
    },
    isEnabled: async (unit) => {
      const call = { member: 'GetUnitFileState', signature: 's', body: [unit] };
      const [state] = await request(`look for ${unit}`, call);
      return String(state).startsWith('enabled');
    },
    activeState: (unit) => property(bus, request, unit, 'ActiveState'),
  };
}

/**
 * Returns a property of a unit; null if systemd refuses to load the unit, or does not answer the request to load it.
 * Fails if systemd has loaded the unit but does not return the property.
 */
async function property(
  bus: Bus,
  request: (what: string, call: Partial<MethodCall> & { member: string }) => Promise<unknown[]>,
  unit: string,
  name: string,
): Promise<string | null> {
  const call = { member: 'LoadUnit', signature: 's', body: [unit] };
  const loaded = await request(`load ${unit}`, call).catch(() => null);
  if (loaded === null) return null;
  const [value] = await bus.call({
    destination: service,
    path: String(loaded[0]),
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    signature: 'ss',
    body: ['org.freedesktop.systemd1.Unit', name],
  });
  return String(toPlain(value));
}

/**
 * Sends a call that returns a job, and waits for systemd's signal that the job has ended. Rejects if its result is not
 * `done`.
 */
async function awaitJob(bus: Bus, what: string, call: () => Promise<unknown[]>): Promise<void> {
  const [owner] = await bus.call(daemonCall('GetNameOwner', service)).catch((error: unknown) => {
    throw refused(what, error);
  });
  const ended = new Map<string, string>();
  let wake: () => void = () => undefined;
  // The subscription begins before the call, because a short job can end before its path is known.
  const stop = bus.subscribe(
    `type='signal',sender='${service}',interface='${manager.interface}',member='JobRemoved'`,
    String(owner),
    (signal) => {
      const { member, path, interface: from } = signal;
      if (member !== 'JobRemoved' || path !== manager.path || from !== manager.interface) return;
      ended.set(String(signal.body[1]), String(signal.body[3]));
      wake();
    },
  );
  let lost: AgentError | undefined;
  const endLost = bus.onLost((error) => {
    lost = error;
    wake();
  });
  try {
    // The client subscribes, because systemd sends no signals without a subscription.
    await bus.call({ ...manager, member: 'Subscribe' }).catch((error: unknown) => {
      throw refused(what, error);
    });
    const job = String((await call())[0]);
    const result = await new Promise<string>((resolve) => {
      const timer = setTimeout(() => resolve('timeout'), unitJobMs);
      wake = () => {
        const seen = lost === undefined ? ended.get(job) : 'lost';
        if (seen === undefined) return;
        clearTimeout(timer);
        resolve(seen);
      };
      wake();
    });
    // If the connection is lost, the error is `dbus-lost` and not `systemd-refused`, because the result of the job is
    // unknown.
    if (lost !== undefined) throw lost;
    if (result !== 'done') throw refused(what, new Error(`its job ended: ${result}`));
  } finally {
    stop();
    endLost();
    // The subscription is ended, so that a later call can subscribe: systemd refuses a second subscription of the same
    // connection (org.freedesktop.systemd1, AlreadySubscribed).
    await bus.call({ ...manager, member: 'Unsubscribe' }).catch(() => undefined);
  }
}

function refused(what: string, error: unknown): AgentError {
  if (isAgentError(error)) return error;
  return new AgentError('systemd-refused', `systemd could not ${what}: ${messageOf(error)}`, {
    hint: 'look at journalctl -b -p warning for its reason',
    cause: error,
  });
}
