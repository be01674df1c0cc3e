import type { Bus } from '../../drivers/dbus/bus-connection.ts';
import { replaceFile } from '../../drivers/host/files/files.ts';
import { ownService } from '../../drivers/host/process/control-group.ts';
import { pinThreads, tasksetWords } from '../../drivers/host/process/daemons.ts';
import type { TuningStep } from '../../model/tuning.ts';

type PinStep = Extract<TuningStep, { do: 'pinThreads' }>;

/** Unit that sets the CPU affinity of the threads that the file at `requestPath` names. */
const affinityUnit = 'microshift-net-affinity.service';
const requestPath = '/run/microshift-net/affinity';

/** Returns true in a unit of the agent, whose sandbox does not allow changes of the CPU affinity of other processes. */
export function isInOwnUnit(): boolean {
  return ownService()?.startsWith('microshift-') === true;
}

type OnBus = (ask: (bus: Bus) => Promise<void>) => Promise<void>;

/**
 * Sets the CPU affinity of a daemon's threads. The sandbox of the agent's units does not allow this, so a run in such a
 * unit starts another unit for it.
 */
export function pin(step: PinStep, onBus: OnBus): Promise<void> {
  return isInOwnUnit() ? askToPin(step, onBus) : pinThreads(step.pid, step.threads, step.cpus);
}

/**
 * Writes a request to set the CPU affinity of threads, starts the unit that carries it out, and waits for the end of
 * that unit.
 */
export async function askToPin({ pid, threads, cpus }: PinStep, onBus: OnBus, path = requestPath): Promise<void> {
  const lines = tasksetWords(pid, threads, cpus).map((words) => `${words.join(' ')}\n`);
  replaceFile(path, lines.join(''));
  const { openSystemd } = await import('../../drivers/systemd/systemd-units.ts');
  await onBus((bus) => openSystemd(bus).startUnit(affinityUnit));
}
