import type { Json } from '../../model/profile-settings.ts';
import type { Bus } from '../dbus/bus-connection.ts';
import { encodeVariant } from '../dbus/codec.ts';
import { manager } from './systemd-units.ts';

/**
 * Time limit for an answer about a transient unit. systemd answers in milliseconds, but not during a reload of its unit
 * files. A reload takes seconds on a busy machine.
 */
export const answerMs = 10_000;

/** Property of a unit: its name, D-Bus signature and value. */
type UnitProperty = readonly [name: string, value: readonly [signature: string, value: Json]];

/**
 * Makes systemd create and start a unit that has no file and no longer exists after it has ended
 * (org.freedesktop.systemd1(5), StartTransientUnit). `mode` is the job mode: with `fail`, the start fails if it
 * conflicts with another job; `replace` replaces that job. If systemd refuses, no unit is started; if it does not
 * answer in time, it may still start the unit later. Neither is reported as an error.
 */
export async function startTransientUnit(
  bus: Bus,
  name: string,
  mode: 'replace' | 'fail',
  properties: readonly UnitProperty[],
): Promise<void> {
  const all: readonly UnitProperty[] = [...properties, ['CollectMode', ['s', 'inactive-or-failed']]];
  const encoded = all.map(([key, [signature, value]]) => [key, encodeVariant([signature, value])]);
  const call = { member: 'StartTransientUnit', signature: 'ssa(sv)a(sa(sv))', body: [name, mode, encoded, []] };
  await bus.call({ ...manager, ...call, timeoutMs: answerMs }).catch(() => undefined);
}
