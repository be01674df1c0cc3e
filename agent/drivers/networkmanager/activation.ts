import { type Deadline, waitFor } from '../../deadline.ts';
import { AgentError, type ErrorFacts } from '../../errors.ts';
import type { Signal } from '../dbus/bus-connection.ts';
import type { NetworkManager } from './nm-client.ts';
import {
  activeInterface,
  activeState,
  activeStateReason,
  deviceInterface,
  deviceState,
  deviceStateReason,
} from './nm-names.ts';

/**
 * States that NetworkManager has signalled since the watch was created. An activation may end before the agent waits
 * for it; the watch then already has the final state. Each transaction uses one watch; `stop` ends the subscription of
 * the watch.
 */
export interface ActivationWatch {
  /**
   * Resolves when the active connection is activated. Rejects with `activation-failed` when it is deactivated, and with
   * `activation-timeout` after limitMs.
   */
  activated(active: string, what: string, deadline: Deadline, limitMs: number): Promise<void>;
  /**
   * Resolves when the condition is true. The condition is evaluated at once, and after every signal of NetworkManager.
   */
  until(what: string, condition: () => Promise<boolean>, deadline: Deadline, limitMs: number): Promise<void>;
  stop(): void;
}

interface Seen {
  readonly state: number;
  readonly reason: number;
}

/** Begins to record the states of activations. The caller must do so before the first activation. */
export function watchActivations(nm: NetworkManager): ActivationWatch {
  const states = new Map<string, Seen>();
  const waiters = new Set<() => void>();
  let lastDeviceFailure = '';

  // The subscription is limited to the signal `StateChanged`: about 50 of the 400 signals that NetworkManager sends
  // while the uplink moves.
  const stop = nm.onSignal((signal) => {
    if (signal.interface === activeInterface) {
      states.set(signal.path, { state: Number(signal.body[0]), reason: Number(signal.body[1]) });
    }
    lastDeviceFailure = deviceFailure(signal) ?? lastDeviceFailure;
    for (const waiter of [...waiters]) waiter();
  }, 'StateChanged');

  return {
    stop,
    activated: async (active, what, deadline, limitMs) => {
      const timeout = () => tooLate(`${what} was not active after`, limitMs, { activeConnection: active });
      // The property `State` is read once, because the activation may have reached this state before the watch received
      // a signal about it.
      const asked = await nm.property(active, activeInterface, 'State').catch(() => activeState.deactivated);
      if (!states.has(active)) states.set(active, { state: Number(asked), reason: 0 });
      await waitFor<void>(deadline, limitMs, timeout, (resolve, reject) => {
        const look = (): void => {
          const { state, reason = 0 } = states.get(active) ?? {};
          if (state === activeState.activated) resolve();
          else if (state === activeState.deactivated) reject(activationFailed(what, reason, lastDeviceFailure));
        };
        look();
        waiters.add(look);
        return () => waiters.delete(look);
      });
    },
    until: (what, condition, deadline, limitMs) => {
      const timeout = () => tooLate(`${what} did not happen within`, limitMs, {});
      return waitFor<void>(deadline, limitMs, timeout, (resolve, reject) => {
        let asking = false;
        let again = false;
        const look = async (): Promise<void> => {
          if (asking) {
            again = true;
            return;
          }
          asking = true;
          do {
            again = false;
            if (await condition()) return resolve();
          } while (again);
          asking = false;
        };
        const start = (): void => {
          look().catch(reject);
        };
        // The subscription begins before the first evaluation, so that a change in between causes a signal.
        const end = nm.onSignal(start);
        start();
        return end;
      });
    },
  };
}

function deviceFailure(signal: Signal): string | null {
  if (signal.interface !== deviceInterface) return null;
  const [state, , reason] = signal.body;
  return Number(state) === deviceState.failed ? deviceStateReason(Number(reason)) : null;
}

function tooLate(what: string, limitMs: number, facts: ErrorFacts): AgentError {
  return new AgentError('activation-timeout', `${what} ${Math.round(limitMs / 1000)} s`, {
    hint: 'look at journalctl -u NetworkManager for what it waited for',
    facts: { ...facts, limitMs },
  });
}

function activationFailed(what: string, reason: number, deviceReason: string): AgentError {
  const why = deviceReason === '' ? activeStateReason(reason) : deviceReason;
  return new AgentError('activation-failed', `NetworkManager could not activate ${what}: ${why}`, {
    hint: 'look at journalctl -u NetworkManager for the details, fix the cause, and run it again',
    facts: { reason: activeStateReason(reason), deviceReason },
  });
}
