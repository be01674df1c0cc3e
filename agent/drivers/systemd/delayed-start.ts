import type { Bus } from '../dbus/bus-connection.ts';
import { manager } from './systemd-units.ts';
import { answerMs, startTransientUnit } from './transient-unit.ts';

/**
 * Makes systemd start a service after some seconds, by a transient timer of the same name (systemd.timer(5)), which is
 * removed after it has elapsed. If the service has such a timer already, that timer continues. A timer cannot be
 * replaced at once: for some milliseconds after the stop of a transient unit, systemd refuses another one of the same
 * name. Returns without an error if systemd refuses or does not answer in time; after a refusal for another reason, the
 * service is not started.
 */
export async function startLater(bus: Bus, name: string, seconds: number, description: string): Promise<void> {
  await startTransientUnit(bus, `${name}.timer`, 'replace', [
    ['Description', ['s', description]],
    ['TimersMonotonic', ['a(st)', [['OnActiveSec', seconds * 1_000_000]]]],
    ['AccuracyUSec', ['t', 1_000_000]],
    ['RemainAfterElapse', ['b', false]],
  ]);
}

/**
 * Stops the timer that startLater has started for a service. Succeeds also if no such timer exists, and if systemd does
 * not answer.
 */
export async function cancelStart(bus: Bus, name: string): Promise<void> {
  const call = { member: 'StopUnit', signature: 'ss', body: [`${name}.timer`, 'replace'] };
  await bus.call({ ...manager, ...call, timeoutMs: answerMs }).catch(() => undefined);
}
