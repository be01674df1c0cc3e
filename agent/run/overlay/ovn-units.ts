import { readSmallFile, removeFile, writeFileAtomically } from '../../drivers/host/files.ts';
import type { Systemd } from '../../drivers/systemd/units.ts';
import { AgentError, isAgentError, messageOf } from '../../errors.ts';
import { onSystemBus } from '../../facts/system-bus.ts';
import { failedThen } from '../../failures.ts';
import type { OverlayPlaces } from './places.ts';

/** How a unit was before it was started for the overlay. */
export interface UnitBefore {
  readonly unit: string;
  readonly isEnabled: boolean;
  readonly isActive: boolean;
}

/** Does something with systemd; replaced in tests. */
export type AskSystemd = <T>(work: (systemd: Systemd) => Promise<T>) => Promise<T>;

/** Connects to systemd for the time of the work; fails with `dbus-unreachable` where there is none. */
export const askSystemd: AskSystemd = (work) =>
  onSystemBus(async (bus) => {
    const { openSystemd } = await import('../../drivers/systemd/units.ts');
    return work(openSystemd(bus));
  });

/**
 * Starts those of these units that there are, now and at every boot, and says whether there are any. How each was is written down first, so that
 * it can be made so again whatever happens. Where there is no systemd, it fails with `dbus-unreachable`.
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

/** Starts those of these units that there are, and changes nothing of what happens at a boot. */
export async function startAgain(names: readonly string[], ask: AskSystemd = askSystemd): Promise<void> {
  await ask(async (systemd) => {
    for (const name of names) if (await systemd.isInstalled(name)) await systemd.startUnit(name);
  });
}

/**
 * Does something, and where that fails makes the units that were started meanwhile as they were before. Those of an earlier run that was cut off
 * stay: `restoreUnits` is for all.
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
    // What is left needs its daemons to be taken out.
    if (isAgentError(error) && error.kind === 'not-restored') throw error;
    const restored = restore(places.units, before, ask).catch((second: unknown) => {
      throw new AgentError('not-restored', messageOf(second), {
        hint: 'run `microshift-net overlay disable` once that is mended',
        cause: second,
      });
    });
    throw await failedThen(error, () => restored);
  }
}

/** Makes every unit that was started for the overlay as it was before; the names of those that were changed. */
export function restoreUnits({ units }: Pick<OverlayPlaces, 'units'>, ask: AskSystemd = askSystemd): Promise<string[]> {
  return restore(units, [], ask);
}

/** The last that was started goes first. What stays written down is what is not done yet. */
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

/** A file that is not ours tells nothing. */
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
