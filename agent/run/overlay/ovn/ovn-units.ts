import { readSmallFile, removeFile, writeFileAtomically } from '../../../drivers/host/files/files.ts';
import type { Systemd } from '../../../drivers/systemd/systemd-units.ts';
import { unitJobMs } from '../../../drivers/systemd/unit-job.ts';
import { AgentError, isAgentError, messageOf } from '../../../errors.ts';
import { onSystemBus } from '../../../facts/system-bus.ts';
import { failedThen } from '../../../failures.ts';
import { onTerminal, reportedWait, type Say } from '../../reported-wait.ts';
import type { OverlayPlaces } from '../record/places.ts';

/** State of a unit before the overlay started it. */
export interface UnitBefore {
  readonly unit: string;
  readonly isEnabled: boolean;
  readonly isActive: boolean;
}

/** Function that runs work with a connection to systemd; tests replace it. */
export type AskSystemd = <T>(work: (systemd: Systemd) => Promise<T>) => Promise<T>;

/** Connects to systemd for the duration of the work. Fails with `dbus-unreachable` if systemd is not running. */
export const askSystemd: AskSystemd = (work) =>
  onSystemBus(async (bus) => {
    const { openSystemd } = await import('../../../drivers/systemd/systemd-units.ts');
    return work(openSystemd(bus));
  });

/**
 * Returns a function that runs work with a connection to systemd. On a terminal, the function reports work that takes
 * more than 2 s.
 */
export function reportingSystemd(say: Say): AskSystemd {
  const waiting = `waiting for systemd to start or stop units, up to ${unitJobMs / 1000} s for each`;
  return (work) => reportedWait(waiting, onTerminal(say), () => askSystemd(work));
}

/**
 * Starts and enables those of the named units that are installed. Resolves with true if at least one is installed.
 * Stores the earlier state of each unit, so that it can be restored. Fails with `dbus-unreachable` if systemd is not
 * running.
 */
export async function startUnits(
  names: readonly string[],
  { units }: Pick<OverlayPlaces, 'units'>,
  ask: AskSystemd = askSystemd,
): Promise<boolean> {
  return ask(async (systemd) => {
    const there: string[] = [];
    for (const name of names) if (await systemd.isInstalled(name)) there.push(name);
    const known = readUnits(units);
    const fresh: UnitBefore[] = [];
    for (const unit of there.filter((name) => !known.some((one) => one.unit === name))) {
      const state = await systemd.activeState(unit);
      fresh.push({ unit, isEnabled: await systemd.isEnabled(unit), isActive: state === 'active' });
    }
    if (fresh.length > 0) writeUnits(units, [...known, ...fresh]);
    for (const unit of there) {
      await systemd.enableUnit(unit);
      await systemd.startUnit(unit);
    }
    return there.length > 0;
  });
}

/** Starts those of the named units that are installed, without enabling them. */
export async function startAgain(names: readonly string[], ask: AskSystemd = askSystemd): Promise<void> {
  await ask(async (systemd) => {
    for (const name of names) if (await systemd.isInstalled(name)) await systemd.startUnit(name);
  });
}

/**
 * Calls `work`. If `work` fails, restores the previous state of the units that it has started. Units that an earlier
 * run has started keep running.
 */
export async function withUnits<T>(
  places: Pick<OverlayPlaces, 'units'>,
  work: () => Promise<T>,
  ask: AskSystemd = askSystemd,
): Promise<T> {
  const before = readUnits(places.units);
  try {
    return await work();
  } catch (error) {
    // After an incomplete rollback the units keep running, because the rows that are left in OVN's databases can only
    // be removed while the units run.
    if (isAgentError(error) && error.kind === 'not-restored') throw error;
    const restored = restore(places.units, before, ask).catch((second: unknown) => {
      throw new AgentError('not-restored', messageOf(second), {
        hint: 'run `microshift-net overlay disable` once the cause is fixed',
        cause: second,
      });
    });
    throw await failedThen(error, () => restored);
  }
}

/**
 * Restores the previous state of every unit that was started for the overlay. Resolves with the names of these units.
 */
export function restoreUnits({ units }: Pick<OverlayPlaces, 'units'>, ask: AskSystemd = askSystemd): Promise<string[]> {
  return restore(units, [], ask);
}

/**
 * Restores the units in the reverse order of their start. Removes their states from the file only at the end. After an
 * interruption, the next run therefore restores every unit again.
 */
async function restore(path: string, keep: readonly UnitBefore[], ask: AskSystemd): Promise<string[]> {
  const going = readUnits(path).filter(({ unit }) => !keep.some((one) => one.unit === unit));
  if (going.length === 0) return [];
  await ask(async (systemd) => {
    for (const { unit, isActive, isEnabled } of going.toReversed()) {
      if (!(await systemd.isInstalled(unit))) continue;
      if (!isEnabled) await systemd.disableUnit(unit);
      if (!isActive) await systemd.stopUnit(unit);
    }
  });
  writeUnits(path, keep);
  return going.map(({ unit }) => unit);
}

function writeUnits(path: string, units: readonly UnitBefore[]): void {
  if (units.length === 0) removeFile(path);
  else writeFileAtomically(path, `${JSON.stringify(units)}\n`, 0o600);
}

/** Reads the stored states of units; empty if the file is missing or invalid. */
function readUnits(path: string): UnitBefore[] {
  let found: unknown;
  try {
    found = JSON.parse(readSmallFile(path) ?? '[]');
  } catch {
    return [];
  }
  return Array.isArray(found) ? found.filter(isUnitBefore) : [];
}

function isUnitBefore(value: unknown): value is UnitBefore {
  const { unit, isEnabled, isActive } = Object(value) as Record<string, unknown>;
  return typeof unit === 'string' && typeof isEnabled === 'boolean' && typeof isActive === 'boolean';
}
