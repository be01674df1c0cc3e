import type { Bus } from '../dbus/bus-connection.ts';
import { startTransientUnit } from './transient-unit.ts';

/**
 * Moves this process into a scope of its own (systemd.scope(5)); its terminal, pipes and signals do not change. When
 * the process ends for any reason, systemd starts the unit `whenItEnds`. Returns without an error if systemd refuses or
 * does not answer in time; after a refusal, the process is not moved.
 */
export function startWhenThisEnds(bus: Bus, id: string, whenItEnds: string): Promise<void> {
  return startTransientUnit(bus, `microshift-net-${id}.scope`, 'fail', [
    ['Description', ['s', `A change of the network by microshift-net, transaction ${id}`]],
    ['PIDs', ['au', [process.pid]]],
    ['OnSuccess', ['as', [whenItEnds]]],
    ['OnFailure', ['as', [whenItEnds]]],
  ]);
}
