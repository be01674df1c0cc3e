import type { Bus } from '../drivers/dbus/connection.ts';
import { endingWith } from '../failures.ts';

/** Connects to the system bus, for whoever asks or changes the node. Rejects with `dbus-unreachable`. */
export async function openSystemBus(): Promise<Bus> {
  // The daemon of an overlay asks once in a life, if at all.
  const { connectBus, systemBusAddress } = await import('../drivers/dbus/connection.ts');
  return connectBus(systemBusAddress(process.env));
}

/** Does something on the system bus and closes the connection. */
export async function onSystemBus<T>(work: (bus: Bus) => Promise<T>): Promise<T> {
  const bus = await openSystemBus();
  return endingWith(
    () => work(bus),
    () => bus.close(),
  );
}
